//! The binary: hands the process's arguments, streams and folder to the library, and nothing more.

use slipform::{Console, ExitStatus};
use std::process::ExitCode;

/// A compilation is many small values that live and die together; this allocator takes a quarter off the time of a fleet.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr());
    let mut console = Console::of_process(&mut out, &mut err);
    let status = match std::env::current_dir() {
        Ok(folder) => slipform::run(std::env::args_os(), &mut console, &folder),
        Err(error) => {
            console.note(&format!("error: the current folder cannot be read: {error}\n"));
            ExitStatus::Unusable
        }
    };
    let status = if console.flush().is_err() { ExitStatus::Unusable } else { status };
    ExitCode::from(status.code())
}
