//! What the editor can do, what it asks for, and what it is offered.

use crate::documents::path_of;
use crate::requests::commands::COMMANDS;
use crate::requests::{action_kinds, legend};
use camino::Utf8PathBuf;
use gen_lsp_types::{
    CodeActionOptions, CodeLensOptions, CompletionOptions, DiagnosticOptions, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FileOperationFilter,
    FileOperationOptions, FileOperationPattern, FileOperationPatternKind,
    FileOperationRegistrationOptions, PositionEncodingKind, RenameOptions, Save,
    SemanticTokensOptions, ServerCapabilities, SignatureHelpOptions, TextDocumentContentOptions,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceOptions,
};
use serde_json::{Value, json};
use slipform_source::Encoding;

/// The scheme of what the server alone has: the standard library's files, and what codes mean.
pub(crate) const SCHEME: &str = "slipform";

/// What an editor can be told to ask for anew, and where it says that it can.
const REFRESHED: [(&str, &str); 3] = [
    ("workspace/inlayHint/refresh", "/capabilities/workspace/inlayHint/refreshSupport"),
    ("workspace/codeLens/refresh", "/capabilities/workspace/codeLens/refreshSupport"),
    ("workspace/semanticTokens/refresh", "/capabilities/workspace/semanticTokens/refreshSupport"),
];

/// What was agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How columns are counted.
    pub(crate) encoding: Encoding,
    /// Completions may have places to fill in.
    pub(crate) snippets: bool,
    /// The editor tells of files that change on the disk.
    pub(crate) watches: bool,
    /// The editor asks for diagnostics, and can be told to do so anew.
    pub(crate) asks: bool,
    /// Of a document that it asks for it takes the diagnostics of other files too.
    pub(crate) related: bool,
    /// The editor opens documents whose texts the server alone has.
    pub(crate) opens: bool,
    /// An edit may make files.
    pub(crate) creates: bool,
    /// The editor shows a document where it is told to.
    pub(crate) shows: bool,
    /// The commands of lenses that the editor does not carry out itself.
    pub(crate) commands: Vec<&'static str>,
    /// The cursor goes where an edit says.
    pub(crate) snippet_edits: bool,
    /// What the editor asks for anew where it is told to: hints, lenses, colours.
    pub(crate) refreshes: Vec<&'static str>,
    /// The folders that the editor has open.
    pub(crate) folders: Vec<Utf8PathBuf>,
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
        let mut settings = Self {
            encoding: if utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            snippets: flag("/capabilities/textDocument/completion/completionItem/snippetSupport"),
            watches: flag("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            asks: params
                .pointer("/capabilities/textDocument/diagnostic")
                .is_some_and(Value::is_object)
                && flag("/capabilities/workspace/diagnostics/refreshSupport"),
            related: flag("/capabilities/textDocument/diagnostic/relatedDocumentSupport"),
            opens: params
                .pointer("/capabilities/workspace/textDocumentContent")
                .is_some_and(Value::is_object),
            shows: flag("/capabilities/window/showDocument/support"),
            commands: commands(params),
            snippet_edits: flag("/capabilities/experimental/snippetTextEdit"),
            creates: flag("/capabilities/workspace/workspaceEdit/documentChanges")
                && params
                    .pointer("/capabilities/workspace/workspaceEdit/resourceOperations")
                    .and_then(Value::as_array)
                    .is_some_and(|known| known.iter().any(|it| it == "create")),
            refreshes: REFRESHED.into_iter().filter(|it| flag(it.1)).map(|it| it.0).collect(),
            folders: folders(params),
            environment: None,
            set: Vec::new(),
        };
        if let Some(options) = params.pointer("/initializationOptions") {
            settings.choose(options);
        }
        settings
    }

    /// Takes the environment and the parameters that are asked for: an empty environment, and parameters without a value, are
    /// as the project has them. What is not spoken of stays.
    pub(crate) fn choose(&mut self, options: &Value) {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some(environment) = options.get("environment") {
            let named = environment.as_str().filter(|it| !it.is_empty());
            self.environment = named.map(str::to_owned);
        }
        if let Some(set) = options.get("set") {
            let set = set.as_object().into_iter().flatten();
            self.set = set.map(|(name, value)| (name.clone(), text(value))).collect();
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
        let actions =
            CodeActionOptions { code_action_kinds: Some(action_kinds()), ..Default::default() };
        ServerCapabilities {
            position_encoding: Some(encoding),
            text_document_sync: Some(sync.into()),
            hover_provider: Some(true.into()),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(triggers.to_vec()),
                ..Default::default()
            }),
            definition_provider: Some(true.into()),
            declaration_provider: Some(true.into()),
            type_definition_provider: Some(true.into()),
            references_provider: Some(true.into()),
            document_highlight_provider: Some(true.into()),
            rename_provider: Some(
                RenameOptions { prepare_provider: Some(true), ..Default::default() }.into(),
            ),
            workspace_symbol_provider: Some(true.into()),
            document_link_provider: Some(DocumentLinkOptions::default()),
            call_hierarchy_provider: Some(true.into()),
            semantic_tokens_provider: Some(colours().into()),
            folding_range_provider: Some(true.into()),
            selection_range_provider: Some(true.into()),
            inlay_hint_provider: Some(true.into()),
            code_lens_provider: Some(CodeLensOptions::default()),
            signature_help_provider: Some(SignatureHelpOptions {
                trigger_characters: Some(["(", ",", "="].map(str::to_owned).to_vec()),
                ..Default::default()
            }),
            document_formatting_provider: Some(true.into()),
            document_range_formatting_provider: Some(true.into()),
            document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
                first_trigger_character: "}".to_owned(),
                more_trigger_character: Some(vec!["\n".to_owned()]),
            }),
            document_symbol_provider: Some(true.into()),
            code_action_provider: Some(actions.into()),
            execute_command_provider: (!self.commands.is_empty()).then(|| ExecuteCommandOptions {
                commands: self.commands.iter().map(|it| (*it).to_owned()).collect(),
                ..Default::default()
            }),
            diagnostic_provider: self.asks.then(|| diagnostics().into()),
            workspace: Some(of_workspace()),
            experimental: Some(beyond()),
            ..Default::default()
        }
    }
}

