//! What an editor may ask when, of which part, and what its links lead to.

use super::{MAIN, document, edited, opened, within};
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use slipform_lsp::Goodbye;

fn ask(connection: &Connection, id: i32, method: &str, params: Value) {
    let request = Request::new(id.into(), method.to_owned(), params);
    connection.sender.send(request.into()).unwrap();
}

fn tell(connection: &Connection, method: &str, params: Value) {
    connection.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
}

/// The next answer, and the methods of what the server asked or told before it.
fn answer(connection: &Connection) -> (Result<Value, i32>, Vec<String>) {
    let mut said = Vec::new();
    loop {
        match connection.receiver.recv_timeout(crate::client::PATIENCE).unwrap() {
            Message::Response(it) => return (it.response_result.map_err(|error| error.code), said),
            Message::Request(it) => said.push(it.method),
            Message::Notification(it) => said.push(it.method),
        }
    }
}

#[test]
fn requests_before_the_editor_is_ready_are_answered() {
    let (server, editor) = Connection::memory();
    let server = std::thread::spawn(move || slipform_lsp::run(server, None));
    ask(&editor, 1, "textDocument/hover", json!({}));
    assert_eq!(
        answer(&editor).0,
        Err(-32002),
        "before `initialize` nothing is known of the editor"
    );
    let watches =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let params = json!({ "processId": null, "rootUri": null, "capabilities": watches });
    ask(&editor, 2, "initialize", params.clone());
    assert!(answer(&editor).0.unwrap()["capabilities"].is_object());
    let opened =
        json!({ "uri": MAIN, "languageId": "slipform", "version": 1, "text": "let a = 1\n" });
    tell(&editor, "textDocument/didOpen", json!({ "textDocument": opened }));
    let at = json!({ "line": 0, "character": 4 });
    let hover = json!({ "textDocument": document(), "position": at });
    ask(&editor, 3, "textDocument/hover", hover.clone());
    let (found, said) = answer(&editor);
    assert!(found.unwrap().to_string().contains("a = 1"));
    let asked = |said: &[String]| said.iter().any(|it| it == "client/registerCapability");
    assert!(!asked(&said), "the editor is asked for nothing before it is ready: {said:?}");
    tell(&editor, "initialized", json!({}));
    ask(&editor, 4, "textDocument/hover", hover);
    let (found, said) = answer(&editor);
    assert!(found.is_ok() && asked(&said), "{said:?}");
    ask(&editor, 5, "initialize", params);
    assert_eq!(answer(&editor).0, Err(-32600), "an editor introduces itself once");
    ask(&editor, 6, "shutdown", Value::Null);
    assert!(answer(&editor).0.is_ok());
    tell(&editor, "exit", Value::Null);
    assert_eq!(server.join().unwrap(), Ok(Goodbye::Said));
}

#[test]
fn a_part_of_a_noun_is_laid_out_alone() {
    let text = "network net {\n      region = \"us-east4\"\n      subnet   =   10.0.0.0/20\n      pods = 10.64.0.0/14\n  }\n";
    let (mut editor, text, _) = opened(text);
    let lines = |from: u32, to: u32| json!({ "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 3 } });
    let mut laid_out = |from: u32, to: u32| {
        let params = json!({ "textDocument": document(), "range": lines(from, to) });
        let edits = editor.ask("textDocument/rangeFormatting", params);
        edited(&text, edits.as_array().unwrap())
    };
    let one = text.replace("      subnet   =   10", "  subnet = 10");
    assert_eq!(laid_out(2, 2), one);
    let two = one.replace("      pods =", "  pods   =");
    assert_eq!(laid_out(2, 3), two);
    assert_eq!(laid_out(4, 4), text.replace("  }\n", "}\n"));
}

#[test]
fn names_of_components_lead_to_their_files() {
    let text = "use std.components.{nccl_test, megatron as m}\noutput o = 1\n";
    let (mut editor, text, _) = opened(text);
    let links = editor.ask("textDocument/documentLink", json!({ "textDocument": document() }));
    let links: Vec<(&str, &str)> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (within(&text, &it["range"]), it["target"].as_str().unwrap()))
        .collect();
    assert_eq!(
        links,
        [
            ("nccl_test", "slipform://std/components/nccl_test.bp"),
            ("megatron", "slipform://std/components/megatron.bp"),
        ]
    );
}
