//! Messages over standard input and output.
//!
//! Whoever started the server may hold the lock of the standard output, so a handle of its own is written to.

use crate::frames::{self, Frame};
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, Message};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The threads that read and write.
pub(crate) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until everything is written. The reader ended with the goodbye, or waits for what nobody will send.
    pub(crate) fn join(self) -> Result<(), String> {
        let read = if self.reader.is_finished() { ended(self.reader) } else { Ok(()) };
        ended(self.writer).and(read)
    }
}

fn ended(thread: JoinHandle<io::Result<()>>) -> Result<(), String> {
    match thread.join() {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("a thread that passes messages on failed".to_owned()),
    }
}

/// A connection over the standard streams. Messages that wait are kept, so that the loop sees all of them.
pub(crate) fn stdio() -> Result<(Connection, Threads), String> {
    let (to_server, receiver) = unbounded();
    let (sender, to_editor) = unbounded();
    let out = BufWriter::new(output().map_err(|error| error.to_string())?);
    let out = Arc::new(Mutex::new(out));
    let answers = out.clone();
    let spawn = |name: &str, run: Box<dyn FnOnce() -> io::Result<()> + Send>| {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(run)
            .map_err(|error| error.to_string())
    };
    let writer = spawn("editor-writer", Box::new(move || write(&to_editor, &out)))?;
    let reader = spawn("editor-reader", Box::new(move || read(&to_server, &answers)))?;
    Ok((Connection { sender, receiver }, Threads { reader, writer }))
}

/// What both threads write to, a message at a time.
type Output = Mutex<BufWriter<File>>;

fn read(to_server: &Sender<Message>, answers: &Output) -> io::Result<()> {
    let mut input = io::stdin().lock();
    while let Some(frame) = frames::next(&mut input)? {
        let message = match frame {
            Frame::Message(message) => message,
            Frame::Unreadable { id, code, why } => {
                refuse(answers, &id, code, &why)?;
                continue;
            }
        };
        let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
        if to_server.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Answers what is no message: nobody else can, since a request of the editor's has another form of name than none.
fn refuse(answers: &Output, id: &Value, code: i32, why: &str) -> io::Result<()> {
    let error = json!({ "code": code, "message": why });
    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
    let mut out = answers.lock().unwrap_or_else(PoisonError::into_inner);
    write!(out, "Content-Length: {}\r\n\r\n{answer}", answer.len())?;
    out.flush()
}

fn write(to_editor: &Receiver<Message>, out: &Output) -> io::Result<()> {
    to_editor.iter().try_for_each(|message| {
        message.write(&mut *out.lock().unwrap_or_else(PoisonError::into_inner))
    })
}

#[cfg(unix)]
fn output() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn output() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}
