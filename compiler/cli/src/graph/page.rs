//! The drawing as a file: alone, or in a page with what is told of each noun. Neither asks anybody for anything.
//!
//! All that a user wrote is spelled for its place: by the templates, which know no way round, or as JSON without what could end a
//! script. A page lets no script and no style run but its own, by their digests, and lets nothing be fetched.

use super::picture::Picture;
use super::told::{Told, shown};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error};
use serde::Serialize;
use sha2::{Digest, Sha256};
use slipform_model::Model;

const DRAWING: &str = include_str!("drawing.svg");
const PAGE: &str = include_str!("page.html");
const COLOURS: &str = include_str!("drawing.css");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What templates read.
#[derive(Serialize)]
struct Sheet<'a> {
    name: String,
    environment: String,
    told: &'a Told,
    picture: &'a Picture,
    /// Whether the drawing is a file of its own.
    alone: bool,
    style: Value,
    style_digest: String,
    script: Value,
    script_digest: String,
    data: Value,
}

/// The drawing alone.
pub(super) fn svg(told: &Told, model: &Model) -> Result<String, Error> {
    let style = COLOURS.to_owned();
    render(
        "drawing.svg",
        &Sheet { alone: true, ..Sheet::of(told, &Picture::of(told), model, style) },
    )
}

/// The page.
pub(super) fn html(told: &Told, model: &Model) -> Result<String, Error> {
    let style = format!("{COLOURS}{STYLE}");
    render("page.html", &Sheet::of(told, &Picture::of(told), model, style))
}

impl<'a> Sheet<'a> {
    fn of(told: &'a Told, picture: &'a Picture, model: &Model, style: String) -> Self {
        Self {
            name: shown(&model.name),
            environment: shown(&model.environment),
            told,
            picture,
            alone: false,
            style_digest: digest(&style),
            style: Value::from_safe_string(style),
            script_digest: digest(SCRIPT),
            script: Value::from_safe_string(SCRIPT.to_owned()),
            data: Value::from_safe_string(data(told)),
        }
    }
}

fn render(name: &str, sheet: &Sheet<'_>) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.remove_filter("safe");
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template("drawing.svg", DRAWING)?;
    environment.add_template("page.html", PAGE)?;
    environment.get_template(name)?.render(Serde(sheet))
}

/// What the script reads: JSON in which nothing ends the element that it stands in.
fn data(told: &Told) -> String {
    let json = serde_json::to_string(told).unwrap_or_default();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A text as `Content-Security-Policy` names it.
fn digest(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text)))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits =
            (0..3).fold(0, |bits, at| bits << 8 | three.get(at).map_or(0, |it| u32::from(*it)));
        for at in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * at) & 63) as usize).copied();
            out.push(letter.filter(|_| at <= three.len()).map_or('=', char::from));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_letters() {
        for (bytes, letters) in
            [("", ""), ("M", "TQ=="), ("Ma", "TWE="), ("Man", "TWFu"), ("Many", "TWFueQ==")]
        {
            assert_eq!(base64(bytes.as_bytes()), letters);
        }
    }
}
