//! The binary form of the built-in catalog: a section for each table in the order of the list, each a list of
//! keys in ascending order with the encoded row beside it. The index is read at start, a row when it
//! is asked for.

use serde::{Deserialize, Serialize};

use crate::lock::{mark_of_row, mark_of_sheet};
use crate::tables::{Each, Row, Sheet, Tables, Typed};

/// The whole catalog.
#[derive(Serialize, Deserialize)]
pub struct Blob<'a> {
    /// Date and digest of the content.
    pub version: &'a str,
    /// Newest date of the files.
    pub as_of: &'a str,
    /// A [`Section`] for each table, encoded: most tables are never asked.
    #[serde(borrow)]
    pub sections: Vec<&'a [u8]>,
}

/// Keys, ascending, and encoded rows. A sheet is one row without a key.
#[derive(Default, Serialize, Deserialize)]
pub struct Section<'a> {
    /// The rows.
    #[serde(borrow)]
    pub rows: Vec<(&'a str, &'a [u8])>,
    /// Tell how a lock writes each row.
    #[serde(borrow)]
    pub marks: &'a [u8],
    /// The words that rows are found by besides, each with the place of its row: [`Names`], encoded.
    #[serde(borrow)]
    pub names: &'a [u8],
}

/// Words that rows are found by, each with the place of its row, in the order of the rows.
pub type Names<'a> = Vec<(u32, &'a str)>;

/// The binary form of `tables`, under a version made of their date and `digest`.
///
/// # Errors
/// The sheets that no file has.
pub fn encode(tables: &Tables<Typed>, digest: &str) -> Result<Vec<u8>, String> {
    let mut encode = Encode { tables, sections: Vec::new() };
    Tables::<Typed>::each(&mut encode);
    let encoded = encode.sections.into_iter().collect::<Result<Vec<Rows>, String>>()?;
    let sections = encoded.iter().map(|rows| {
        postcard::to_stdvec(&Section {
            rows: rows.rows.iter().map(|(key, bytes)| (key.as_str(), bytes.as_slice())).collect(),
            marks: &rows.marks,
            names: &rows.names,
        })
    });
    let written = |error: postcard::Error| error.to_string();
    let sections = sections.collect::<Result<Vec<Vec<u8>>, _>>().map_err(written)?;
    let sections = sections.iter().map(Vec::as_slice).collect();
    let version = format!("{}+{digest}", tables.as_of);
    let blob = Blob { version: &version, as_of: &tables.as_of, sections };
    postcard::to_stdvec(&blob).map_err(written)
}

/// A section, as far as it is written.
#[derive(Default)]
struct Rows {
    /// With their keys.
    rows: Vec<(String, Vec<u8>)>,
    marks: Vec<u8>,
    names: Vec<u8>,
}

struct Encode<'a> {
    tables: &'a Tables<Typed>,
    sections: Vec<Result<Rows, String>>,
}

fn encoded<T: Serialize>(key: &str, row: &T) -> Result<(String, Vec<u8>), String> {
    let bytes = postcard::to_stdvec(row).map_err(|error| format!("row `{key}`: {error}"))?;
    Ok((key.to_owned(), bytes))
}

impl Each for Encode<'_> {
    fn rows<T: Row>(&mut self) {
        let (mut rows, mut names) = (Rows::default(), Names::default());
        let each = T::of(self.tables).iter().try_for_each(|(key, row)| {
            names.extend(row.names().into_iter().map(|name| (rows.rows.len() as u32, name)));
            rows.rows.push(encoded(key, row)?);
            rows.marks.extend(mark_of_row(row)?.to_bytes());
            Ok(())
        });
        let names = postcard::to_stdvec(&names).map_err(|error| error.to_string());
        let rows = each.and_then(|()| Ok(Rows { names: names?, ..rows }));
        self.sections.push(rows);
    }

    fn sheet<T: Sheet>(&mut self) {
        let row = T::of(self.tables).as_ref();
        let row = row.ok_or_else(|| format!("no file has the table `[{}]`", T::TABLE));
        let rows = row.and_then(|row| {
            let marks = mark_of_sheet(row)?.to_bytes().to_vec();
            Ok(Rows { rows: vec![encoded("", row)?], marks, names: Vec::new() })
        });
        self.sections.push(rows);
    }
}
