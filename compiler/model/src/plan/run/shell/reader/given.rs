//! Texts that stand in a text: what is put in, and what is given to commands behind `<<`.

use super::super::Values;
use super::super::lists::ends_with_command;
use super::Reader;
use std::collections::VecDeque;

/// What is to end a text that is given to a command, and the line that it does not end at, though it almost stands there: what is behind
/// that is a part of the text.
pub(in super::super::super) fn swallowed(text: &str) -> Option<(String, String)> {
    Reader::read(text, &Values::new()).swallowed
}

/// The texts in a text that are given to its commands: `cat > /tmp/ds.json <<EOF`.
pub(in super::super::super) fn documents(text: &str) -> Vec<String> {
    Reader::read(text, &Values::new()).documents
}

/// Whether a line is what ends a text, with something around it that makes it a line like any other.
fn is_almost(line: &str, end: &str) -> bool {
    let bare = line.trim().trim_matches(['"', '\'']);
    let joined =
        bare.strip_prefix(end).is_some_and(|it| it.trim_start().starts_with([';', '&', '|']));
    bare.eq_ignore_ascii_case(end) || joined
}

impl Reader<'_> {
    /// What stands up to the bracket that closes the next one, without the texts in it that are given to its commands. Inside of double quotes
    /// a single one is a letter of what a variable is put in for.
    pub(super) fn inside(&mut self, open: char, close: char, quoted: bool) -> String {
        let (mut depth, mut inside, mut quote) = (0_usize, String::new(), None);
        let mut texts = VecDeque::new();
        // how deep each `case` stands: behind its patterns are brackets that close nothing
        let mut cases = Vec::new();
        while let Some(c) = self.rest.next() {
            if open == '(' && quote.is_none() && (c.is_whitespace() || ";)".contains(c)) {
                if ends_with_command(&inside, "case") {
                    cases.push(depth);
                } else if ends_with_command(&inside, "esac") {
                    cases.pop();
                }
            }
            match (c, quote) {
                ('\\', None | Some('"')) => {
                    inside.push(c);
                    inside.extend(self.rest.next());
                    continue;
                }
                (_, Some(by)) => quote = Some(by).filter(|by| *by != c),
                ('"', _) => quote = Some(c),
                ('\'', _) if open == '(' || !quoted && self.rest.clone().any(|c| c == '\'') => {
                    quote = Some(c);
                }
                ('#', _) if open == '(' && inside.ends_with(char::is_whitespace) => {
                    while self.rest.next_if(|c| *c != '\n').is_some() {}
                }
                ('<', _) if open == '(' && inside.ends_with('<') && depth == 1 => {
                    texts.extend(self.text_behind());
                }
                ('\n', _) => self.skip(&mut texts),
                _ if c == open => depth += 1,
                (')', _) if cases.last() == Some(&depth) => {}
                _ if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            if depth > 1 || c != open || quote.is_some() {
                inside.push(c);
            }
        }
        inside
    }

    /// What ends the text behind `<<`: nothing where that is `<<<`, whose text is its next word.
    fn text_behind(&mut self) -> Option<(String, bool)> {
        match self.rest.next_if_eq(&'<') {
            Some(_) => None,
            None => self.delimiter(),
        }
    }

    /// What ends a text, behind `<<`: nothing where no word stands there.
    pub(super) fn delimiter(&mut self) -> Option<(String, bool)> {
        let tabs = self.rest.next_if_eq(&'-').is_some();
        while self.rest.next_if(|c| *c == ' ' || *c == '\t').is_some() {}
        let (mut word, mut quote) = (String::new(), None);
        let ends = |c: &char| c.is_whitespace() || ";&|<>()".contains(*c);
        while let Some(c) = self.rest.next_if(|c| *c != '\n' && (quote.is_some() || !ends(c))) {
            match (c, quote) {
                ('\'' | '"', None) => quote = Some(c),
                (_, Some(by)) if by == c => quote = None,
                ('\\', None) => {}
                _ => word.push(c),
            }
        }
        Some((word, tabs)).filter(|(word, _)| !word.is_empty())
    }

    /// Skips the lines of the texts that begin here.
    fn skip(&mut self, texts: &mut VecDeque<(String, bool)>) {
        while let Some((end, tabs)) = texts.pop_front() {
            let (mut meant, mut document) = (None, String::new());
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|c| *c != '\n').collect();
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == end {
                    meant = None;
                    break;
                }
                let almost = is_almost(line, &end);
                // nothing is lost where nothing stands behind it
                if almost && self.rest.clone().any(|c| !c.is_whitespace()) {
                    meant = meant.or(Some((end.clone(), line.to_owned())));
                }
                document.push_str(line);
                document.push('\n');
            }
            self.documents.push(document);
            self.swallowed = self.swallowed.take().or(meant);
        }
    }

    pub(super) fn skip_texts(&mut self) {
        let mut texts = std::mem::take(&mut self.texts);
        self.skip(&mut texts);
    }
}
