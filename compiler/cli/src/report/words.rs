//! Texts of others' in one line of a report.

/// A text as one line: its words behind one space each.
pub(crate) fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as one line of at most so many characters.
pub(crate) fn short(text: &str, most: usize) -> String {
    window(&in_a_line(text), 0, most)
}

/// Two texts as lines of at most so many characters, in which it is seen where they differ.
pub(crate) fn apart(before: &str, after: &str, most: usize) -> (String, String) {
    let (before, after) = (in_a_line(before), in_a_line(after));
    let is_same = |(a, b): &(char, char)| a == b;
    let alike = before.chars().zip(after.chars()).take_while(is_same).count();
    let skipped = if alike < most { 0 } else { alike - most / 3 };
    let ends_alike = before.chars().rev().zip(after.chars().rev()).take_while(is_same).count();
    let shown = |line: &str| {
        let length = line.chars().count();
        let differing = length - ends_alike.min(length - alike);
        match length <= most {
            true => line.to_owned(),
            false => window(line, skipped, most.min(differing + most / 3 - skipped)),
        }
    };
    (shown(&before), shown(&after))
}

/// A long line from some character on.
fn window(line: &str, skipped: usize, most: usize) -> String {
    let length = line.chars().count();
    if length <= most {
        return line.to_owned();
    }
    let kept: String = line.chars().skip(skipped).take(most).collect();
    let (start, end) = (skipped > 0, skipped + most < length);
    format!("{}{kept}{}", if start { "..." } else { "" }, if end { "..." } else { "" })
}

/// `1 file`, `3 files`
pub(crate) fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// A path as a relative address: what has a meaning in one is spelled out.
pub(crate) fn address(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_long_lines_are_seen_to_differ() {
        let (long, other) = ("a ".repeat(50) + "x", "a ".repeat(50) + "y");
        let (before, after) = apart(&long, &other, 30);
        assert!(before.starts_with("...") && before.ends_with('x'), "{before}");
        assert!(after.starts_with("...") && after.ends_with('y'), "{after}");
        let (long, other) =
            (format!("a 1 {}", "b ".repeat(50)), format!("a 2 {}", "b ".repeat(50)));
        assert_eq!(
            apart(&long, &other, 30),
            ("a 1 b b b b b...".to_owned(), "a 2 b b b b b...".to_owned())
        );
        assert_eq!(apart("a\n  b", "a c", 30), ("a b".to_owned(), "a c".to_owned()));
        assert_eq!(short("one two three", 7), "one two...");
    }

    #[test]
    fn an_address_of_a_path_is_no_address_of_another_kind() {
        assert_eq!(address("javascript:alert(1) ü.bp"), "javascript%3Aalert%281%29%20%C3%BC.bp");
        assert_eq!(address("teams/a.bp"), "teams/a.bp");
    }
}