/// What the protocol has no words for, by the names that rust-analyzer gave it: editors that know one know the other.
fn beyond() -> Value {
    json!({
        "onEnter": true, "joinLines": true, "moveItem": true, "externalDocs": true,
        "runnables": { "kinds": ["shell"] },
    })
}

/// How diagnostics are asked for: what is wrong in one file may come from another.
fn diagnostics() -> DiagnosticOptions {
    DiagnosticOptions {
        identifier: Some(SCHEME.to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        ..Default::default()
    }
}

/// What concerns files rather than a document.
fn of_workspace() -> WorkspaceOptions {
    WorkspaceOptions {
        text_document_content: Some(
            TextDocumentContentOptions { schemes: vec![SCHEME.to_owned()] }.into(),
        ),
        file_operations: Some(FileOperationOptions {
            will_rename: Some(FileOperationRegistrationOptions::new(paths())),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// The paths that a `use` may lead to: blueprints, and folders of them.
fn paths() -> Vec<FileOperationFilter> {
    let kinds =
        [("**/*.bp", FileOperationPatternKind::File), ("**", FileOperationPatternKind::Folder)];
    let filter = |(glob, kind): (&str, FileOperationPatternKind)| {
        let (glob, matches) = (glob.to_owned(), Some(kind));
        let pattern = FileOperationPattern { glob, matches, ..Default::default() };
        FileOperationFilter::new(Some("file".to_owned()), pattern)
    };
    kinds.map(filter).to_vec()
}

/// What lenses ask for, without what the editor says that it does itself, as rust-analyzer is told of it.
fn commands(params: &Value) -> Vec<&'static str> {
    let own = params.pointer("/capabilities/experimental/commands/commands");
    let own = own.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    COMMANDS.into_iter().filter(|it| !own.iter().any(|own| own.as_str() == Some(it))).collect()
}

/// How words are coloured.
fn colours() -> SemanticTokensOptions {
    SemanticTokensOptions {
        legend: legend(),
        range: Some(true.into()),
        full: Some(true.into()),
        ..Default::default()
    }
}
/// The folders of the workspace, or the one that older editors name.
fn folders(params: &Value) -> Vec<Utf8PathBuf> {
    let many = params.pointer("/workspaceFolders").and_then(Value::as_array);
    let uris: Vec<&Value> = match many {
        Some(many) => many.iter().filter_map(|folder| folder.get("uri")).collect(),
        None => params.get("rootUri").into_iter().collect(),
    };
    let path = |uri: &Value| path_of(&serde_json::from_value(uri.clone()).ok()?);
    uris.into_iter().filter_map(path).filter(|path| path.is_absolute()).collect()
}
