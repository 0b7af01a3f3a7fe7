//! One line a problem: `train.bp:13:16: error[tpu/hosts]: slice 4x4x8 spans ...`.

use super::{Places, clean};
use slipform_model::Diagnostic;

pub(super) fn line(places: &Places<'_>, diagnostic: &Diagnostic) -> String {
    let head = format!("{}[{}]", diagnostic.severity.word(), diagnostic.code);
    let message = clean(&diagnostic.message.replace('\n', " "));
    match diagnostic.span().and_then(|span| places.position(span)) {
        Some((path, line, column)) => format!("{path}:{line}:{column}: {head}: {message}\n"),
        None => format!("{head}: {message}\n"),
    }
}
