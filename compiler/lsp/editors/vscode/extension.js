// Slipform in VS Code: the server for blueprints, what its lenses ask for, and the compiler's commands.
"use strict";

const vscode = require("vscode");
const artifacts = require("./lib/artifacts");
const explain = require("./lib/explain");
const graph = require("./lib/graph");
const server = require("./lib/server");
const tasks = require("./lib/tasks");
const typed = require("./lib/typed");

const library = {
  provideTextDocumentContent: async (uri) => (await server.ask("slipform/source", { uri: uri.toString(true) }))?.text ?? "",
};

function showReferences(uri, position, locations) {
  const own = server.converter();
  return vscode.commands.executeCommand(
    "editor.action.showReferences",
    own.asUri(uri),
    own.asPosition(position),
    locations.map((location) => own.asLocation(location)),
  );
}

/** What is chosen here holds for all that is shown, until the setting changes. */
async function changed() {
  await server.tell();
  artifacts.refresh();
  await graph.refresh();
}

/** As the lens calls it, or from the palette, where the lens tells what there is. */
async function chooseEnvironment(environments, current) {
  if (!environments) {
    const document = vscode.window.activeTextEditor?.document;
    const found = document?.languageId === server.LANGUAGE ? await server.lenses(document, "slipform.chooseEnvironment") : [];
    if (!found.length) {
      vscode.window.showInformationMessage("Slipform: open a blueprint of a project that has environments.");
      return;
    }
    [environments, current] = found[0].command.arguments;
  }
  const items = environments.map((label) => ({ label, description: label === current ? "now" : "" }));
  const choice = await vscode.window.showQuickPick(items, { placeHolder: "The environment that blueprints are checked for" });
  if (!choice) return;
  await server.choose(choice.label);
  await changed();
}

async function activate(context) {
  server.remember(context.workspaceState);
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(server.LIBRARY, library),
    registerCommand("slipform.restart", server.restart),
    registerCommand("slipform.showReferences", showReferences),
    registerCommand("slipform.chooseEnvironment", chooseEnvironment),
    ...artifacts.register(),
    ...explain.register(),
    ...graph.register(),
    ...tasks.register(),
    ...typed.register(),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("slipform.environment")) await server.choose(undefined);
      if (change.affectsConfiguration("slipform.path")) await server.restart();
      else if (change.affectsConfiguration("slipform")) await changed();
    }),
  );
  await server.restart();
}

module.exports = { activate, deactivate: server.stop };
