// Where the blueprint of an editor lies, and the command line of the compiler for it.
"use strict";

const { execFile } = require("node:child_process");
const path = require("node:path");
const vscode = require("vscode");
const server = require("./server");

const MANIFEST = "slipform.toml";

async function exists(uri) {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** The folder of the nearest `slipform.toml`, or the blueprint alone: where the compiler runs, and what it is given. */
async function around(uri) {
  let folder = vscode.Uri.joinPath(uri, "..");
  for (;;) {
    if (await exists(vscode.Uri.joinPath(folder, MANIFEST))) return { folder, path: "." };
    const above = vscode.Uri.joinPath(folder, "..");
    if (above.path === folder.path) return { folder: vscode.Uri.joinPath(uri, ".."), path: path.posix.basename(uri.path) };
    folder = above;
  }
}

/** The projects of the workspace. */
async function all() {
  const manifests = await vscode.workspace.findFiles(`**/${MANIFEST}`, "**/{node_modules,target,out}/**", 100);
  return manifests.sort((a, b) => a.path.localeCompare(b.path)).map((uri) => ({ folder: vscode.Uri.joinPath(uri, ".."), path: "." }));
}

/** The project of the editor in front, or one that is picked. */
async function current() {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === "file" && (uri.path.endsWith(".bp") || path.posix.basename(uri.path) === MANIFEST)) return around(uri);
  const projects = await all();
  if (projects.length < 2) {
    if (!projects.length) vscode.window.showInformationMessage("Slipform: this workspace has no slipform.toml, and no blueprint is open.");
    return projects[0];
  }
  const items = projects.map((project) => ({ label: vscode.workspace.asRelativePath(project.folder), project }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "The project" }))?.project;
}

/** What the compiler prints, and how it ended. */
function run(args, folder) {
  return new Promise((done) => {
    const environment = { ...process.env, NO_COLOR: "1" };
    const options = { cwd: folder?.fsPath, env: environment, maxBuffer: 64 << 20, timeout: 60_000 };
    execFile(server.program(), args, options, (error, stdout, stderr) => {
      const failed = error && typeof error.code !== "number" ? String(error.message ?? error) : "";
      done({ clean: !error, stdout, stderr: failed || stderr });
    });
  });
}

module.exports = { MANIFEST, all, current, run };
