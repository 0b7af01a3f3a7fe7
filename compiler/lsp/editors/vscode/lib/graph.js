// Who refers to whom, drawn in a panel: Graphviz is part of the extension, and the panel can reach nothing.
"use strict";

const { randomBytes } = require("node:crypto");
const vscode = require("vscode");
const project = require("./project");
const server = require("./server");

// Graphviz knows how wide words of this font are; of those that the theme may have it guesses too little.
const LETTERS = { fontname: "Helvetica" };
const LOOK = { ...LETTERS, bgcolor: "transparent" };
const WORDS = { ...LETTERS, fontsize: 11 };

let panel;
let drawn;

const escaped = (text) => text.replace(/[&<>]/g, (it) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[it]);

async function draw(at) {
  const { clean, stdout, stderr } = await project.run(["graph", "--format", "dot", ...server.flags(), at.path], at.folder);
  if (!clean) return `<pre>${escaped(stderr || stdout)}</pre>`;
  // Loaded when it is first needed: it is large.
  const graphviz = await require("@viz-js/viz").instance();
  const made = graphviz.render(stdout, {
    format: "svg",
    engine: "dot",
    graphAttributes: LOOK,
    nodeAttributes: { ...WORDS, class: "noun", margin: "0.2,0.06" },
    edgeAttributes: { ...WORDS, fontsize: 9 },
  });
  if (made.status !== "success") return `<pre>${escaped(made.errors.map(({ message }) => message).join("\n"))}</pre>`;
  return made.output.slice(made.output.indexOf("<svg"));
}

// Colours are the theme's, which go over those that Graphviz writes as attributes.
function page(body) {
  const nonce = randomBytes(16).toString("hex");
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
  svg { max-width: 100%; height: auto; }
  text { fill: var(--vscode-editor-foreground); }
  .node polygon { stroke: var(--vscode-charts-blue, currentColor); fill: var(--vscode-editorWidget-background, none); }
  .cluster polygon { stroke: var(--vscode-editorWidget-border, currentColor); stroke-dasharray: 4; }
  .edge path { stroke: var(--vscode-descriptionForeground); }
  .edge polygon { stroke: var(--vscode-descriptionForeground); fill: var(--vscode-descriptionForeground); }
  .edge text { fill: var(--vscode-descriptionForeground); }
  .node { cursor: pointer; }
</style>
</head>
<body>
${body}
<script nonce="${nonce}">
  const editor = acquireVsCodeApi();
  for (const node of document.querySelectorAll("g.node")) {
    node.addEventListener("click", () => editor.postMessage(node.querySelector("text").textContent));
  }
</script>
</body>
</html>`;
}

async function refresh() {
  if (!panel || !drawn) return;
  const html = page(await draw(drawn));
  if (panel) panel.webview.html = html;
}

/** To the noun that a box names: `cluster gpus on gke`, `pool gpus.h100`. */
async function open(label) {
  const names = (label.split(" ")[1] ?? "").split(".");
  const name = names.at(-1);
  const found = (await server.ask("workspace/symbol", { query: name })) ?? [];
  const within = drawn.folder.toString();
  const symbol = found.find(
    (it) => it.name === name && (it.containerName ?? "") === names.slice(0, -1).join(".") && it.location.uri.startsWith(within),
  );
  if (!symbol) return;
  const { uri, range } = server.converter().asLocation(symbol.location);
  await vscode.window.showTextDocument(uri, { selection: range, viewColumn: vscode.ViewColumn.One });
}

async function show() {
  const at = await project.current();
  if (!at) return;
  drawn = at;
  if (!panel) {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    panel = vscode.window.createWebviewPanel("slipform.graph", "Slipform graph", place, { enableScripts: true, localResourceRoots: [] });
    panel.onDidDispose(() => (panel = undefined));
    panel.webview.onDidReceiveMessage(open);
  }
  panel.reveal(undefined, true);
  await refresh();
}

function register() {
  const written = ({ languageId, fileName }) => languageId === server.LANGUAGE || fileName.endsWith(project.MANIFEST);
  return [
    vscode.commands.registerCommand("slipform.graph", show),
    vscode.workspace.onDidSaveTextDocument((document) => written(document) && refresh()),
  ];
}

module.exports = { refresh, register };
