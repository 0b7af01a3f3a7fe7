// Starts `slipform lsp` for blueprints, and shows the files of the standard library, which lie in the server alone.
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

// Its files have addresses such as `slipform:/std/kinds/cluster.bp`.
const SCHEME = "slipform";
const LANGUAGE = "slipform";

let client;
// One start or stop after the other: a change of settings may come while the server starts.
let turn = Promise.resolve();

function settings() {
  return vscode.workspace.getConfiguration("slipform");
}

function options() {
  const { environment, set } = settings();
  return { ...(environment ? { environment } : {}), ...(Object.keys(set).length ? { set: { ...set } } : {}) };
}

async function start() {
  const command = settings().get("path") || "slipform";
  const executable = { command, args: ["lsp"] };
  client = new LanguageClient(
    "slipform",
    "Slipform",
    { run: executable, debug: executable },
    {
      documentSelector: ["file", "untitled"].map((scheme) => ({ scheme, language: LANGUAGE })),
      initializationOptions: options(),
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `Slipform: \`${command} lsp\` does not start (${error.message ?? error}). Blueprints are coloured, but not checked.`,
      "Open settings",
    );
    if (choice) vscode.commands.executeCommand("workbench.action.openSettings", "slipform.path");
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

const library = {
  async provideTextDocumentContent(uri) {
    await turn;
    const said = await client?.sendRequest("slipform/source", { uri: uri.toString(true) });
    return said?.text ?? "";
  },
};

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, library),
    vscode.commands.registerCommand("slipform.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const read = ["slipform.path", "slipform.environment", "slipform.set"];
      if (read.some((section) => change.affectsConfiguration(section))) restart();
    }),
  );
  await restart();
}

function deactivate() {
  turn = turn.then(stop, stop);
  return turn;
}

module.exports = { activate, deactivate };
