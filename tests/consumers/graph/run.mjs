// The pages of `slipform graph` in a real browser: desk and phone, light and dark.
//   node run.mjs --modules FOLDER --chromium PROGRAM --slipform PROGRAM --work FOLDER BLUEPRINT...
// --modules   node_modules with playwright-core
// --work      where pages, drawings and pictures of them are put
// A page asks nobody for anything, says nothing on the console, shows what the build's own manifest says of each noun, and is operated
// with a mouse and with keys.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const names = ["modules", "chromium", "slipform", "work"];
const { values: given, positionals: blueprints } = parseArgs({
  options: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  allowPositionals: true,
});
const work = resolve(given.work);
const { chromium } = createRequire(join(resolve(given.modules), "package.json"))("playwright-core");

const screens = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  night: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 400, height: 800 }, colorScheme: "light", hasTouch: true },
};

function must(holds, what) {
  if (!holds) throw new Error(what);
}

function same(found, wanted, what) {
  const [a, b] = [found, wanted].map((it) => JSON.stringify(it));
  must(a === b, `${what}: ${a} instead of ${b}`);
}

// ---- what is opened

function slipform(...words) {
  const { status, stdout, stderr } = spawnSync(given.slipform, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  must(status === 0 || status === 1, `slipform ${words.join(" ")} ended with ${status}: ${stderr}`);
  return { status, stdout };
}

/** The page and the drawing of a blueprint, and what a build says of its nouns; nothing of one with errors. */
function write(blueprint) {
  const name = basename(blueprint, ".bp");
  const [page, drawing] = ["html", "svg"].map((format) => {
    const file = join(work, `${name}.${format}`);
    writeFileSync(file, slipform("graph", blueprint, "--format", format).stdout);
    return pathToFileURL(file).href;
  });
  const out = join(work, "built", name);
  const built = slipform("build", blueprint, "--out", out).status === 0;
  const artifacts = built ? JSON.parse(readFileSync(join(out, "slipform.manifest.json"), "utf8")).artifacts : [];
  return { name, page, drawing, artifacts, built };
}

/** A page that may ask for nothing but itself, and what it asked for and said all the same. */
async function open(browser, screen, address) {
  const context = await browser.newContext(screens[screen]);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("dialog", (dialog) => said.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  const asked = [];
  await context.route(/.*/, (route) => {
    asked.push(route.request().url());
    return route.request().url() === address ? route.continue() : route.abort();
  });
  await page.goto(address);
  return { page, context, said, asked };
}

// ---- what is looked at

const texts = (page, selector) => page.locator(selector).allTextContents();

/** What a reader sees of the boxes: all of them, with their text inside and nothing of one on another. */
async function boxes(page) {
  const faults = await page.evaluate(() => {
    const cards = [...document.querySelectorAll(".noun")].map((noun) => ({
      name: noun.querySelector(".name").textContent,
      card: noun.querySelector(".card").getBBox(),
      texts: [...noun.querySelectorAll("text")].filter((text) => text.textContent).map((text) => text.getBBox()),
    }));
    const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    const outside = cards.filter(({ card, texts }) => texts.some((text) => text.x + text.width > card.x + card.width - 4 || text.x < card.x + 6));
    const crossed = cards.filter(({ texts }) => texts.some((text, at) => texts.some((other, to) => at < to && text.y + 4 < other.y + other.height && other.y + 4 < text.y + text.height && meet(text, other))));
    const covered = cards.filter(({ card }, at) => cards.some(({ card: other }, to) => at < to && meet(card, other)));
    return [...outside, ...crossed, ...covered].map(({ name }) => name);
  });
  same(faults, [], "boxes whose text does not fit, or that meet others");
  const { wide, seen } = await page.evaluate(() => ({ wide: document.scrollingElement.scrollWidth, seen: innerWidth }));
  must(wide <= seen, `the page is ${wide} wide, the screen ${seen}`);
}

/** Every noun once beside the drawing, with its place and the files that the manifest says are of it. */
async function nouns(page, { artifacts, built }) {
  const count = await page.locator(".noun").count();
  for (let at = 0; at < count; at++) {
    await page.locator(`[data-noun="${at}"]`).dispatchEvent("click");
    const [path] = await texts(page, "#panel h2");
    const address = page.locator("#panel .source a");
    const [place, link] = [await address.textContent(), await address.getAttribute("href")];
    same(link, `./${place.replace(/:(\d+)$/, "#L$1")}`, `the link of ${path}`);
    const shown = await page.locator("#panel .folder").evaluateAll((folders) =>
      folders.flatMap((it) => [...it.querySelectorAll("li code")].map((file) => it.querySelector("code").textContent + file.textContent)));
    const made = artifacts.filter((artifact) => artifact.nouns.includes(path));
    same(shown.sort(), made.map((artifact) => artifact.path).sort(), `what ${path} renders to`);
    must(!built || made.length === 0 || made.every((artifact) => artifact.sources.includes(place)), `${path} does not stand at ${place}`);
  }
  await page.keyboard.press("Escape");
}

async function search(page) {
  const count = await page.locator(".noun").count();
  const [path] = await texts(page, "#panel li .path >> nth=-1");
  await page.keyboard.press("/");
  await page.keyboard.type(path.toUpperCase());
  const hits = await page.locator(".noun:not(.missed)").count();
  must(hits > 0 && (hits < count || count === 1), `${hits} of ${count} nouns are called ${path}`);
  same(await page.locator("#panel li").count(), hits, `nouns in the list that are called ${path}`);
  same(await page.locator("#count").textContent(), `${hits} of ${count}`, "the count");
  await page.locator("#search").fill("no noun is called so");
  same(await page.locator("#panel li").count(), 0, "nouns that are called by a name that none has");
  await page.keyboard.press("Escape");
  same(await page.locator(".noun.missed").count(), 0, "nouns that are missed without a search");
}

/** A click, and keys from there: neighbours are lit, the address leads back, and Escape ends it. */
async function choice(page) {
  const told = JSON.parse(await page.locator("#data").textContent());
  const chosen = told.nouns.findIndex((noun) => noun.needs.length) >= 0 ? told.nouns.findIndex((noun) => noun.needs.length) : 0;
  await page.locator(`[data-noun="${chosen}"] .card`).click();
  const { path, needs } = told.nouns[chosen];
  same(await texts(page, "#panel h2"), [path], "the noun that was clicked");
  const lit = await page.locator(".noun.needs").evaluateAll((all) => all.map((it) => Number(it.dataset.noun)));
  same(lit, needs.map(([to]) => to).sort((a, b) => a - b), `what ${path} needs`);
  await page.locator("#panel").hover();
  same(await page.locator(".slipform.lit").count(), 1, "what is lit when the mouse is gone");
  const address = page.url();
  await page.reload();
  same(await texts(page, "#panel h2"), [path], `the noun of ${address}`);
  await page.locator(`[data-noun="${chosen}"]`).focus();
  for (const key of ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
  const focused = await page.evaluate(() => document.activeElement.dataset.noun);
  must(focused !== undefined, "arrows lead out of the boxes");
  await page.keyboard.press("Enter");
  same(await texts(page, "#panel h2"), [told.nouns[Number(focused)].path], "the noun that was reached with keys");
  await page.keyboard.press("Escape");
  same(await page.locator(".slipform.lit").count() + (await page.locator("#panel h2").count()), 0, "what is left of a choice that ended");
}

/** What the page would ask for if someone made it: nothing leaves. */
async function walled(page, asked) {
  const before = asked.length;
  const outcome = await page.evaluate(async () => {
    document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/image" }));
    const script = Object.assign(document.createElement("script"), { textContent: "globalThis.ran = true" });
    document.body.append(script);
    const sent = await fetch("http://127.0.0.1:9/").then(() => "sent", () => "refused");
    return [sent, globalThis.ran ?? false];
  });
  same(outcome, ["refused", false], "a request and a script that are not the page's own");
  same(asked.slice(before), [], "requests that left");
}

async function judge(browser, screen, made) {
  const { page, context, said, asked } = await open(browser, screen, made.page);
  const empty = (await page.locator(".noun").count()) === 0;
  if (empty) {
    same(await texts(page, "#empty"), ["The blueprint has no nouns."], "what an empty page says");
  } else {
    await boxes(page);
    await page.screenshot({ path: join(work, `${made.name}-${screen}.png`) });
    await search(page);
    await choice(page);
    if (screen === "desk") await nouns(page, made);
  }
  same(await page.locator("#wrong").count(), made.built ? 0 : 1, "words about errors");
  same([...new Set(asked.map((url) => url.split("#")[0]))], [made.page], "what was asked for");
  same(said, [], "what was said on the console");
  await walled(page, asked);
  await context.close();
  return empty;
}

/** A drawing is XML of its own. */
async function alone(browser, { drawing, page }) {
  const opened = await open(browser, "desk", drawing);
  const wanted = await open(browser, "desk", page);
  const [found, nouns] = await Promise.all([opened, wanted].map((it) => it.page.locator(".noun").count()));
  same(found, nouns, "boxes of the drawing alone");
  same([opened.asked, opened.said], [[drawing], []], "what the drawing asked for and said");
  await Promise.all([opened.context.close(), wanted.context.close()]);
}

async function main() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const browser = await chromium.launch({
    executablePath: given.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
  let wrong = 0;
  for (const blueprint of blueprints) {
    try {
      const made = write(blueprint);
      for (const screen of Object.keys(screens)) await judge(browser, screen, made);
      await alone(browser, made);
      console.log(`ok     ${made.name}`);
    } catch (error) {
      wrong += 1;
      console.log(`WRONG  ${basename(blueprint, ".bp")}: ${error.message}`);
    }
  }
  await browser.close();
  console.log(`graph: ${blueprints.length - wrong} of ${blueprints.length} blueprints on ${Object.keys(screens).join(", ")}, pictures in ${work}`);
  process.exit(wrong ? 1 : 0);
}

await main();
