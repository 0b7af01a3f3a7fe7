//! What the server asks of the editor, and of who sits there.

use super::Server;
use crate::requests::commands::{self, Choice, Choices};
use gen_lsp_types as lsp;
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::json;

impl Server {
    /// Asks the editor for something.
    pub(crate) fn ask(&self, method: &str, params: serde_json::Value) {
        let message = Request::new(self.next_id(), method.to_owned(), params);
        self.board.send(Message::Request(message));
    }

    /// Asks the user which of several things is meant.
    pub(crate) fn question(&self, text: &str, choices: Choices) {
        let id = self.next_id();
        self.board.send(commands::question(id.clone(), text, &choices));
        self.questions.borrow_mut().insert(id.to_string(), choices);
    }

    fn next_id(&self) -> RequestId {
        self.asked.set(self.asked.get() + 1);
        RequestId::from(format!("ask-{}", self.asked.get()))
    }

    /// The user has chosen, or does not want to.
    pub(super) fn answered(&mut self, response: &Response) {
        let choices = self.questions.borrow_mut().remove(&response.id.to_string());
        let title = response.response_result.as_ref().ok().and_then(|it| it["title"].as_str());
        let choice = choices.zip(title).and_then(|(choices, title)| {
            choices.into_iter().find(|(it, _)| it == title).map(|(_, choice)| choice)
        });
        match choice {
            Some(Choice::Environment(name)) => {
                self.settings.choose(&json!({ "environment": name }));
                self.look_again();
                self.outdated(None);
            }
            Some(choice) => {
                let Err(why) = commands::carry_out(self, &choice) else { return };
                let params = json!({ "type": lsp::MessageType::Warning, "message": why });
                let note = Notification::new("window/showMessage".to_owned(), params);
                self.board.send(Message::Notification(note));
            }
            None => {}
        }
    }
}
