// `slipform check` and `slipform build` as tasks: their reports become problems, also of files that are not open.
"use strict";

const vscode = require("vscode");
const project = require("./project");
const server = require("./server");

const TYPE = "slipform";
const COMMANDS = ["check", "build"];

function task(definition, at) {
  const { command } = definition;
  const args = [command, "--message-format", "short", ...server.flags(), at.path];
  const scope = vscode.workspace.getWorkspaceFolder(at.folder) ?? vscode.TaskScope.Workspace;
  const place = vscode.workspace.asRelativePath(at.folder, false);
  const within = scope.uri?.path === at.folder.path ? "" : ` ${place}`;
  const execution = new vscode.ProcessExecution(server.program(), args, { cwd: at.folder.fsPath });
  const made = new vscode.Task(definition, scope, `${command}${within}`, "slipform", execution, "$slipform");
  if (command === "build") made.group = vscode.TaskGroup.Build;
  made.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
  return made;
}

const provider = {
  async provideTasks() {
    const projects = await project.all();
    return projects.flatMap((at) => COMMANDS.map((command) => task({ type: TYPE, command, project: vscode.workspace.asRelativePath(at.folder) }, at)));
  },
  async resolveTask(asked) {
    const { command, project: named } = asked.definition;
    if (!COMMANDS.includes(command)) return undefined;
    const found = (await project.all()).find(({ folder }) => !named || vscode.workspace.asRelativePath(folder) === named);
    return found && task(asked.definition, found);
  },
};

async function perform(command) {
  const at = await project.current();
  if (at) await vscode.tasks.executeTask(task({ type: TYPE, command }, at));
}

function register() {
  const { registerCommand } = vscode.commands;
  return [
    vscode.tasks.registerTaskProvider(TYPE, provider),
    registerCommand("slipform.check", () => perform("check")),
    registerCommand("slipform.build", () => perform("build")),
  ];
}

module.exports = { register };
