//! The binary: hands the process's arguments, streams and folder to the library, and nothing more.

use slipform::{Console, ExitStatus};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

/// A compilation is many small values that live and die together; this allocator takes a quarter off the time of a fleet.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is written to a file or a pipe at once: the documents of a fleet are many and small.
const WRITTEN_AT_ONCE: usize = 32 << 10;

fn main() -> ExitCode {
    let (stdout, mut err) = (io::stdout().lock(), io::stderr());
    let mut out: Box<dyn Write> = match stdout.is_terminal() {
        true => Box::new(stdout),
        false => Box::new(BufWriter::with_capacity(WRITTEN_AT_ONCE, stdout)),
    };
    let mut console = Console::of_process(&mut *out, &mut err);
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
