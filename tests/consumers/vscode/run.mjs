// The extension in a real VS Code: its workbench, served by code-server of npm, in a headless browser.
//   node run.mjs --vscode FOLDER --chromium PROGRAM --vsix FILE --slipform PROGRAM --work FOLDER [--only CASE]
// --vscode    what tests/consumers/getting.bash makes: code-server and playwright-core
// --vsix      the packed extension
// --work      where a project is laid out and pictures are put, one for each case
// --only      the cases whose names begin so
// Pictures of the book are made by pictures/make.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cases } from "./cases.mjs";
import { inWorkbench, PARTS } from "./served.mjs";

const { values: given } = parseArgs({ options: Object.fromEntries([...PARTS, "only"].map((name) => [name, { type: "string" }])) });
const began = Date.now();
const seconds = () => ((Date.now() - began) / 1000).toFixed(0);
const tried = Object.entries(cases).filter(([name]) => !given.only || name.startsWith(given.only));
const failed = [];

await inWorkbench(given, { look: { viewport: { width: 1700, height: 1300 } } }, async (bench) => {
  console.log(`the workbench is there after ${seconds()} s`);
  const text = bench.text();
  for (const [name, act] of tried) {
    try {
      await act(bench);
      console.log(`ok     ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`WRONG  ${name}: ${error.message}`);
    }
    await bench.page.screenshot({ path: join(given.work, `${name.replace(/\W+/g, "-")}.png`) });
    await bench.cleared(text).catch((error) => console.log(`       afterwards: ${error.message}`));
  }
  const said = await bench.texts(".notification-list-item.error .notification-list-item-message, .notification-list-item-message");
  if (said.length) console.log(`notifications: ${said.join("; ")}`);
});
console.log(`vscode: ${tried.length - failed.length} of ${tried.length} cases in ${seconds()} s, pictures in ${given.work}`);
process.exit(failed.length ? 1 : 0);
