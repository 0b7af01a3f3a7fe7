//! What the editor has said and nobody has answered yet.

use crate::project::Known;
use crate::requests;
use crossbeam_channel::Receiver;
use lsp_server::{Message, Request, RequestId};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Messages in their order.
pub(crate) struct Inbox {
    pub(crate) receiver: Receiver<Message>,
    waiting: Mutex<Waiting>,
}

/// What was received.
struct Waiting {
    messages: VecDeque<Message>,
    /// How much the most modest of them needs.
    needs: Known,
}

impl Inbox {
    pub(crate) fn new(receiver: Receiver<Message>) -> Self {
        let waiting = Waiting { messages: VecDeque::new(), needs: Known::All };
        Self { receiver, waiting: Mutex::new(waiting) }
    }

    /// The next message, where there is one; what is cancelled by now is left out, and given to `cancelled`.
    pub(crate) fn next(&self, cancelled: impl FnMut(Request)) -> Option<Message> {
        let mut waiting = self.gathered();
        waiting.cancel(cancelled);
        let next = waiting.messages.pop_front();
        waiting.needs = waiting.messages.iter().map(needs).min().unwrap_or(Known::All);
        next
    }

    /// Puts a message behind those that wait.
    pub(crate) fn put(&self, message: Message) {
        self.waiting().put(message);
    }

    /// Whether something waits that was received already.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting().messages.is_empty()
    }

    /// How much what waits needs to be known, at least: nothing where it changes what there is to know, all where nothing waits.
    pub(crate) fn needs(&self) -> Known {
        match self.receiver.is_empty() {
            true => self.waiting().needs,
            false => self.gathered().needs,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits, with all that has come.
    fn gathered(&self) -> MutexGuard<'_, Waiting> {
        let mut waiting = self.waiting();
        self.receiver.try_iter().for_each(|message| waiting.put(message));
        waiting
    }
}

impl Waiting {
    fn put(&mut self, message: Message) {
        self.needs = self.needs.min(needs(&message));
        self.messages.push_back(message);
    }

    /// A request that is not answered yet need not be.
    fn cancel(&mut self, mut cancelled: impl FnMut(Request)) {
        while let Some(at) = self.messages.iter().position(is_cancel) {
            let Some(id) = self.messages.remove(at).as_ref().and_then(cancelled_id) else {
                continue;
            };
            let is_it = |it: &Message| matches!(it, Message::Request(request) if request.id == id);
            let Some(at) = self.messages.iter().position(is_it) else { continue };
            if let Some(Message::Request(request)) = self.messages.remove(at) {
                cancelled(request);
            }
        }
    }
}

/// How much has to be known for a message.
fn needs(message: &Message) -> Known {
    match message {
        Message::Request(request) => requests::needs(&request.method),
        Message::Notification(note) if note.method.starts_with("$/") => Known::All,
        Message::Notification(_) => Known::Nothing,
        Message::Response(_) => Known::All,
    }
}

fn is_cancel(message: &Message) -> bool {
    matches!(message, Message::Notification(note) if note.method == "$/cancelRequest")
}

/// The request that a message cancels; nothing where nobody can read its id.
fn cancelled_id(message: &Message) -> Option<RequestId> {
    let Message::Notification(note) = message else { return None };
    serde_json::from_value(note.params.get("id")?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use lsp_server::Notification;
    use serde_json::json;

    fn request(id: i32, method: &str) -> Message {
        Message::Request(Request::new(id.into(), method.to_owned(), json!({})))
    }

    fn note(method: &str, params: serde_json::Value) -> Message {
        Message::Notification(Notification::new(method.to_owned(), params))
    }

    #[test]
    fn the_most_modest_of_what_waits_says_how_much_is_needed() {
        let (sender, receiver) = unbounded();
        let inbox = Inbox::new(receiver);
        assert_eq!(inbox.needs(), Known::All, "nothing waits");
        let mut told = Vec::new();
        for message in [
            request(1, "textDocument/codeAction"),
            request(2, "textDocument/inlayHint"),
            request(3, "textDocument/completion"),
            note("textDocument/didChange", json!({})),
        ] {
            sender.send(message).unwrap();
            told.push(inbox.needs());
        }
        assert_eq!(told, [Known::All, Known::Values, Known::Names, Known::Nothing]);
        let mut left = Vec::new();
        while inbox.next(|_| {}).is_some() {
            left.push(inbox.needs());
        }
        assert_eq!(left, [Known::Nothing, Known::Nothing, Known::Nothing, Known::All]);
    }

    #[test]
    fn what_is_cancelled_is_given_back() {
        let (sender, receiver) = unbounded();
        let inbox = Inbox::new(receiver);
        sender.send(request(1, "textDocument/hover")).unwrap();
        sender.send(request(2, "textDocument/hover")).unwrap();
        sender.send(note("$/cancelRequest", json!({ "id": {} }))).unwrap();
        sender.send(note("$/cancelRequest", json!({ "id": 1 }))).unwrap();
        let mut cancelled = Vec::new();
        let next = inbox.next(|request| cancelled.push(request.id));
        assert_eq!(cancelled, [RequestId::from(1)]);
        assert!(matches!(next, Some(Message::Request(it)) if it.id == RequestId::from(2)));
        assert!(inbox.next(|_| {}).is_none());
    }
}
