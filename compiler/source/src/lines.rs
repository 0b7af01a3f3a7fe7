//! From byte offsets to lines and columns, and back.

/// How an editor counts the columns of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: the language server protocol's default.
    Utf16,
    /// Characters, as people count: what diagnostics on a terminal print.
    Chars,
}

impl Encoding {
    /// How many columns a part of a line takes.
    pub fn width(self, text: &str) -> u32 {
        let width = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Chars => text.chars().count(),
        };
        width as u32
    }
}

/// A place in a text; both numbers count from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in the units of an [`Encoding`].
    pub column: u32,
}

/// The offsets at which the lines of one text start. Finding a line is a binary search.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// Scans `text` once.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
        Self { starts, len: text.len() as u32 }
    }

    /// The number of lines; a text without a newline has one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The zero-based line that holds `offset`.
    pub fn line(&self, offset: usize) -> u32 {
        let offset = offset.min(self.len as usize) as u32;
        (self.starts.partition_point(|start| *start <= offset).saturating_sub(1)) as u32
    }

    /// The byte range of a line, its newline included; empty behind the last line.
    pub fn range(&self, line: u32) -> std::ops::Range<usize> {
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.len) as usize;
        at(line)..at(line.saturating_add(1))
    }

    /// Where `offset` of `text` lies. `text` must be the text that was indexed.
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(text.len());
        let line = self.line(offset);
        let head = text.get(self.range(line).start..offset).unwrap_or_default();
        Position { line, column: encoding.width(head) }
    }

    /// The offset of a position in `text`; beyond a line's end it is the line's end.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let range = self.range(position.line);
        let line = text.get(range.clone()).unwrap_or_default().trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, c) in line.char_indices() {
            if column >= position.column {
                return range.start + at;
            }
            column += encoding.width(c.encode_utf8(&mut [0; 4]));
        }
        range.start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse_in_every_encoding() {
        let text = "a\nbé😀c\n\nlast";
        let index = LineIndex::new(text);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Chars] {
            for (offset, _) in text.char_indices() {
                let position = index.position(text, offset, encoding);
                assert_eq!(index.offset(text, position, encoding), offset, "{encoding:?}");
            }
        }
        assert_eq!(index.position(text, 9, Encoding::Utf16), Position { line: 1, column: 4 });
    }

    #[test]
    fn a_column_beyond_the_line_is_its_end() {
        let index = LineIndex::new("ab\ncd");
        let beyond = Position { line: 0, column: 99 };
        assert_eq!(index.offset("ab\ncd", beyond, Encoding::Utf8), 2);
    }
}
