// What a diagnostic means, in the words of `slipform explain`.
"use strict";

const vscode = require("vscode");
const project = require("./project");

const EXPLAINED = "slipform-explained";
const CODE = /[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*/;

const provider = {
  async provideTextDocumentContent(uri) {
    const said = await project.run(["explain", uri.path.slice(1)]);
    return said.stdout || said.stderr;
  },
};

/** The codes of the problems at the cursor, and what is written there as one: `allow capacity/spot-grace "..."`. */
function atCursor({ document, selection }) {
  const found = vscode.languages.getDiagnostics(document.uri).filter(({ range }) => range.intersection(selection));
  const codes = found.map(({ code }) => String(code?.value ?? code ?? ""));
  const written = document.getWordRangeAtPosition(selection.active, CODE);
  if (written) codes.unshift(document.getText(written));
  return [...new Set(codes.filter(Boolean))];
}

/** Every code, a line each, as the compiler lists them. */
async function every() {
  const { stdout, stderr } = await project.run(["explain"]);
  if (!stdout) vscode.window.showErrorMessage(`Slipform: ${stderr}`);
  return stdout.split("\n").filter(Boolean).map((line) => {
    const [label, ...words] = line.split(/\s+/);
    return { label, description: words.join(" ") };
  });
}

async function explain(given) {
  const editor = vscode.window.activeTextEditor;
  const codes = typeof given === "string" ? [given] : editor ? atCursor(editor) : [];
  const choice = async (items) => (await vscode.window.showQuickPick(items, { placeHolder: "What is explained", matchOnDescription: true }))?.label;
  const code = codes.length === 1 ? codes[0] : await choice(codes.length ? codes.map((label) => ({ label })) : await every());
  if (!code) return;
  const uri = vscode.Uri.from({ scheme: EXPLAINED, path: `/${code}` });
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

function register() {
  return [
    vscode.workspace.registerTextDocumentContentProvider(EXPLAINED, provider),
    vscode.commands.registerCommand("slipform.explain", explain),
  ];
}

module.exports = { register };
