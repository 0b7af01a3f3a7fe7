//! The language server: protocol only. What an editor is told is worked out by `slipform_analysis::ide`.
//!
//! One loop, one thread for answers: notifications change the open documents, and the blueprint is analysed when
//! nothing else waits, so a burst of keystrokes costs one analysis. Answers always hold for the newest text. What the
//! targets cannot express is worked out beside the loop where a blueprint is large.
//!
//! Files of the standard library have URIs of the scheme `slipform`: `slipform://std/kinds/cluster.bp`. Editors ask for
//! their text with `workspace/textDocumentContent` (LSP 3.18), or with the request `slipform/source`, whose parameter
//! is `{ "uri": "slipform://std/..." }` and whose result is `{ "text": "..." }`. An editor that does not say that it opens
//! such documents is led to copies of them in the user's cache folder. In the same way they get what a code means,
//! `slipform://explain/names/unknown`, to which reports lead in editors that say they ask for such texts.
//!
//! `initializationOptions` may name an `environment` and give parameters: `{ "environment": "prod", "set": { "nodes":
//! "16" } }`.

mod asking;
mod board;
mod convert;
mod copies;
mod documents;
mod early;
mod elsewhere;
mod files;
mod frames;
mod inbox;
mod pages;
mod project;
mod render;
mod requests;
mod server;
mod settings;
mod tested;
mod transport;
mod workspace;

use camino::Utf8PathBuf;
use lsp_server::{Connection, Message, Response};

/// How an editor left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goodbye {
    /// It asked for the end (`shutdown`), or is gone itself.
    Said,
    /// It sent `exit` alone, for which the protocol wants the status 1.
    Unsaid,
}

/// Serves an editor on standard input and output until it says goodbye.
///
/// # Errors
/// The streams failed, or the editor did not keep to the protocol.
pub fn run_stdio() -> Result<Goodbye, String> {
    let (connection, threads) = transport::stdio()?;
    let served = run(connection, copies::usual());
    let ended = threads.join();
    let goodbye = served?;
    ended.map(|()| goodbye)
}

/// Serves the other end of a connection until it says goodbye. An editor that does not say that it opens documents whose text the server
/// alone has is led to files of the library that are written to a folder, `copies`, where there is one.
///
/// # Errors
/// The connection broke, or the client did not keep to the protocol.
pub fn run(connection: Connection, copies: Option<Utf8PathBuf>) -> Result<Goodbye, String> {
    let (id, params) = connection.initialize_start().map_err(|error| error.to_string())?;
    let settings = settings::Settings::of(&params);
    let result = serde_json::json!({
        "capabilities": settings.capabilities(),
        "serverInfo": { "name": "slipform", "version": env!("CARGO_PKG_VERSION") },
    });
    let answer = Response::new_ok(id, result);
    connection.sender.send(Message::Response(answer)).map_err(|error| error.to_string())?;
    Ok(server::Server::new(&connection, settings, copies).serve())
}
