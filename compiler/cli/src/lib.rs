//! The command line: arguments in, an exit status out. Sources are read and artifacts written here and nowhere else.
//!
//! [`run`] is the whole program over given streams and a given folder, so that tests drive it in process. Results go
//! to the console's output; progress and diagnostics go to its error stream. What a blueprint means is decided in
//! the crates below.

mod args;
mod atomic;
mod blueprint;
mod build;
mod catalog;
mod check;
mod console;
mod explain;
mod fmt;
mod folder;
mod git;
mod graph;
mod init;
mod lock;
mod manifest;
mod plan;
mod report;
mod shells;
mod stop;
mod test;
mod trial;
mod watch;
mod world;

pub use console::Console;
pub use init::TEMPLATES;
pub use manifest::MANIFEST;
pub use stop::ExitStatus;

use args::{Cli, Command, MessageFormat, ResultFormat};
use clap::Parser;
use slipform_lsp::Goodbye;
use std::ffi::OsString;
use std::path::Path;
use stop::Stop;

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_LSP = "usage/lsp":
        "the connection to the editor broke",
        "see the editor's log";
    USAGE_FORMAT = "usage/format":
        "the command does not write this format",
        "take one that it writes: problems of blueprints have the formats of `check`, changes those of `plan`";
}

/// What every command is given.
struct Context<'c, 'w> {
    console: &'c mut Console<'w>,
    /// The folder that relative paths start from.
    folder: &'c Path,
    /// How diagnostics are written.
    format: MessageFormat,
    /// How results are written.
    results: ResultFormat,
    /// What blueprints were read of.
    asked: world::Asked,
}

impl Context<'_, '_> {
    /// Writes the result of a command that also reports: beside a document, which is all that its readers want.
    fn result(&mut self, text: &str) {
        match self.format.is_parsed_whole() {
            true => self.console.note(text),
            false => self.console.print(text),
        }
    }
}

/// Runs one command line, the program's name first. Relative paths start from `folder`.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    console: &mut Console<'_>,
    folder: &Path,
) -> ExitStatus {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return refused(&error, console),
    };
    let format = cli.command.format().unwrap_or(cli.message_format);
    let (results, asked) = (format.of_results(), world::Asked::default());
    let mut context = Context { console, folder, format, results, asked };
    let fits = fits(&cli.command, format);
    if fits.is_err() {
        // nobody reads a document that says that there is none
        context.format = MessageFormat::Human;
    }
    match fits.and_then(|()| dispatch(cli.command, &mut context)) {
        Ok(status) => status,
        Err(Stop(problems)) => {
            report::plain(context.console, context.format, &problems);
            ExitStatus::Unusable
        }
    }
}

/// Refuses a format that a command does not write.
fn fits(command: &Command, format: MessageFormat) -> Result<(), Stop> {
    let name = format.name();
    match (command, format) {
        (Command::Plan(_), _) if format.of_changes().is_none() => {
            let why = format!("`plan` tells changes, and `{name}` is a format of problems alone");
            let help = format!(
                "use `human`, `markdown`, `json` or `github`; `slipform check --message-format {name}` writes the problems"
            );
            Err(Stop::new(USAGE_FORMAT, why).help(help))
        }
        (_, MessageFormat::Markdown) if !command.tells_changes() => {
            let why = format!("`{name}` is a format of changes, which this command does not tell");
            let help = "`slipform plan` and `slipform catalog diff` write it";
            Err(Stop::new(USAGE_FORMAT, why).help(help))
        }
        _ => Ok(()),
    }
}

fn dispatch(command: Command, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    match command {
        Command::Check(args) => check::run(&args, context),
        Command::Build(args) => build::run(&args, context),
        Command::Plan(args) => plan::run(&args, context),
        Command::Test(args) => test::run(&args, context),
        Command::Init(args) => init::run(&args, context),
        Command::Fmt(args) => fmt::run(&args, context),
        Command::Graph(args) => graph::run(&args, context),
        Command::Explain(args) => explain::run(&args, context),
        Command::Catalog(args) => catalog::run(&args, context),
        Command::Lock(args) => lock::run(&args, context),
        Command::Completions(args) => shells::completions(&args, context),
        Command::Man => shells::man(context),
        Command::Lsp => serve(),
    }
}

/// The language server, until the editor says goodbye. It lives for as long as the editor does, and most of what it allocates is gone after
/// a key: of pages of two megabytes too many would be held for the little in each that stays.
fn serve() -> Result<ExitStatus, Stop> {
    #[cfg(target_os = "linux")]
    // without it the server takes a third more memory, and answers the same
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    match slipform_lsp::run_stdio() {
        Ok(Goodbye::Said) => Ok(ExitStatus::Clean),
        Ok(Goodbye::Unsaid) => Ok(ExitStatus::Errors),
        Err(why) => Err(Stop::new(USAGE_LSP, format!("the language server stopped: {why}"))),
    }
}

/// The compiler, the editions that it reads, and the day of its facts.
fn version() -> String {
    format!(
        "slipform {}\nedition {}\ncatalog {}\n",
        env!("CARGO_PKG_VERSION"),
        slipform_analysis::EDITIONS.join(", "),
        slipform_model::catalog::Catalog::builtin().version()
    )
}

/// Help and version are results; anything else that the arguments give is a wrong use.
fn refused(error: &clap::Error, console: &mut Console<'_>) -> ExitStatus {
    if error.kind() == clap::error::ErrorKind::DisplayVersion {
        console.print(&version());
        return ExitStatus::Clean;
    }
    let text = error.render();
    if error.use_stderr() {
        let text = if console.colour_err { text.ansi().to_string() } else { text.to_string() };
        console.note(&text);
        return ExitStatus::Unusable;
    }
    let text = if console.colour_out { text.ansi().to_string() } else { text.to_string() };
    console.print(&text);
    ExitStatus::Clean
}
