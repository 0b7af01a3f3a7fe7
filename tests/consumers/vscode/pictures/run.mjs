// Pictures of the editor for the book: stills, and a story that moves, with one of its frames for those who want no motion.
//   node run.mjs --modules FOLDER --into FOLDER [--only NAME] and what ../run.mjs takes
// --modules   the folder of node packages with sharp
// --into      where the pictures are put
// --only      the pictures whose names begin so
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { inWorkbench, PARTS } from "../served.mjs";
import { stills, story } from "./scenes.mjs";

const names = [...PARTS, "modules", "into", "only"];
const { values: given } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const sharp = createRequire(join(resolve(given.modules), "x.js"))("sharp");
const into = resolve(given.into);
const STORY = "mended";

// Pixels of a picture to one of the page: letters stay sharp on good screens.
const DENSITY = 2;
// What is in no picture gives its place to what is.
const SETTINGS = {
  "workbench.activityBar.location": "hidden",
  "window.commandCenter": false,
  "workbench.layoutControl.enabled": false,
  "remote.autoForwardPorts": false,
  // What is said of a tab under the mouse is a path of this machine.
  "workbench.hover.delay": 600_000,
  "editor.scrollBeyondLastLine": false,
  "editor.stickyScroll.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.scrollbar.vertical": "hidden",
  "editor.scrollbar.horizontal": "hidden",
  "editor.overviewRulerBorder": false,
  "editor.hideCursorInOverviewRuler": true,
  "[plaintext]": { "editor.wordWrap": "on" },
  // A blueprint that is put in whole stays as it is.
  "editor.autoIndent": "none",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
};
// Milliseconds between two pictures that have to be the same.
const QUIET = 500;
const WEBP = { nearLossless: true, quality: 60, effort: 6 };

/** What of the page somebody looks at: the editors, and the panel below them where it is open. */
async function shot({ page, folder }) {
  const said = await page.locator("body").innerText();
  if (said.includes(folder)) throw new Error(`the picture would say that it was made in ${folder}`);
  const boxes = [];
  for (const part of await page.locator(".part.editor, .part.panel").all()) {
    if (await part.isVisible()) boxes.push(await part.boundingBox());
  }
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - y;
  return page.screenshot({ clip: { x, y, width, height }, animations: "disabled", caret: "initial" });
}

/** The picture that the next one is like: nothing is on its way any more. */
async function settled(bench) {
  let last;
  return bench.until("a page that stays as it is", async () => {
    const before = last;
    last = await shot(bench);
    if (before?.equals(last)) return last;
    await bench.page.waitForTimeout(QUIET);
    return false;
  });
}

async function staged(bench, [width, height]) {
  await bench.page.setViewportSize({ width, height });
  await bench.press("Control+Home");
}

async function still(bench, name, { size, act }) {
  await staged(bench, size);
  await act(bench);
  return kept(name, sharp(await settled(bench)));
}

async function moving(bench, name, { size, begin, act }) {
  const [frames, delay] = [[], []];
  await staged(bench, size);
  await begin(bench);
  await act(bench, async (milliseconds, still) => {
    frames.push(await (milliseconds > QUIET ? settled : shot)(bench));
    delay.push(milliseconds);
    if (still) await kept(`${name}-still`, sharp(frames.at(-1)));
  });
  return kept(name, sharp(frames, { join: { animated: true } }), { delay, loop: 0 });
}

async function kept(name, picture, more = {}) {
  const { size } = await picture.webp({ ...WEBP, ...more }).toFile(join(into, `${name}.webp`));
  console.log(`ok     ${name}.webp: ${(size / 1024).toFixed(0)} KiB`);
}

const failed = [];

/** In a workbench of its own: what was asked for before is to be seen in no picture. */
async function workbench(use) {
  const look = { viewport: { width: 1120, height: 900 }, deviceScaleFactor: DENSITY };
  await inWorkbench(given, { settings: SETTINGS, look }, async (bench) => {
    await bench.command("View: Toggle Primary Side Bar Visibility");
    await use(bench, (name, make) =>
      make().catch(async (error) => {
        failed.push(name);
        console.log(`WRONG  ${name}: ${error.message}`);
        await bench.page.screenshot({ path: join(given.work, `${name}.png`) });
      }),
    );
  });
}

const wanted = (name) => !given.only || name.startsWith(given.only);
const taken = Object.entries(stills).filter(([name]) => wanted(name));
mkdirSync(into, { recursive: true });
if (wanted(STORY)) await workbench((bench, tried) => tried(STORY, () => moving(bench, STORY, story)));
if (taken.length) {
  await workbench(async (bench, tried) => {
    const text = bench.text();
    for (const [name, scene] of taken) {
      await tried(name, () => still(bench, name, scene));
      await bench.cleared(text);
    }
  });
}
process.exit(failed.length ? 1 : 0);
