// SPDX-License-Identifier: Apache-2.0
// The built site in a headless browser that reaches nothing but the folder.
//   node browser.mjs --chromium PROGRAM --modules FOLDER --html FOLDER --pictures FOLDER
// Looked at are all pages that somebody wrote and some of each sort that is made, as wide as a phone and as a desk: nothing is asked of
// another host, nothing is missing, no script fails, and no page is wider than the window. The search finds what it is asked for.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const names = ["chromium", "modules", "html", "pictures"];
const { values: given } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const { chromium } = createRequire(join(resolve(given.modules), "x.js"))("playwright-core");
const html = resolve(given.html);
const TYPES = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".json": "application/json",
  ".txt": "text/plain",
};
const WIDTHS = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
// As a project's pages lie below its host.
const BELOW = "/below/";
// Of pages that are made alike, one in so many.
const OF_ALIKE = 40;
const PICTURES = {
  start: "",
  guide: "how-to/tpu-slices/",
  pictures: "how-to/what-the-editor-shows/",
  rule: "reference/rules/gpu/no-mig/",
  kind: "reference/kinds/queue/",
  machine: "reference/catalog/machines/a3-megagpu-8g/",
};
const SEARCHED = {
  "gpu/no-mig": "reference/rules/gpu/no-mig/",
  "a3-megagpu-8g": "reference/catalog/machines/a3-megagpu-8g/",
  tutorial: "tutorial/",
};

const wrong = [];

function serve() {
  const server = createServer(({ url }, answer) => {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    const file = path.startsWith(BELOW) && join(html, path.slice(BELOW.length), path.endsWith("/") ? "index.html" : "");
    if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

function looked() {
  const all = readdirSync(html, { recursive: true })
    .filter((path) => path.endsWith("index.html"))
    .sort();
  const paths = all.map((path) => path.slice(0, -"index.html".length));
  const alike = /^reference\/(rules\/[^/]+\/[^/]+|catalog\/[^/]+\/[^/]+)\/$/;
  return [...paths.filter((path) => !alike.test(path)), ...paths.filter((path) => alike.test(path)).filter((_, at) => at % OF_ALIKE === 0)];
}

async function open(browser, home) {
  const page = await browser.newPage({ viewport: WIDTHS.desk });
  await page.route("**", (route) => {
    const asked = route.request().url();
    if (asked.startsWith(home)) return route.continue();
    wrong.push(`${page.url()} asks for ${asked}`);
    return route.abort();
  });
  page.on("response", (response) => response.status() >= 400 && wrong.push(`${page.url()}: ${response.url()} is ${response.status()}`));
  page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error}`));
  return page;
}

async function fits(page, path) {
  for (const [name, size] of Object.entries(WIDTHS)) {
    await page.setViewportSize(size);
    const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
    if (width > size.width) wrong.push(`/${path} is ${width} wide on a ${name} of ${size.width}`);
  }
}

async function searches(page, home) {
  for (const [words, path] of Object.entries(SEARCHED)) {
    await page.goto(home);
    await page.keyboard.press("/");
    await page.locator("#finder input").fill(words);
    await page.locator("#finder li").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(home + path, { timeout: 10_000 }).catch(() => wrong.push(`the search for ${words} leads to ${page.url()}`));
  }
}

async function pictures(page, home) {
  mkdirSync(given.pictures, { recursive: true });
  for (const look of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: look });
    for (const [name, path] of Object.entries(PICTURES)) {
      await page.goto(home + path);
      for (const [device, size] of Object.entries(WIDTHS)) {
        await page.setViewportSize(size);
        await page.screenshot({ path: join(given.pictures, `${name}-${device}-${look}.png`) });
      }
    }
  }
}

const server = await serve();
const home = `http://127.0.0.1:${server.address().port}${BELOW}`;
const browser = await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox"] });
try {
  const page = await open(browser, home);
  const paths = looked();
  for (const path of paths) {
    await page.goto(home + path);
    await fits(page, path);
  }
  await searches(page, home);
  await pictures(page, home);
  console.log(
    `${paths.length} pages at ${Object.values(WIDTHS)
      .map(({ width }) => width)
      .join(" and ")}, ${Object.keys(SEARCHED).length} searches`,
  );
} catch (error) {
  wrong.push(`the browser goes no further: ${error.message}`);
} finally {
  await browser.close();
  server.close();
}
for (const what of wrong) console.log(`WRONG    ${what}`);
process.exitCode = wrong.length ? 1 : 0;
