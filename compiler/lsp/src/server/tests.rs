use super::*;

#[test]
fn a_request_waits_for_the_blueprint_of_its_document_alone() {
    let (connection, _editor) = Connection::memory();
    let mut server = Server::new(&connection, Settings::of(&json!({})), None);
    let texts =
        ["one/slipform.toml", "one/main.bp", "two/slipform.toml", "two/main.bp", "alone.bp"];
    for path in texts {
        let document = json!({
            "uri": format!("file:///nowhere/{path}"), "languageId": "slipform", "version": 1, "text": "",
        });
        let params = json!({ "textDocument": document });
        server.notification(Notification::new("textDocument/didOpen".to_owned(), params));
    }
    let mut stale_after = |path: &str| {
        server.refresh(Asking::Request(Known::All, Some(Utf8Path::new(path))));
        let stale = server.blueprints.iter().filter(|(_, it)| it.known != Known::All);
        stale.map(|(root, _)| root.to_string()).collect::<Vec<_>>()
    };
    let others = ["/nowhere/alone.bp", "/nowhere/one"];
    assert_eq!(stale_after("/nowhere/two/main.bp"), others);
    let none: [&str; 0] = [];
    assert_eq!(stale_after("/nowhere/alone.bp"), none, "anybody may use it");
}

#[test]
fn who_asks_for_names_waits_for_no_other_environment() {
    let (connection, _editor) = Connection::memory();
    let mut server = Server::new(&connection, Settings::of(&json!({})), None);
    let project = "[project]\nname = \"two\"\nenvironment = \"dev\"\n[env.dev]\n[env.prod]\n";
    let bucket = "bucket data {\n  location = \"us-east4\"\n}\n";
    for (name, text) in [("slipform.toml", project), ("main.bp", bucket)] {
        let document = json!({
            "uri": format!("file:///nowhere/two/{name}"), "languageId": "slipform", "version": 1, "text": text,
        });
        let params = json!({ "textDocument": document });
        server.notification(Notification::new("textDocument/didOpen".to_owned(), params));
    }
    let main = Utf8Path::new("/nowhere/two/main.bp");
    let mut after = |asking: Asking<'_>| {
        server.refresh(asking);
        let blueprint = &server.blueprints[Utf8Path::new("/nowhere/two")];
        (blueprint.known, blueprint.unasked, server.moved)
    };
    let request = |known| Asking::Request(known, Some(main));
    assert_eq!(after(request(Known::Names)), (Known::Names, false, true));
    assert_eq!(after(request(Known::Values)), (Known::Values, false, true));
    assert_eq!(after(Asking::Reports), (Known::All, false, false));
    assert_eq!(after(Asking::Nobody), (Known::All, false, false));
}
