// A project in VS Code's workbench, which code-server of npm serves and a headless browser shows.
import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Workbench } from "./workbench.mjs";

const here = dirname(fileURLToPath(import.meta.url));

// Light or dark is not asked of the machine, no dialog is waited for, and what is typed lies on disk a moment later.
const SETTINGS = {
  "workbench.colorTheme": "Default Dark Modern",
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.editor.enablePreview": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "afterDelay",
  "files.autoSaveDelay": 50,
  "editor.minimap.enabled": false,
  "terminal.integrated.gpuAcceleration": "off",
  "window.menuBarVisibility": "compact",
  "git.enabled": false,
};

// Neither asks anybody for anything.
const ALONE = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const QUIET = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];

// What of the command line the workbench is made of.
export const PARTS = ["vscode", "chromium", "vsix", "slipform", "work"];

/**
 * The project in a workbench, with `train.bp` open, for as long as `use` takes: it is given a `Workbench`.
 * `parts` are those of the command line, `settings` the user's, beside those above, `look` is what the browser's page has.
 */
export async function inWorkbench(parts, { settings = {}, look }, use) {
  const [vscode, work] = [resolve(parts.vscode), resolve(parts.work)];
  const project = join(work, "project");
  const program = programOf(vscode, work);
  prepare(parts, work, project, settings);
  program.run("--install-extension", resolve(parts.vsix));
  const { chromium } = createRequire(join(vscode, "package.json"))("playwright-core");
  const { server, address } = program.serve();
  let browser;
  try {
    browser = await chromium.launch({
      executablePath: parts.chromium,
      args: ALONE,
    });
    const page = await browser.newPage(look);
    await page.goto(`${await address}?folder=${project}`);
    const bench = new Workbench(page, project);
    await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 60_000 });
    await bench.open("train.bp");
    return await use(bench);
  } finally {
    await browser?.close();
    server.kill();
  }
}

function prepare(parts, work, project, settings) {
  rmSync(work, { recursive: true, force: true });
  for (const folder of ["User", "Machine"]) mkdirSync(join(work, "user", folder), { recursive: true });
  cpSync(join(here, "project"), project, { recursive: true });
  writeFileSync(join(work, "user/User/settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
  // Programs are settings of the machine, which the workbench in a browser tells from the user's.
  writeFileSync(join(work, "user/Machine/settings.json"), JSON.stringify({ "slipform.path": resolve(parts.slipform) }));
}

function programOf(vscode, work) {
  const entry = join(vscode, "node_modules/code-server/out/node/entry.js");
  const folders = ["--user-data-dir", join(work, "user"), "--extensions-dir", join(work, "extensions")];
  // A code-server that is started within one of its own terminals hands what it is asked to that one.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VSCODE_"));
  const env = { ...Object.fromEntries(own), XDG_CONFIG_HOME: join(work, "config"), XDG_DATA_HOME: join(work, "data") };
  const options = ["--bind-addr", "127.0.0.1:0", ...QUIET];
  return {
    run: (...words) => execFileSync("node", [entry, ...folders, ...words], { env }),
    serve: () => listening(spawn("node", [entry, ...folders, ...options], { env, stdio: ["ignore", "pipe", "pipe"] })),
  };
}

function listening(server) {
  const address = new Promise((found, failed) => {
    let said = "";
    const read = (piece) => {
      said += piece;
      const url = said.match(/HTTP server listening on (http:\S+)/)?.[1];
      if (url) found(url);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", (status) => failed(new Error(`code-server ended with ${status}: ${said.slice(-2000)}`)));
  });
  return { server, address };
}
