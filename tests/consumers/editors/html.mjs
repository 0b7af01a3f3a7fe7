// Blueprints as pages show them: by Shiki, which gives a page, or Monaco by way of @shikijs/monaco, the colours of VS Code.
//   node html.mjs MODULES GRAMMAR <FILES
// FILES is a JSON list of texts; printed is for each the text of its HTML, and the colours of its pieces in order.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, grammarPath] = process.argv.slice(2);
const folder = resolve(modules);
const { createHighlighter } = await import(pathToFileURL(createRequire(join(folder, "x.js")).resolve("shiki")));

const grammar = JSON.parse(readFileSync(grammarPath, "utf8"));
const highlighter = await createHighlighter({ themes: ["dark-plus"], langs: [{ ...grammar, name: "slipform" }] });

const NAMED = { lt: "<", gt: ">", quot: '"', amp: "&" };
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, "")
    // each once: what comes of one is no part of another
    .replace(/&(?:#x([0-9A-F]+)|(\w+));/gi, (_, code, name) => (code ? String.fromCodePoint(parseInt(code, 16)) : NAMED[name]));

const told = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const html = highlighter.codeToHtml(text, { lang: "slipform", theme: "dark-plus" });
  const pieces = [...html.matchAll(/<span style="color:(#[0-9A-F]{6})[^"]*">(.*?)<\/span>/gi)];
  return { text: plain(html), pieces: pieces.map(([, colour, piece]) => [plain(piece).trim(), colour.toUpperCase()]) };
});
process.stdout.write(JSON.stringify(told));
