// The client of `slipform lsp`: it is started, told what was chosen, and asked.
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

const LANGUAGE = "slipform";
// What the server alone has: `slipform://std/kinds/cluster.bp`, `slipform://explain/names/unknown`.
const LIBRARY = "slipform";
const CHOSEN = "environment";
// What is no blueprint, and says something of those beside it.
const BESIDE = ["slipform.toml", "catalog.local.toml"];

let client;
let memory;
// One start or stop after the other: a change of settings may come while the server starts.
let turn = Promise.resolve();

function settings() {
  return vscode.workspace.getConfiguration("slipform");
}

function program() {
  return settings().get("path") || "slipform";
}

/** What the server is told: an environment that was picked goes over the one of the settings. */
function options() {
  const environment = memory.get(CHOSEN) || settings().get("environment");
  return { environment: environment || "", set: { ...settings().get("set") } };
}

/** The same for the command line. */
function flags() {
  const { environment, set } = options();
  const values = Object.entries(set).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  return [...(environment ? ["--env", environment] : []), ...values];
}

function remember(workspaceState) {
  memory = workspaceState;
}

async function choose(environment) {
  await memory.update(CHOSEN, environment);
}

// What lenses ask for, which is done here.
const COMMANDS = ["slipform.showArtifacts", "slipform.showReferences", "slipform.chooseEnvironment"];

/** The server is told that its own documents are opened here: reports then lead to what their codes mean. Commands of lenses are carried out here, too. */
const opens = {
  fillClientCapabilities(capabilities) {
    capabilities.workspace = { ...capabilities.workspace, textDocumentContent: {} };
    capabilities.experimental = { ...capabilities.experimental, commands: { commands: COMMANDS } };
  },
  initialize() {},
  getState: () => ({ kind: "static" }),
  clear() {},
};

async function start() {
  const executable = { command: program(), args: ["lsp"] };
  client = new LanguageClient(
    "slipform",
    "Slipform",
    { run: executable, debug: executable },
    {
      documentSelector: [
        ...["file", "untitled", LIBRARY].map((scheme) => ({ scheme, language: LANGUAGE })),
        ...BESIDE.map((name) => ({ scheme: "file", pattern: `**/${name}` })),
      ],
      initializationOptions: options(),
      // What the server says when it is asked stands in a collection that is called `slipform`, as the problem matchers are owned:
      // what a task finds in a file takes its place. This one is for servers that speak unasked.
      diagnosticCollectionName: "slipform-unasked",
    },
  );
  client.registerFeature(opens);
  try {
    await client.start();
  } catch (error) {
    client.diagnostics?.dispose(); // a client that did not start cannot be stopped, and the next one has the same collection
    client = undefined;
    const message = `\`${program()} lsp\` does not start (${error.message ?? error}). Blueprints are coloured, but not checked.`;
    // Not waited for: a start that waits would hold up the next one.
    vscode.window.showErrorMessage(`Slipform: ${message}`, "Open settings").then((choice) => {
      if (choice) vscode.commands.executeCommand("workbench.action.openSettings", "slipform.path");
    });
  }
}

async function end() {
  const ended = client;
  client = undefined;
  if (ended && ended.state !== State.Stopped) await ended.stop();
}

function stop() {
  turn = turn.then(end, end);
  return turn;
}

function restart() {
  turn = turn.then(end).then(start, start);
  return turn;
}

/** What the server answers; nothing where there is no server. */
async function ask(method, params) {
  await turn;
  return client?.sendRequest(method, params);
}

/** The protocol's words for places, as the server has them. */
const outward = () => client?.code2ProtocolConverter;

async function tell() {
  if (!client) return;
  await client.sendNotification("workspace/didChangeConfiguration", { settings: { slipform: options() } });
  // Values stand between the words and above them: the editor asks anew, which it does by itself only where somebody types.
  for (const document of vscode.workspace.textDocuments.filter(({ languageId }) => languageId === LANGUAGE)) {
    client.getFeature("textDocument/inlayHint").getProvider(document)?.onDidChangeInlayHints.fire();
    client.getFeature("textDocument/codeLens").getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }
}

/** A blueprint's address as the server has it. */
const address = (document) => client?.code2ProtocolConverter.asUri(document.uri) ?? document.uri.toString();

/** The lenses of a blueprint that carry a command of that name. */
async function lenses(document, command) {
  const said = (await ask("textDocument/codeLens", { textDocument: { uri: address(document) } })) ?? [];
  return said.filter((lens) => lens.command?.command === command);
}

const converter = () => client.protocol2CodeConverter;

module.exports = {
  LANGUAGE, LIBRARY, address, ask, choose, converter, flags, lenses, options, outward, program, remember, restart, stop, tell,
};
