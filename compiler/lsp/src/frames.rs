//! Messages as they come over a stream: each behind its length. What cannot be read is told, and the next one is looked for.

use lsp_server::Message;
use serde_json::Value;
use slipform_source::MAX_FILE_BYTES;
use std::io::{self, BufRead, Read};

/// The longest message: a text of the largest file with every character escaped, and what is around it.
const LONGEST: usize = 8 * MAX_FILE_BYTES;

/// What came.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message.
    Message(Message),
    /// Something else.
    Unreadable {
        /// Who asked, where that can be told.
        id: Value,
        /// What JSON-RPC calls it: no JSON, or no message.
        code: i32,
        /// Why it cannot be read.
        why: String,
    },
}

/// The next message; nothing at the end of the stream.
///
/// # Errors
///
/// The stream broke.
pub(crate) fn next(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let Some(length) = length(input)? else { return Ok(None) };
    let Some(length) = length.filter(|length| *length <= LONGEST) else {
        let why = format!("a message of this length is not read; the most are {LONGEST} bytes");
        return Ok(Some(unreadable(Value::Null, lsp_server::ErrorCode::ParseError, why)));
    };
    let mut bytes = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut bytes)?;
    Ok((read == length).then(|| frame(&bytes)))
}

/// The length that the next head tells, `None` in it where that is no number; nothing at the end. What stands before a head belonged to a message
/// that was not read.
fn length(input: &mut impl BufRead) -> io::Result<Option<Option<usize>>> {
    const NAME: &str = "content-length:";
    let mut found = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.take(LONGEST as u64).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(at) = text.rfind(NAME) {
            found = Some(text.get(at + NAME.len()..).and_then(|it| it.trim().parse().ok()));
        } else if text.trim().is_empty() && found.is_some() {
            return Ok(found);
        }
    }
}

fn frame(bytes: &[u8]) -> Frame {
    let text = String::from_utf8_lossy(bytes);
    let value: Value =
        match serde_json::from_str(&text).or_else(|_| serde_json::from_str(&paired(&text))) {
            Ok(value) => value,
            Err(error) => {
                let why = format!("the message is no JSON: {error}");
                return unreadable(Value::Null, lsp_server::ErrorCode::ParseError, why);
            }
        };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    match serde_json::from_value(value) {
        Ok(message) => Frame::Message(message),
        Err(_) => {
            let why = "the message is no request, no notification and no answer".to_owned();
            unreadable(id.unwrap_or_default(), lsp_server::ErrorCode::InvalidRequest, why)
        }
    }
}

fn unreadable(id: Value, code: lsp_server::ErrorCode, why: String) -> Frame {
    Frame::Unreadable { id, code: code as i32, why }
}

/// A text of JSON in which each half of a pair of surrogates that stands alone is the sign for what cannot be shown: editors that
/// count in UTF-16 cut pairs apart.
fn paired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let own = unit(escape);
        let next = escape.get(6..).and_then(unit);
        let length = match (own, next) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (escape, behind) = escape.split_at(length.min(escape.len()));
        out.push_str(escape);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The unit of UTF-16 that a text begins with as an escape: `\u00e9`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut found = Vec::new();
        while let Some(frame) = next(&mut input).unwrap() {
            found.push(match frame {
                Frame::Message(Message::Notification(note)) => {
                    format!("{} {}", note.method, note.params)
                }
                Frame::Message(message) => format!("{message:?}"),
                Frame::Unreadable { id, code, why } => format!("{id} {code} {why}"),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_next_message_is_found() {
        let good = framed(r#"{"jsonrpc":"2.0","method":"a","params":{"text":"x"}}"#);
        for (bad, told) in [
            (framed("5"), "null -32600 the message is no request, no notification and no answer"),
            (
                framed(r#"{"id":7}"#),
                "7 -32600 the message is no request, no notification and no answer",
            ),
            (
                framed("{"),
                "null -32700 the message is no JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                "Content-Length: 99999999999999\r\n\r\n".to_owned(),
                "null -32700 a message of this length is not read; the most are 536870912 bytes",
            ),
            (
                "Content-Length: abc\r\n\r\n{}".to_owned(),
                "null -32700 a message of this length is not read; the most are 536870912 bytes",
            ),
        ] {
            let bytes = format!("{good}{bad}{good}");
            assert_eq!(
                all(bytes.as_bytes()),
                [r#"a {"text":"x"}"#, told, r#"a {"text":"x"}"#],
                "{bad}"
            );
        }
        assert_eq!(all(b"Content-Length: 18\r\n\r\n{"), [""; 0]);
    }

    #[test]
    fn a_half_of_a_pair_is_no_reason_to_lose_a_text() {
        for (text, read) in [
            (r"\ud83d", "\u{fffd}"),
            (r"a\ud83db", "a\u{fffd}b"),
            (r"\ud83d\ude00\ude00", "\u{1f600}\u{fffd}"),
            (r"\\ud83d \ud83d\n", "\\ud83d \u{fffd}\n"),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","method":"a","params":"{text}"}}"#);
            let wanted = format!("a {}", serde_json::json!(read));
            assert_eq!(all(framed(&body).as_bytes()), [wanted], "{text}");
        }
        let bytes = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":\"\xff\"}";
        let whole = [format!("Content-Length: {}\r\n\r\n", bytes.len()).as_bytes(), bytes].concat();
        assert_eq!(all(&whole), ["a \"\u{fffd}\""]);
    }
}
