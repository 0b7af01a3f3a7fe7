// The extension in a real VS Code: its workbench, served by code-server of npm, in a headless browser.
//   node run.mjs --vscode FOLDER --chromium PROGRAM --vsix FILE --slipform PROGRAM --work FOLDER [--only CASE]
// --vscode    what tests/consumers/getting.bash makes: code-server and playwright-core
// --vsix      the packed extension
// --work      where a project is laid out and pictures are put, one for each case
// --only      the cases whose names begin so
import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cases } from "./cases.mjs";
import { Workbench } from "./workbench.mjs";

const names = ["vscode", "chromium", "vsix", "slipform", "work", "only"];
const { values: given } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const here = dirname(fileURLToPath(import.meta.url));
const vscode = resolve(given.vscode);
const work = resolve(given.work);
const project = join(work, "project");
const entry = join(vscode, "node_modules/code-server/out/node/entry.js");
const folders = ["--user-data-dir", join(work, "user"), "--extensions-dir", join(work, "extensions")];

// Light or dark is not asked of the machine, no dialog is waited for, and what is typed lies on disk a moment later.
const settings = {
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
// Programs are settings of the machine, which the workbench in a browser tells from the user's.
const machine = { "slipform.path": resolve(given.slipform) };

function prepare() {
  rmSync(work, { recursive: true, force: true });
  for (const folder of ["User", "Machine"]) mkdirSync(join(work, "user", folder), { recursive: true });
  cpSync(join(here, "project"), project, { recursive: true });
  writeFileSync(join(work, "user/User/settings.json"), JSON.stringify(settings));
  writeFileSync(join(work, "user/Machine/settings.json"), JSON.stringify(machine));
  execFileSync("node", [entry, ...folders, "--install-extension", resolve(given.vsix)], { env: environment() });
}

// A code-server that is started within one of its own terminals hands what it is asked to that one.
function environment() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("VSCODE_"));
  return { ...Object.fromEntries(own), XDG_CONFIG_HOME: join(work, "config"), XDG_DATA_HOME: join(work, "data") };
}

function serve() {
  const options = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const server = spawn("node", [entry, ...folders, ...options], { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
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

async function main() {
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1000).toFixed(0);
  prepare();
  const { chromium } = createRequire(join(vscode, "package.json"))("playwright-core");
  const { server, address } = serve();
  let browser;
  const failed = [];
  try {
    browser = await chromium.launch({
      executablePath: given.chromium,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
    });
    const page = await browser.newPage({ viewport: { width: 1700, height: 1300 } });
    await page.goto(`${await address}?folder=${project}`);
    const bench = new Workbench(page, project);
    await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 60_000 });
    await bench.open("train.bp");
    console.log(`the workbench is there after ${seconds()} s`);
    const text = bench.text();
    for (const [name, act] of Object.entries(cases)) {
      if (given.only && !name.startsWith(given.only)) continue;
      try {
        await act(bench);
        console.log(`ok     ${name}`);
      } catch (error) {
        failed.push(name);
        console.log(`WRONG  ${name}: ${error.message}`);
      }
      await page.screenshot({ path: join(work, `${name.replace(/\W+/g, "-")}.png`) });
      await bench.cleared(text).catch((error) => console.log(`       afterwards: ${error.message}`));
    }
    const said = await bench.texts(".notification-list-item.error .notification-list-item-message, .notification-list-item-message");
    if (said.length) console.log(`notifications: ${said.join("; ")}`);
  } finally {
    await browser?.close();
    server.kill();
  }
  const tried = Object.keys(cases).filter((name) => !given.only || name.startsWith(given.only)).length;
  console.log(`vscode: ${tried - failed.length} of ${tried} cases in ${seconds()} s, pictures in ${work}`);
  process.exit(failed.length ? 1 : 0);
}

await main();
