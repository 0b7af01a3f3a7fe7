//! Rows: the lines of a block before they are aligned with their neighbours.

/// A line, or several that belong together, of a block.
pub(super) struct Row {
    indent: usize,
    /// An empty line stands in front.
    blank: bool,
    /// What is padded to the widest of the neighbours, from the left.
    cells: Vec<String>,
    /// The rest of the line; further lines carry their own indentation.
    text: String,
    /// The comment at the end of the last line.
    comment: Option<String>,
    /// Rows align with neighbours of the same sort only.
    sort: Sort,
}

/// Which neighbours a row aligns with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// With none.
    Plain,
    /// `name = value`: with neighbours while each is one line.
    Assigned,
    /// A line of a rule: the first words align, however long the rest is.
    Clause,
}

impl Row {
    pub(super) fn new(indent: usize, text: impl Into<String>) -> Self {
        Self {
            indent,
            blank: false,
            cells: Vec::new(),
            text: text.into(),
            comment: None,
            sort: Sort::Plain,
        }
    }

    pub(super) fn blank(self, blank: bool) -> Self {
        Self { blank, ..self }
    }

    pub(super) fn cells(self, sort: Sort, cells: Vec<String>) -> Self {
        Self { sort, cells, ..self }
    }

    pub(super) fn comment(self, comment: Option<String>) -> Self {
        Self { comment, ..self }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn set_blank(&mut self, blank: bool) {
        self.blank = blank;
    }

    pub(super) fn set_comment(&mut self, comment: Option<String>) {
        self.comment = comment;
    }

    fn is_one_line(&self) -> bool {
        !self.text.contains('\n')
    }

    /// Whether this row and the one below it share their columns.
    fn aligns_with(&self, below: &Row) -> bool {
        let alike = self.sort == below.sort && self.indent == below.indent && !below.blank;
        match self.sort {
            Sort::Plain => false,
            Sort::Assigned => alike && self.is_one_line() && below.is_one_line(),
            Sort::Clause => alike,
        }
    }

    fn comment_aligns_with(&self, below: &Row) -> bool {
        self.indent == below.indent
            && !below.blank
            && self.ends_with_comment()
            && below.ends_with_comment()
    }

    /// Whether this is one line that ends with a comment and is no edge of a block.
    fn ends_with_comment(&self) -> bool {
        self.comment.is_some()
            && self.is_one_line()
            && !self.text.ends_with('{')
            && !self.text.starts_with('}')
    }
}

/// The rows as text, each ended by a newline.
pub(super) fn render(mut rows: Vec<Row>) -> String {
    each_run(&mut rows, Row::aligns_with, pad_cells);
    for row in &mut rows {
        let cells: String = row.cells.drain(..).map(|cell| cell + " ").collect();
        row.text.insert_str(0, &cells);
    }
    each_run(&mut rows, Row::comment_aligns_with, pad_comments);
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        if row.blank && index > 0 {
            out.push('\n');
        }
        out.extend(std::iter::repeat_n(' ', row.indent));
        out.push_str(&row.text);
        if let Some(comment) = &row.comment {
            if !row.text.is_empty() {
                out.push_str("  ");
            }
            out.push_str(comment);
        }
        out.push('\n');
    }
    out
}

/// Calls `on` with each longest run of rows that hang together.
fn each_run(rows: &mut [Row], together: impl Fn(&Row, &Row) -> bool, on: impl Fn(&mut [Row])) {
    let mut rest = rows;
    while !rest.is_empty() {
        let links = rest.iter().zip(rest.iter().skip(1));
        let len = 1 + links.take_while(|(above, below)| together(above, below)).count();
        let Some((run, behind)) = rest.split_at_mut_checked(len) else { return };
        on(run);
        rest = behind;
    }
}

/// Pads the first cells of all rows, then the second cells of the rows with equal first cells that follow each other.
fn pad_cells(run: &mut [Row]) {
    pad_column(run, 0);
    let same = |above: &Row, below: &Row| above.cells.first() == below.cells.first();
    each_run(run, same, |rows| pad_column(rows, 1));
}

fn pad_column(run: &mut [Row], column: usize) {
    let widest = run
        .iter()
        .filter_map(|row| row.cells.get(column))
        .map(|cell| width(cell))
        .max()
        .unwrap_or(0);
    for cell in run.iter_mut().filter_map(|row| row.cells.get_mut(column)) {
        let missing = widest - width(cell);
        cell.extend(std::iter::repeat_n(' ', missing));
    }
}

fn pad_comments(run: &mut [Row]) {
    let widest = run.iter().map(|row| width(&row.text)).max().unwrap_or(0);
    if run.len() < 2 {
        return;
    }
    for row in run {
        let missing = widest - width(&row.text);
        row.text.extend(std::iter::repeat_n(' ', missing));
    }
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The column behind a text that starts in `column`.
pub(super) fn column_behind(text: &str, column: usize) -> usize {
    match text.rsplit_once('\n') {
        Some((_, last)) => width(last),
        None => column + width(text),
    }
}
