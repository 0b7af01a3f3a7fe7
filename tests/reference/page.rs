//! A page of Markdown while it is made, and what its readers click on.

/// How the pages are made.
pub(crate) const COMMAND: &str = "UPDATE=1 cargo test -p slipform-tests --test reference";

/// A page of the reference.
pub(crate) struct Page {
    /// Below `docs/reference`.
    pub(crate) path: String,
    text: String,
}

impl Page {
    pub(crate) fn new(path: &str, title: &str) -> Self {
        let text =
            format!("<!-- Generated from the standard library: `{COMMAND}` -->\n\n# {title}\n\n");
        Self { path: path.to_owned(), text }
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn heading(&mut self, level: usize, text: &str) {
        self.blank();
        self.line(&format!("{} {text}", "#".repeat(level)));
        self.blank();
    }

    /// Documentation as paragraphs; `Why:` and its like begin one each.
    pub(crate) fn prose(&mut self, doc: &str) {
        self.blank();
        for line in doc.lines() {
            match line.split_once(": ") {
                Some((head @ ("Why" | "Example"), rest)) => {
                    self.blank();
                    self.line(&format!("**{head}:** {rest}"));
                }
                _ => self.line(line),
            }
        }
        self.blank();
    }

    pub(crate) fn code(&mut self, language: &str, text: &str) {
        self.blank();
        self.line(&format!("```{language}\n{}\n```", text.trim_end()));
        self.blank();
    }

    /// A table; nothing for no rows.
    pub(crate) fn table(&mut self, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        self.blank();
        self.line(&format!("| {} |", heads.join(" | ")));
        self.line(&format!("|{}", "---|".repeat(heads.len())));
        for row in rows {
            self.line(&format!("| {} |", row.join(" | ")));
        }
        self.blank();
    }

    /// One empty line, unless there is one.
    pub(crate) fn blank(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(crate) fn text(self) -> String {
        format!("{}\n", self.text.trim_end())
    }
}

/// Code in a cell of a table.
pub(crate) fn cell_code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}

/// Documentation in a cell of a table.
pub(crate) fn cell(doc: Option<&str>) -> String {
    doc.unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// The fragment that a heading is reached by.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// The fragments of a page.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    prose_lines(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

/// The links of a page that stay in the checkout.
pub(crate) fn links(text: &str) -> Vec<String> {
    let plain =
        prose_lines(text).map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`"));
    let links = plain.flat_map(|line| {
        let ends = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        ends.map(|(link, _)| link.to_owned()).collect::<Vec<_>>()
    });
    links.filter(|link| !link.contains("://")).collect()
}

/// The lines outside of code.
fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}
