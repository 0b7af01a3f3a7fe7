//! How a string is written so that every reader takes it for that string.
//!
//! Kubernetes reads YAML with a YAML 1.1 parser whose booleans, numbers, dates and merge keys have many spellings
//! (`on`, `y`, `1_000`, `0o17`, `1:30`, `2026-01-01`, `<<`). Each of them, of YAML 1.2 and of the common
//! implementations, is quoted here; where a reader could go either way, the quotes win.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::comment::pad;

const SPACE: u8 = 1;
const COLON: u8 = 2;
const HASH: u8 = 4;
const APOSTROPHE: u8 = 8;
const NEWLINE: u8 = 16;
const TAB: u8 = 32;
const CONTROL: u8 = 64;
const WIDE: u8 = 128;

/// What each byte means for the choice of a style; 0 for one that is harmless anywhere but at the start.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which has no other way to fill a table"
)]
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' => SPACE,
            b':' => COLON,
            b'#' => HASH,
            b'\'' => APOSTROPHE,
            b'\n' => NEWLINE,
            b'\t' => TAB,
            0..=31 | 127 => CONTROL,
            128.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

enum Style {
    Plain,
    Single,
    Double,
    /// The header behind `|`.
    Literal(&'static str),
}

/// Pushes `text`; the lines of a block are indented by `indent`, which must be two more than the column of the key or
/// dash that holds it.
pub(super) fn push(out: &mut String, text: &str, indent: usize) {
    match style(text) {
        Style::Plain => out.push_str(text),
        Style::Single => single(out, text),
        Style::Double => double(out, text),
        Style::Literal(header) => literal(out, text, header, indent),
    }
}

/// Pushes `text` on one line, as a key must be.
pub(super) fn push_line(out: &mut String, text: &str) {
    match style(text) {
        Style::Plain => out.push_str(text),
        Style::Single => single(out, text),
        Style::Double | Style::Literal(_) => double(out, text),
    }
}

/// A number as YAML 1.1 and 1.2 both read it, from Rust's shortest form: an exponent needs a point and a sign.
pub(super) fn float(shortest: &str) -> Cow<'_, str> {
    match shortest {
        "NaN" => return ".nan".into(),
        "inf" => return ".inf".into(),
        "-inf" => return "-.inf".into(),
        _ => {}
    }
    let Some((mantissa, exponent)) = shortest.split_once('e') else { return shortest.into() };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}").into()
}

fn style(text: &str) -> Style {
    let seen = text.bytes().fold(0, |seen, byte| seen | class(byte));
    if seen & CONTROL != 0 || seen & WIDE != 0 && text.chars().any(must_be_escaped) {
        return Style::Double;
    }
    if seen & NEWLINE != 0 {
        return block_header(text).map_or(Style::Double, Style::Literal);
    }
    if seen & TAB != 0 {
        return Style::Double;
    }
    if is_plain(text, seen) {
        return Style::Plain;
    }
    if seen & APOSTROPHE != 0 { Style::Double } else { Style::Single }
}

fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(CONTROL)
}

/// Beyond what YAML forbids: whatever a reader takes for a line break, and what is invisible or reorders the text
/// around it, so that what a reviewer sees is what there is.
fn must_be_escaped(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}')
        || c.is_control()
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Whether `text`, of one line and without control characters, needs no quotes.
fn is_plain(text: &str, seen: u8) -> bool {
    let mut bytes = text.bytes();
    let Some(first) = bytes.next() else { return false };
    let starts = match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'/' | b'$' | b'(' | b')' | b';' | b'\\' | b'^' => true,
        b'0'..=b'9' | b'+' | b'.' => !is_number(text) && !text.starts_with("..."),
        b'-' => {
            bytes.next().is_some_and(|next| next != b' ')
                && !is_number(text)
                && !text.starts_with("---")
        }
        b'<' => text != "<<",
        b'~' | b'=' => text.len() > 1,
        128.. => true,
        _ => false,
    };
    starts
        && (seen & SPACE == 0 || !text.ends_with(' '))
        && (seen & COLON == 0 || !(text.ends_with(':') || text.contains(": ")))
        && (seen & HASH == 0 || !text.contains(" #"))
        && (seen & WIDE == 0 || !text.chars().any(|c| c.is_whitespace() && c != ' '))
        && (text.len() > 5 || !is_word(text))
}

/// Whether some reader takes `text` for a boolean or null.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether some reader takes `text`, which begins with a digit, sign or point, for a number or a point in time.
fn is_number(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    is_radix(body) || is_decimal(body) || is_special(body) || is_date(text)
}

fn is_radix(body: &str) -> bool {
    let mut chars = body.chars();
    chars.next() == Some('0')
        && chars.next().is_some_and(|c| matches!(c, 'x' | 'X' | 'o' | 'O' | 'b' | 'B'))
        && chars.all(|c| c.is_ascii_hexdigit() || c == '_')
}

/// Digits with at most one point, `_` or `,` between them, an exponent; also base 60, `190:20:30`.
fn is_decimal(body: &str) -> bool {
    let (mantissa, exponent) = body.split_once(['e', 'E']).unwrap_or((body, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    mantissa.contains(|c: char| c.is_ascii_digit())
        && mantissa.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'_' | b',' | b':'))
        && mantissa.bytes().filter(|b| *b == b'.').count() <= 1
        && exponent.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

fn is_special(body: &str) -> bool {
    body.eq_ignore_ascii_case(".inf") || body.eq_ignore_ascii_case(".nan")
}

/// Whatever begins like a date, `2026-1-2`: a reader may look no further.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    year.len() == 4
        && digits(year)
        && matches!(month.len(), 1 | 2)
        && digits(month)
        && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// The header of a block that carries `text`, which has a line break; `None` if it has nothing but breaks and space, or
/// begins with a tab: kustomize keeps a block a block, but drops the digit that such a one needs.
fn block_header(text: &str) -> Option<&'static str> {
    let start = text.trim_start_matches('\n');
    if start.trim_matches([' ', '\t', '\n']).is_empty() || start.starts_with('\t') {
        return None;
    }
    // the first line with anything on it shows the indent, unless it begins with space of its own
    let shown = !start.starts_with(' ');
    let ends = (text.ends_with('\n'), text.ends_with("\n\n"));
    Some(match (shown, ends) {
        (true, (false, _)) => "-",
        (true, (true, false)) => "",
        (true, (true, true)) => "+",
        (false, (false, _)) => "2-",
        (false, (true, false)) => "2",
        (false, (true, true)) => "2+",
    })
}

/// Leaves the last newline to the caller.
fn literal(out: &mut String, text: &str, header: &str, indent: usize) {
    out.push('|');
    out.push_str(header);
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(out, indent);
            out.push_str(line);
        }
    }
}

/// For text without apostrophes.
fn single(out: &mut String, text: &str) {
    out.push('\'');
    out.push_str(text);
    out.push('\'');
}

fn double(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if must_be_escaped(c) => escape(out, u32::from(c)),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, code: u32) {
    // writing to a string cannot fail
    let _ = if code > 0xffff { write!(out, "\\U{code:08X}") } else { write!(out, "\\u{code:04X}") };
}
