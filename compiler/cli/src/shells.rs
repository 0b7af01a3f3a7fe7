//! What shells and `man` want to know of the command line.

use crate::Context;
use crate::args::{Cli, CompletionsArgs};
use crate::stop::{ExitStatus, Stop};
use clap::CommandFactory;

/// A script that completes the words of this command.
#[expect(clippy::unnecessary_wraps, reason = "as all commands end")]
pub(crate) fn completions(
    args: &CompletionsArgs,
    context: &mut Context<'_, '_>,
) -> Result<ExitStatus, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "slipform", &mut script);
    context.console.print(&String::from_utf8_lossy(&script));
    Ok(ExitStatus::Clean)
}

/// The manual page: the command, and behind it each of its own.
#[expect(clippy::unnecessary_wraps, reason = "as all commands end")]
pub(crate) fn man(context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    // what is written into memory is written
    let _ = clap_mangen::Man::new(command.clone()).render(&mut page);
    for inner in command.get_subcommands().filter(|it| it.get_name() != "help") {
        let _ = clap_mangen::Man::new(inner.clone()).render(&mut page);
    }
    context.console.print(&String::from_utf8_lossy(&page));
    Ok(ExitStatus::Clean)
}
