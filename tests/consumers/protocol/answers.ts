// What each message of the server is in the types of the protocol: run.mjs makes schemas of them, which all that it says is held to.
import type * as lsp from "vscode-languageserver-protocol";

export interface Answers {
  initialize: lsp.InitializeResult;
  shutdown: null;
  "textDocument/hover": lsp.Hover | null;
  "textDocument/completion": lsp.CompletionList | null;
  "textDocument/signatureHelp": lsp.SignatureHelp | null;
  "textDocument/definition": lsp.Location | lsp.Location[] | null;
  "textDocument/declaration": lsp.Location | lsp.Location[] | null;
  "textDocument/typeDefinition": lsp.Location | lsp.Location[] | null;
  "textDocument/references": lsp.Location[] | null;
  "textDocument/documentHighlight": lsp.DocumentHighlight[] | null;
  "textDocument/prepareRename": lsp.PrepareRenameResult | null;
  "textDocument/rename": lsp.WorkspaceEdit | null;
  "workspace/willRenameFiles": lsp.WorkspaceEdit | null;
  "workspace/symbol": lsp.WorkspaceSymbol[] | lsp.SymbolInformation[] | null;
  "textDocument/documentLink": lsp.DocumentLink[] | null;
  "textDocument/prepareCallHierarchy": lsp.CallHierarchyItem[] | null;
  "callHierarchy/incomingCalls": lsp.CallHierarchyIncomingCall[] | null;
  "callHierarchy/outgoingCalls": lsp.CallHierarchyOutgoingCall[] | null;
  "textDocument/documentSymbol": lsp.DocumentSymbol[] | null;
  "textDocument/semanticTokens/full": lsp.SemanticTokens | null;
  "textDocument/semanticTokens/range": lsp.SemanticTokens | null;
  "textDocument/foldingRange": lsp.FoldingRange[] | null;
  "textDocument/selectionRange": lsp.SelectionRange[] | null;
  "textDocument/formatting": lsp.TextEdit[] | null;
  "textDocument/rangeFormatting": lsp.TextEdit[] | null;
  "textDocument/onTypeFormatting": lsp.TextEdit[] | null;
  "textDocument/inlayHint": lsp.InlayHint[] | null;
  "textDocument/codeLens": lsp.CodeLens[] | null;
  "textDocument/codeAction": (lsp.Command | lsp.CodeAction)[] | null;
  "textDocument/diagnostic": lsp.DocumentDiagnosticReport;
  "workspace/diagnostic": lsp.WorkspaceDiagnosticReport;
  "workspace/executeCommand": boolean;
  "experimental/joinLines": lsp.TextEdit[] | null;
  "experimental/moveItem": lsp.TextEdit[] | null;
  "experimental/onEnter": lsp.TextEdit[] | null;
  "experimental/runnables": { label: string; kind: "shell"; location: lsp.LocationLink | null; args: { program: string; args: string[]; cwd: string } }[] | null;
  "experimental/externalDocs": string | null;
  "workspace/textDocumentContent": { text: string } | null;
  "slipform/source": { text: string } | null;
  "slipform/artifact": { text: string; parts: (lsp.Location & { line: lsp.uinteger })[] } | null;
}

/** What the server says or asks unasked. */
export interface Said {
  "textDocument/publishDiagnostics": lsp.PublishDiagnosticsParams;
  "client/registerCapability": lsp.RegistrationParams;
  "window/showMessage": lsp.ShowMessageParams;
  "window/logMessage": lsp.LogMessageParams;
  "window/showMessageRequest": lsp.ShowMessageRequestParams;
  "window/showDocument": lsp.ShowDocumentParams;
  "workspace/diagnostic/refresh": undefined | null;
  "workspace/inlayHint/refresh": undefined | null;
  "workspace/codeLens/refresh": undefined | null;
  "workspace/semanticTokens/refresh": undefined | null;
}
