// What the protocol has no words for: lines that are joined, what changes places, what is run, pages that say more.
"use strict";

const vscode = require("vscode");
const server = require("./server");

/** The editor in front, where it has a blueprint. */
function editor() {
  const found = vscode.window.activeTextEditor;
  return found?.document.languageId === server.LANGUAGE ? found : undefined;
}

/** What the server answers of the text at the cursors. */
async function ask(method, given) {
  const front = editor();
  const own = server.outward();
  if (!front || !own) return undefined;
  const { document, selections } = front;
  return server.ask(method, { textDocument: { uri: server.address(document) }, ...given(own, selections) });
}

async function edit(method, given) {
  const front = editor();
  const edits = (await ask(method, given)) ?? [];
  if (!edits.length) return;
  await front.edit((builder) => {
    for (const { range: { start, end }, newText } of edits) {
      builder.replace(new vscode.Range(start.line, start.character, end.line, end.character), newText);
    }
  });
}

const joinLines = () => edit("experimental/joinLines", (own, selections) => ({ ranges: selections.map((it) => own.asRange(it)) }));
const move = (direction) => () =>
  edit("experimental/moveItem", (own, [selection]) => ({ range: own.asRange(selection), direction }));

async function openDocs() {
  const page = await ask("experimental/externalDocs", (own, [{ active }]) => ({ position: own.asPosition(active) }));
  if (!page) vscode.window.showInformationMessage("Slipform: no page says more of this.");
  else if (page.startsWith(`${server.LIBRARY}:`)) await vscode.window.showTextDocument(vscode.Uri.parse(page), { viewColumn: vscode.ViewColumn.Beside });
  else await vscode.env.openExternal(vscode.Uri.parse(page));
}

/** Checks, builds, tests: one of what the server knows of, in a terminal of its own. */
async function run() {
  const found = (await ask("experimental/runnables", () => ({}))) ?? [];
  const choice = await vscode.window.showQuickPick(found.map((it) => ({ label: it.label, it })), { placeHolder: "What is run" });
  if (!choice) return;
  const { args, cwd } = choice.it.args;
  const execution = new vscode.ProcessExecution(server.program(), args, { cwd });
  const scope = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd)) ?? vscode.TaskScope.Workspace;
  await vscode.tasks.executeTask(new vscode.Task({ type: "slipform", command: args[0] }, scope, choice.label, "slipform", execution, []));
}

function register() {
  const { registerCommand } = vscode.commands;
  return [
    registerCommand("slipform.joinLines", joinLines),
    registerCommand("slipform.moveUp", move("Up")),
    registerCommand("slipform.moveDown", move("Down")),
    registerCommand("slipform.openDocs", openDocs),
    registerCommand("slipform.run", run),
  ];
}

module.exports = { register };
