// What nouns render to, beside the blueprint: kept up while it is written, and with the cursor.
"use strict";

const vscode = require("vscode");
const server = require("./server");

// The path of such an address is the file's, the query the address of the blueprint.
const RENDERED = "slipform-rendered";
const LENS = "slipform.showArtifacts";
const TYPED = 400;
const MOVED = 150;
const SCROLLED = 40;
// How long an editor that was scrolled from here says so.
const ECHO = 300;

const changed = new vscode.EventEmitter();
// The last texts: of a blueprint that is broken for now nothing is rendered.
const texts = new Map();
// Which of their lines begin what is of which head.
const parts = new Map();
// What was picked of the files of a noun.
const picked = new Map();
let shown;

const provider = {
  onDidChange: changed.event,
  async provideTextDocumentContent(uri) {
    const said = await server.ask("slipform/artifact", { textDocument: { uri: uri.query }, path: uri.path.slice(1) });
    const text = said?.text ?? texts.get(uri.toString());
    texts.set(uri.toString(), text);
    if (said) parts.set(uri.toString(), said.parts ?? []);
    return text ?? "";
  },
};

const later = (wait, act) => {
  let waiting;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => act(...given), wait);
  };
};
const preview = () => vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === RENDERED);

async function show(blueprint, noun, path, line) {
  const uri = vscode.Uri.from({ scheme: RENDERED, path: `/${path}`, query: blueprint });
  shown = { blueprint, noun, path };
  const editor = await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  if (line !== undefined) alongside(editor, blueprint, line);
}

// Until when editors say that they were scrolled from here.
const echoes = new WeakMap();

/** Scrolls an editor to a line; what it then says of itself scrolls nothing back. */
function scroll(editor, line) {
  if (editor.visibleRanges[0]?.start.line === line) return;
  echoes.set(editor, Date.now() + ECHO);
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
}

/** A rendered file to what it has of the head at a line of the blueprint, or of the last one above it. */
function alongside(editor, blueprint, line) {
  const own = (parts.get(editor.document.uri.toString()) ?? []).filter(({ uri, range }) => uri === blueprint && range.start.line <= line);
  const head = Math.max(...own.map(({ range }) => range.start.line));
  const part = own.find(({ range }) => range.start.line === head);
  if (part) scroll(editor, part.line);
}

/** The blueprint to the head that the rendered file has at its top. */
function back(editor) {
  const top = editor.visibleRanges[0]?.start.line ?? 0;
  const part = (parts.get(editor.document.uri.toString()) ?? []).filter(({ line }) => line <= top).at(-1);
  const source = part && vscode.window.visibleTextEditors.find(({ document }) => server.address(document) === part.uri);
  if (source) scroll(source, part.range.start.line);
}

const scrolled = later(SCROLLED, (editor) => {
  if ((echoes.get(editor) ?? 0) > Date.now()) return;
  const beside = preview();
  if (editor === beside) back(editor);
  else if (beside?.document.uri.query === server.address(editor.document)) {
    alongside(beside, server.address(editor.document), editor.visibleRanges[0]?.start.line ?? 0);
  }
});

/** The nouns around a place, the innermost first, as their first lines. */
function around(symbols, line, column) {
  const within = ({ range: { start, end } }) =>
    (start.line < line || (start.line === line && start.character <= column)) &&
    (line < end.line || (line === end.line && column <= end.character));
  const found = symbols.find(within);
  return found ? [...around(found.children ?? [], line, column), found.range.start.line] : [];
}

/** The noun at the cursor with its files: that first which the fewest nouns share. */
async function atCursor({ document, selection }) {
  const blueprint = server.address(document);
  const symbols = (await server.ask("textDocument/documentSymbol", { textDocument: { uri: blueprint } })) ?? [];
  const lenses = await server.lenses(document, LENS);
  const shares = new Map();
  for (const path of lenses.flatMap((lens) => lens.command.arguments[2])) shares.set(path, (shares.get(path) ?? 0) + 1);
  for (const line of around(symbols, selection.active.line, selection.active.character)) {
    const lens = lenses.find(({ range }) => range.start.line === line);
    if (!lens) continue;
    const [, noun, paths] = lens.command.arguments;
    const own = [...paths].sort((a, b) => shares.get(a) - shares.get(b));
    const kept = picked.get(`${blueprint} ${noun}`);
    return { blueprint, noun, line, path: paths.includes(kept) ? kept : own[0] };
  }
  return undefined;
}

async function showAtCursor() {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== server.LANGUAGE) return;
  const found = await atCursor(editor);
  if (found) await show(found.blueprint, found.noun, found.path, found.line);
  else vscode.window.showInformationMessage("Slipform: nothing is rendered of what the cursor is in, or the blueprint has errors.");
}

async function showArtifacts(blueprint, noun, paths) {
  const path = paths.length === 1 ? paths[0] : await vscode.window.showQuickPick(paths, { placeHolder: `What ${noun} renders to` });
  if (!path) return;
  picked.set(`${blueprint} ${noun}`, path);
  await show(blueprint, noun, path);
}

const refresh = later(TYPED, () => {
  for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === RENDERED) changed.fire(uri);
});

const follow = later(MOVED, async (editor) => {
  if (!shown || !preview()) return;
  const found = await atCursor(editor);
  if (found && (found.noun !== shown.noun || found.blueprint !== shown.blueprint)) await show(found.blueprint, found.noun, found.path, found.line);
});

function register() {
  const { workspace, window, commands } = vscode;
  return [
    changed,
    workspace.registerTextDocumentContentProvider(RENDERED, provider),
    workspace.onDidChangeTextDocument(({ document }) => document.languageId === server.LANGUAGE && refresh()),
    workspace.onDidCloseTextDocument(({ uri }) => uri.scheme === RENDERED && (texts.delete(uri.toString()), parts.delete(uri.toString()))),
    window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => scrolled(textEditor)),
    window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor.document.languageId === server.LANGUAGE && follow(textEditor)),
    commands.registerCommand("slipform.showArtifactsAtCursor", showAtCursor),
    commands.registerCommand(LENS, showArtifacts),
  ];
}

module.exports = { refresh, register };
