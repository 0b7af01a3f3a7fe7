// Code in colours. Blueprints are read by the grammar that editors use; a word's meaning is a class, and the theme has its colour.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHighlighter } from "shiki";
import { escape } from "./html.js";
import { root } from "./slipform.js";

// The letter of a class, and the scopes that have it. Shiki wants colours, so a letter is one until the text is written.
const MEANINGS = {
  c: ["comment", "punctuation.definition.comment"],
  s: ["string", "punctuation.definition.string", "variable.other.enummember.hcl"],
  n: ["constant", "support.constant", "keyword.other.unit", "variable.language"],
  k: ["keyword", "storage", "support.type", "entity.name.type.terraform"],
  o: ["keyword.operator", "punctuation", "meta.brace"],
  t: ["entity.name.type", "entity.name.section", "entity.name.tag.rule", "entity.name.namespace"],
  f: ["entity.name.function", "support.function"],
  p: [
    "variable.other.property",
    "entity.name.tag",
    "support.type.property-name",
    "variable.declaration.hcl",
    "variable.other.readwrite.hcl",
    "variable.other.key.toml",
    "variable.other.assignment",
    "keyword.other.definition.ini",
  ],
  v: ["source", "text", "variable.other.member", "string.unquoted.argument", "string variable"],
};
const letters = Object.keys(MEANINGS);
const colour = (letter) => `#${String(letters.indexOf(letter) + 1).padStart(6, "0")}`;
const theme = {
  name: "meaning",
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: letters.map((letter) => ({ scope: MEANINGS[letter], settings: { foreground: colour(letter) } })),
};
const blueprint = JSON.parse(readFileSync(join(root, "compiler/lsp/editors/vscode/syntaxes/slipform.tmLanguage.json"), "utf8"));
const LANGUAGES = {
  bp: "bp",
  tf: "terraform",
  tfvars: "terraform",
  hcl: "terraform",
  yaml: "yaml",
  json: "json",
  toml: "toml",
  sh: "bash",
  bash: "bash",
  sbatch: "bash",
  conf: "ini",
  py: "python",
  lua: "lua",
  js: "javascript",
  elisp: "emacs-lisp",
  Dockerfile: "docker",
};
const highlighter = await createHighlighter({
  themes: [theme],
  langs: [{ ...blueprint, name: "bp" }, ...new Set(Object.values(LANGUAGES).filter((language) => language !== "bp"))],
});

// The lines of a text, each as HTML. What no grammar reads is left as it is.
export function lines(text, ending) {
  const language = LANGUAGES[ending];
  if (!language) return text.replace(/\n$/, "").split("\n").map(escape);
  const { tokens } = highlighter.codeToTokens(text.replace(/\n$/, ""), { lang: language, theme: "meaning" });
  return tokens.map((line) =>
    joined(line)
      .map(({ letter, text }) => span(letter, text))
      .join(""),
  );
}

function joined(line) {
  const words = [];
  for (const { content, color } of line) {
    const letter = letters[parseInt(color.slice(1), 10) - 1];
    const last = words.at(-1);
    if (last && (last.letter === letter || !content.trim())) last.text += content;
    else words.push({ letter, text: content });
  }
  return words;
}

const span = (letter, text) =>
  !letter || letter === "v" || !text.trim() ? escape(text) : `<span class="${letter}">${escape(text)}</span>`;

export function block(text, ending, classes = "") {
  return `<pre class="code ${ending} ${classes}" tabindex="0"><code>${lines(text, ending).join("\n")}</code></pre>`;
}

// What the program says of a blueprint; `lead` makes links of codes.
export function report(text, lead = (code) => code) {
  const severity = /^(error|warning|advice)\[([\w/-]+)\]/gm;
  const html = escape(text.trimEnd()).replace(severity, (said, word, code) => `<b class="${word}">${word}</b>[${lead(code)}]`);
  return `<pre class="code text" tabindex="0"><code>${html}</code></pre>\n`;
}

// What was rendered: a panel a file, closed until somebody opens it.
export function artifacts(files, open = false) {
  const shown = files.filter(({ path }) => path !== "slipform.manifest.json");
  const folderOf = ({ path }) => path.slice(0, path.lastIndexOf("/") + 1);
  const listed = [...new Set(shown.map(folderOf))].map((folder) => {
    const inside = shown
      .filter((file) => folderOf(file) === folder)
      .map(file)
      .join("");
    return `<li>${folder && `<span class="folder">${escape(folder)}</span>`}${inside}</li>`;
  });
  return `<details class="renders" data-pagefind-ignore="all"${open ? " open" : ""}>
<summary>Renders to ${shown.length} files</summary>
<ul>${listed.join("\n")}</ul></details>`;
}

function file({ path, text }) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const count = text.split("\n").length - 1;
  const head = `<summary><span>${escape(name)}</span><small>${count} lines</small></summary>`;
  return `<details class="file">${head}${block(text, ending)}</details>`;
}

// The smallest program that breaks a rule, and what mends it, as one text with lines that go and lines that come.
export function mended(broken, whole) {
  const [before, after] = [broken, whole].map((text) => ({ plain: text.trimEnd().split("\n"), html: lines(text.trimEnd(), "bp") }));
  const parts = changes(before.plain, after.plain).map(([sign, at]) => {
    const html = (sign === "+" ? after : before).html[at];
    return sign === " " ? html : `<span class="${sign === "-" ? "goes" : "comes"}">${html || " "}</span>`;
  });
  return `<pre class="code bp change" tabindex="0"><code>${parts.join("\n")}</code></pre>`;
}

// [sign, line] each, by the longest common lines.
function changes(a, b) {
  const kept = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) kept[i][j] = a[i] === b[j] ? kept[i + 1][j + 1] + 1 : Math.max(kept[i + 1][j], kept[i][j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) (found.push([" ", i]), i++, j++);
    else if (i < a.length && (j === b.length || kept[i + 1][j] >= kept[i][j + 1])) found.push(["-", i++]);
    else found.push(["+", j++]);
  }
  return found;
}
