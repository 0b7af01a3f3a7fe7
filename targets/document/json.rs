//! JSON: two spaces of indent, one entry a line, a final newline. There are no comments in JSON; they are left out.

use serde::Serialize;

use super::refuse::Error;

/// Prints `value` as pretty JSON with a newline at its end.
///
/// A number that is not finite becomes `null`, since JSON has no word for it.
///
/// # Errors
///
/// A map whose keys are not scalars, and whatever the value's own `Serialize` refuses. A [`super::Node`] never fails.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut text = serde_json::to_string_pretty(value).map_err(serde::ser::Error::custom)?;
    text.push('\n');
    Ok(text)
}
