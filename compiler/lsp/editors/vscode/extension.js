// Starts `slipform lsp` for blueprints, shows the texts that the server alone has, and does what its code lenses ask for.
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

const LANGUAGE = "slipform";
// Files of the standard library: `slipform://std/kinds/cluster.bp`.
const LIBRARY = "slipform";
// Files as they would be rendered: the path is theirs, the query the address of the blueprint.
const RENDERED = "slipform-rendered";
const CHOSEN = "environment";

let client;
let memory;
// One start or stop after the other: a change of settings may come while the server starts.
let turn = Promise.resolve();

function settings() {
  return vscode.workspace.getConfiguration("slipform");
}

/** What the server is told: an environment that was picked goes over the one of the settings. */
function options() {
  const environment = memory.get(CHOSEN) || settings().get("environment");
  return { environment: environment || "", set: { ...settings().get("set") } };
}

async function start() {
  const command = settings().get("path") || "slipform";
  const executable = { command, args: ["lsp"] };
  client = new LanguageClient(
    "slipform",
    "Slipform",
    { run: executable, debug: executable },
    {
      documentSelector: ["file", "untitled", LIBRARY].map((scheme) => ({ scheme, language: LANGUAGE })),
      initializationOptions: options(),
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const message = `\`${command} lsp\` does not start (${error.message ?? error}). Blueprints are coloured, but not checked.`;
    // Not waited for: a start that waits would hold up the next one.
    vscode.window.showErrorMessage(`Slipform: ${message}`, "Open settings").then((choice) => {
      if (choice) vscode.commands.executeCommand("workbench.action.openSettings", "slipform.path");
    });
  }
}

async function stop() {
  const ended = client;
  client = undefined;
  if (ended && ended.state !== State.Stopped) await ended.stop();
}

function restart() {
  turn = turn.then(stop).then(start, start);
  return turn;
}

async function ask(method, params) {
  await turn;
  const said = await client?.sendRequest(method, params);
  return said?.text ?? "";
}

function tell() {
  client?.sendNotification("workspace/didChangeConfiguration", { settings: { slipform: options() } });
}

const library = {
  provideTextDocumentContent: (uri) => ask("slipform/source", { uri: uri.toString(true) }),
};

const changed = new vscode.EventEmitter();
const rendered = {
  onDidChange: changed.event,
  provideTextDocumentContent: (uri) =>
    ask("slipform/artifact", { textDocument: { uri: uri.query }, path: uri.path.slice(1) }),
};

/** Shown files follow the blueprint once nobody has typed for a while. */
function follow() {
  let waiting;
  return vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.languageId !== LANGUAGE) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === RENDERED) changed.fire(uri);
    }, 500);
  });
}

async function showArtifacts(blueprint, noun, paths) {
  const path = paths.length === 1 ? paths[0] : await vscode.window.showQuickPick(paths, { placeHolder: `What ${noun} renders to` });
  if (!path) return;
  const uri = vscode.Uri.from({ scheme: RENDERED, path: `/${path}`, query: blueprint });
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

function showReferences(uri, position, locations) {
  const own = client.protocol2CodeConverter;
  return vscode.commands.executeCommand(
    "editor.action.showReferences",
    own.asUri(uri),
    own.asPosition(position),
    locations.map((location) => own.asLocation(location)),
  );
}

async function chooseEnvironment(environments, current) {
  const items = environments.map((label) => ({ label, description: label === current ? "now" : "" }));
  const choice = await vscode.window.showQuickPick(items, { placeHolder: "The environment that blueprints are checked for" });
  if (!choice) return;
  await memory.update(CHOSEN, choice.label);
  tell();
}

async function activate(context) {
  memory = context.workspaceState;
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(LIBRARY, library),
    vscode.workspace.registerTextDocumentContentProvider(RENDERED, rendered),
    registerCommand("slipform.restart", restart),
    registerCommand("slipform.showArtifacts", showArtifacts),
    registerCommand("slipform.showReferences", showReferences),
    registerCommand("slipform.chooseEnvironment", chooseEnvironment),
    follow(),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("slipform.environment")) await memory.update(CHOSEN, undefined);
      if (change.affectsConfiguration("slipform.path")) await restart();
      else if (change.affectsConfiguration("slipform")) tell();
    }),
  );
  await restart();
}

function deactivate() {
  turn = turn.then(stop, stop);
  return turn;
}

module.exports = { activate, deactivate };
