//! What the editor can do, what it asks for, and what it is offered.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CompletionOptions, PositionEncodingKind, Save,
    ServerCapabilities, TextDocumentContentOptions, TextDocumentSyncKind, TextDocumentSyncOptions,
    WorkspaceOptions,
};
use serde_json::Value;
use slipform_source::Encoding;

/// The scheme of the standard library's files.
pub(crate) const SCHEME: &str = "slipform";

/// What was agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How columns are counted.
    pub(crate) encoding: Encoding,
    /// Completions may have places to fill in.
    pub(crate) snippets: bool,
    /// The editor tells of files that change on the disk.
    pub(crate) watches: bool,
    /// The environment that blueprints are checked for.
    pub(crate) environment: Option<String>,
    /// Values of parameters.
    pub(crate) set: Vec<(String, String)>,
}

impl Settings {
    /// Reads what matters of the parameters of `initialize`; what is missing or odd counts as not offered.
    pub(crate) fn of(params: &Value) -> Self {
        let flag = |path: &str| params.pointer(path).and_then(Value::as_bool).unwrap_or(false);
        let encodings = params.pointer("/capabilities/general/positionEncodings");
        let utf8 = encodings
            .and_then(Value::as_array)
            .is_some_and(|offered| offered.iter().any(|it| it.as_str() == Some("utf-8")));
        let environment = params.pointer("/initializationOptions/environment");
        let set = params.pointer("/initializationOptions/set").and_then(Value::as_object);
        let given = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Self {
            encoding: if utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            snippets: flag("/capabilities/textDocument/completion/completionItem/snippetSupport"),
            watches: flag("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            environment: environment.and_then(Value::as_str).map(str::to_owned),
            set: set
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), given(value)))
                .collect(),
        }
    }

    /// What the server can do.
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let encoding = match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 | Encoding::Chars => PositionEncodingKind::UTF16,
        };
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::Bool(true)),
            ..Default::default()
        };
        let triggers = [".", "\"", "=", " ", "(", "/"].map(str::to_owned);
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
            ..Default::default()
        };
        ServerCapabilities {
            position_encoding: Some(encoding),
            text_document_sync: Some(sync.into()),
            hover_provider: Some(true.into()),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(triggers.to_vec()),
                ..Default::default()
            }),
            definition_provider: Some(true.into()),
            document_formatting_provider: Some(true.into()),
            document_symbol_provider: Some(true.into()),
            code_action_provider: Some(actions.into()),
            workspace: Some(WorkspaceOptions {
                text_document_content: Some(
                    TextDocumentContentOptions { schemes: vec![SCHEME.to_owned()] }.into(),
                ),
                ..Default::default()
            }),
            ..Default::default()
        }
    }
}
