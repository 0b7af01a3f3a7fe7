//! The two streams of a command, and whether they show colour. The only place that writes to them.

use std::io::{self, IsTerminal, Write};

/// Where a command writes.
pub struct Console<'w> {
    out: &'w mut dyn Write,
    err: &'w mut dyn Write,
    /// Results may be coloured.
    pub colour_out: bool,
    /// Diagnostics may be coloured.
    pub colour_err: bool,
    failed: Option<io::Error>,
}

impl<'w> Console<'w> {
    /// Streams without colour.
    pub fn new(out: &'w mut dyn Write, err: &'w mut dyn Write) -> Self {
        Self { out, err, colour_out: false, colour_err: false, failed: None }
    }

    /// The streams of this process; colour follows the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    pub fn of_process(out: &'w mut dyn Write, err: &'w mut dyn Write) -> Self {
        let colour = |terminal: bool| {
            let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let forced = std::env::var_os("CLICOLOR_FORCE")
                .is_some_and(|value| !value.is_empty() && value != "0");
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            !is_set("NO_COLOR") && (forced || (terminal && !dumb))
        };
        let colour_out = colour(io::stdout().is_terminal());
        let colour_err = colour(io::stderr().is_terminal());
        Self { colour_out, colour_err, ..Self::new(out, err) }
    }

    /// Writes a result.
    pub fn print(&mut self, text: &str) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(text.as_bytes())
        {
            self.failed = Some(error);
        }
    }

    /// Writes progress or a diagnostic, behind all results so far. If nobody can read it there is nobody to tell.
    pub fn note(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Writes out what is kept back.
    ///
    /// # Errors
    /// A result that could not be written, except to a reader that went away.
    pub fn flush(&mut self) -> io::Result<()> {
        let _ = self.err.flush();
        let failed = match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        };
        match failed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.note(&format!("error: the output cannot be written: {error}\n"));
                Err(error)
            }
            _ => Ok(()),
        }
    }
}
