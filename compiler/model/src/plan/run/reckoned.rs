//! What a shell reckons: `$((NNODES * 8))`.

use super::shell::Values;

/// The value of sums and products of numbers and known variables; nothing of what has anything else in it.
pub(super) fn reckoned(text: &str, values: &Values) -> Option<i64> {
    let mut rest = text.trim_start();
    let mut sum = 0_i64;
    let mut product = operand(&mut rest, values)?;
    let mut subtracts = false;
    while let Some(operator) = rest.chars().next() {
        rest = rest.get(1..)?.trim_start();
        let next = operand(&mut rest, values)?;
        product = match operator {
            '*' => product.checked_mul(next)?,
            '/' => product.checked_div(next)?,
            '%' => product.checked_rem(next)?,
            '+' | '-' => {
                sum = added(sum, product, subtracts)?;
                subtracts = operator == '-';
                next
            }
            _ => return None,
        };
    }
    added(sum, product, subtracts)
}

fn added(sum: i64, value: i64, subtracts: bool) -> Option<i64> {
    if subtracts { sum.checked_sub(value) } else { sum.checked_add(value) }
}

/// A number, or a variable with or without `$`, and what stands behind it.
fn operand(rest: &mut &str, values: &Values) -> Option<i64> {
    let plain = rest.trim_start_matches(['$', '{']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (name, behind) = plain.split_at(plain.find(|c| !is_name(c)).unwrap_or(plain.len()));
    *rest = behind.strip_prefix('}').unwrap_or(behind).trim_start();
    // a leading zero is a number of another base
    let number = |text: &str| text.parse().ok().filter(|_| text == "0" || !text.starts_with('0'));
    number(name).or_else(|| number(values.get(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_shell() {
        let values = Values::from([("NNODES".to_owned(), "4".to_owned())]);
        let of = |text: &str| reckoned(text, &values);
        assert_eq!(of("NNODES * 8"), Some(32));
        assert_eq!(of(" 1 + $NNODES*${NNODES} - 3/2 "), Some(16));
        for text in ["", "A * 8", "1 <<2", "(1)", "010", "8 *", "1/0", "9223372036854775807 + 1"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
