//! What a text for a shell writes for DeepSpeed to read: its settings in JSON, in a text of their own (`cat > ds.json <<EOF`) or as the value of
//! an option. They are read as options with the names of what they stand in: `fp16.enabled`.

use super::said::Said;
use super::shell::{commands, documents};
use std::iter::Peekable;
use std::str::Chars;

/// What these settings are called among programs.
const PROGRAM: &str = "ds_config";

/// Settings that DeepSpeed alone has.
const MARKS: [&str; 3] =
    ["train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization.stage"];

/// The settings in a text, and in the values of options.
pub(super) fn configured(text: Option<&str>, options: &[Said]) -> Vec<Said> {
    let texts = text.map(written).unwrap_or_default().into_iter();
    let values = options.iter().filter_map(|it| it.value.clone());
    let all: Vec<String> = texts.chain(values).filter(|it| it.trim().starts_with('{')).collect();
    let known =
        |it: &Vec<(String, String)>| it.iter().any(|(name, _)| MARKS.contains(&name.as_str()));
    let mut read = all.iter().filter_map(|it| settings(it)).filter(known);
    // of several only their reader knows which one holds
    let (Some(one), None) = (read.next(), read.next()) else { return Vec::new() };
    let said = |(option, value): (String, String)| Said {
        program: PROGRAM.to_owned(),
        option,
        value: Some(value),
        means: None,
    };
    one.into_iter().map(said).collect()
}

/// The texts that a text writes to files: `cat > ds.json <<EOF`, `echo '{...}' > ds.json`.
fn written(text: &str) -> Vec<String> {
    let lines = commands(text).into_iter().filter(|it| {
        let first = it.words.first().and_then(|it| it.as_deref());
        matches!(first, Some("echo" | "printf")) && !it.written.is_empty()
    });
    let shown = lines.flat_map(|it| it.words.into_iter().flatten());
    documents(text).into_iter().chain(shown).collect()
}

/// The settings of an object, where all of it is one.
fn settings(text: &str) -> Option<Vec<(String, String)>> {
    let mut reader = Reader { rest: text.trim().chars().peekable(), found: Vec::new() };
    reader.value("", DEEPEST)?;
    reader.blank();
    reader.rest.peek().is_none().then_some(reader.found)
}

/// Objects in objects that are read.
const DEEPEST: usize = 8;

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    found: Vec<(String, String)>,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.blank();
        self.rest.next_if_eq(&sign).map(|_| ())
    }

    fn value(&mut self, name: &str, depth: usize) -> Option<()> {
        self.blank();
        match self.rest.peek()? {
            '{' => self.object(name, depth.checked_sub(1)?),
            '[' => self.list(depth.checked_sub(1)?),
            '"' => {
                let text = self.text()?;
                self.put(name, text)
            }
            _ => {
                let mut word = String::new();
                while let Some(c) = self.rest.next_if(|c| c.is_alphanumeric() || "+-.".contains(*c))
                {
                    word.push(c);
                }
                (!word.is_empty()).then(|| self.put(name, word)).flatten()
            }
        }
    }

    fn put(&mut self, name: &str, value: String) -> Option<()> {
        self.found.push((name.to_owned(), value));
        Some(())
    }

    fn object(&mut self, name: &str, depth: usize) -> Option<()> {
        self.sign('{')?;
        if self.sign('}').is_some() {
            return Some(());
        }
        loop {
            self.blank();
            let key = self.text()?;
            let inner = if name.is_empty() { key } else { format!("{name}.{key}") };
            self.sign(':')?;
            self.value(&inner, depth)?;
            if self.sign(',').is_none() {
                return self.sign('}');
            }
        }
    }

    /// What lists hold is no setting of its own.
    fn list(&mut self, depth: usize) -> Option<()> {
        self.sign('[')?;
        if self.sign(']').is_some() {
            return Some(());
        }
        loop {
            let before = self.found.len();
            self.value("", depth)?;
            self.found.truncate(before);
            if self.sign(',').is_none() {
                return self.sign(']');
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        self.sign('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.extend(self.rest.next()),
                c => text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let read = configured(Some(text), &[]).into_iter();
        let shown = read.map(|it| format!("{}={}", it.option, it.value.unwrap_or_default()));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn settings_are_read_where_a_text_writes_them() {
        let text = "cat > /d.json <<'E'\n{\"train_batch_size\": 64, \"fp16\": {\"enabled\": true},\n \"a\": [1, {\"b\": 2}], \"lr\": 1e-4}\nE\ndeepspeed t.py";
        assert_eq!(of(text), "train_batch_size=64 fp16.enabled=true lr=1e-4");
        let text = "echo '{\"train_batch_size\": 64}' > /d.json; deepspeed t.py";
        assert_eq!(of(text), "train_batch_size=64");
        for text in [
            "echo '{\"train_batch_size\": 64}'",
            "cat > /d.json <<E\n{\"a\": 1}\nE",
            "cat > /d.json <<E\n{\"train_batch_size\": $N}\nE",
            "cat > /d.json <<E\n{\"train_batch_size\": 1}\nE\ncat > /e.json <<E\n{\"train_batch_size\": 2}\nE",
            "cat > /d.json <<E\n{\"train_batch_size\": 1\nE",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
