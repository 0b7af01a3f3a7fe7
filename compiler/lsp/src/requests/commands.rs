//! Commands of lenses for editors that carry out none themselves: the server has them show a document, or asks what is meant.

use super::hints;
use crate::server::Server;
use gen_lsp_types as lsp;
use lsp_server::{Message, Request, RequestId};
use serde::Deserialize;
use serde_json::{Value, json};

/// The commands, by the names that lenses have for them.
pub(crate) const COMMANDS: [&str; 3] =
    ["slipform.showArtifacts", "slipform.showReferences", "slipform.chooseEnvironment"];

#[derive(Deserialize)]
pub(super) struct Command {
    command: String,
    #[serde(default)]
    arguments: Vec<Value>,
}

/// What is done once somebody has chosen one of several.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// A file that is rendered of the blueprint with an address.
    Artifact(lsp::Uri, String),
    /// A place.
    Place(Value),
    /// An environment.
    Environment(String),
}

/// What there is to choose from, each with its title.
pub(crate) type Choices = Vec<(String, Choice)>;

/// Carries out a command: a question where there is a choice, and what comes of it where there is none.
pub(super) fn execute(server: &Server, params: &Command) -> Result<Option<bool>, String> {
    let choices = choices(server, params).ok_or("these are no arguments of it")?;
    let question = match params.command.as_str() {
        "slipform.showArtifacts" => "What is to be shown?",
        "slipform.showReferences" => "Where to?",
        "slipform.chooseEnvironment" => "Which environment are blueprints checked for?",
        other => return Err(format!("`{other}` is none of the commands")),
    };
    let is_environment = matches!(choices.first(), Some((_, Choice::Environment(_))));
    match choices.as_slice() {
        [] => Err("there is nothing to be shown".to_owned()),
        [(_, only)] if !is_environment => carry_out(server, only).map(|()| Some(true)),
        _ => {
            server.question(question, choices);
            Ok(Some(true))
        }
    }
}

/// What there is to choose from, each with its title.
fn choices(server: &Server, params: &Command) -> Option<Choices> {
    let list = |at: usize| params.arguments.get(at).and_then(Value::as_array);
    Some(match params.command.as_str() {
        "slipform.showArtifacts" => {
            let uri = lsp::Uri::parse(params.arguments.first()?.as_str()?).ok()?;
            let paths = list(2)?.iter().filter_map(Value::as_str);
            let choice = |it: &str| (it.to_owned(), Choice::Artifact(uri.clone(), it.to_owned()));
            paths.map(choice).collect()
        }
        "slipform.showReferences" => {
            let title = |place: &Value| {
                let file = place["uri"].as_str()?.rsplit('/').next()?.to_owned();
                let line = place.pointer("/range/start/line")?.as_u64()? + 1;
                Some((format!("{file}:{line}"), Choice::Place(place.clone())))
            };
            list(2)?.iter().filter_map(title).collect()
        }
        _ => {
            let said = list(0).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
            let mut names: Vec<String> = said.collect();
            if params.arguments.is_empty() {
                let projects = server.analyses().filter_map(|it| it.project.clone());
                names.extend(projects.flat_map(|project| project.environments.clone()));
                names.sort_unstable();
                names.dedup();
            }
            names.into_iter().map(|it| (it.clone(), Choice::Environment(it))).collect()
        }
    })
}

/// Shows a document; what is rendered lies in the folder of copies then.
pub(crate) fn carry_out(server: &Server, choice: &Choice) -> Result<(), String> {
    let (uri, selection) = match choice {
        Choice::Environment(_) => return Ok(()),
        Choice::Place(place) => (place["uri"].clone(), Some(&place["range"])),
        Choice::Artifact(blueprint, path) => {
            let text = hints::artifact_text(server, blueprint, path);
            let text = text.ok_or("the blueprint has errors: nothing is rendered of it")?;
            let uri = server.documents.rendered(path, &text).ok_or("no file could be written")?;
            (json!(uri), None)
        }
    };
    if !server.settings.shows {
        return Err(format!("the editor does not say that it shows documents: {uri}"));
    }
    let params = match selection {
        Some(range) => json!({ "uri": uri, "takeFocus": true, "selection": range }),
        None => json!({ "uri": uri, "takeFocus": true }),
    };
    server.ask("window/showDocument", params);
    Ok(())
}

/// A question to the editor.
pub(crate) fn question(id: RequestId, text: &str, choices: &Choices) -> Message {
    let actions: Vec<Value> = choices.iter().map(|(title, _)| json!({ "title": title })).collect();
    let params = json!({ "type": lsp::MessageType::Info, "message": text, "actions": actions });
    Message::Request(Request::new(id, "window/showMessageRequest".to_owned(), params))
}
