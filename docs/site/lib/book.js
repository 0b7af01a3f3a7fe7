// The pages that somebody wrote: where they are on the site, in which order, and what they speak of.
import { existsSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { artifacts, block } from "./code.js";
import { read } from "./markdown.js";
import { codes, files, rendered, root } from "./slipform.js";

const LICENSE = "LICENSE";
export const hasSource = (path) => existsSync(join(root, path));
const sources = [
  "README.md",
  ...files(join(root, "docs"), (path) => path.endsWith(".md")).map(({ path }) => `docs/${path}`),
  ...files(join(root, "blueprints"), (path) => /^[^/]+\/README\.md$/.test(path)).map(({ path }) => `blueprints/${path}`),
];

function address(source) {
  const path = source
    .replace(/^docs\//, "")
    .replace(/(README)?\.md$/, "")
    .replace(/\/$/, "");
  return path ? `/${path}/` : "/";
}

// A rule has a page of its own, and no place on the page of its area.
function page(path, fragment) {
  if (path === LICENSE) return `/${LICENSE}.txt`;
  if (path === "blueprints/README.md") return "/blueprints/";
  const rule = /^docs\/reference\/rules\//.test(path) && codes.find(({ code }) => code.replace("/", "") === fragment);
  if (rule) return rule.url;
  const source = [path, posix.join(path, "README.md")].find((source) => sources.includes(source));
  return source && `${address(source)}${fragment ? `#${fragment}` : ""}`;
}

// The pictures that pages show, by where they are in the repository: where they are on the site.
export const pictures = new Map();

function picture(path) {
  if (!hasSource(path)) return undefined;
  pictures.set(join(root, path), path.replace(/^docs\//, ""));
  return `/${pictures.get(join(root, path))}`;
}

const mentions = new Map();

function mention(url, to) {
  const [path] = to.split("#");
  if (!mentions.has(path)) mentions.set(path, new Set());
  mentions.get(path).add(url);
}

function chapter(source) {
  const url = address(source);
  const text = readFileSync(join(root, source), "utf8");
  const made = read(text, { source, url, page, picture, mention: (to) => mention(url, to) });
  const first = /^(?!#|<!--|\||```|-|\n)(.+(?:\n(?!\n).+)*)/m.exec(text)?.[0] ?? "";
  const description = first
    .replace(/\s+/g, " ")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "");
  const whole = source.startsWith("blueprints/") ? shipped(posix.dirname(source)) : "";
  return { source, url, ...made, title: made.title.replace(/^Rules: /, ""), html: made.html + whole, description, section: section(url) };
}

// A blueprint that is shipped, in its usual environment.
function shipped(folder) {
  const own = Object.fromEntries(files(join(root, folder), (path) => /\.(bp|toml)$/.test(path)).map(({ path, text }) => [path, text]));
  const shown = Object.entries(own).map(
    ([path, text]) => `<h2 id="${path.replace(".", "")}">${path}</h2>${block(text, path.split(".").pop())}`,
  );
  return `<div class="example">${shown.reverse().join("\n")}${artifacts(rendered(own, folder), true)}</div>`;
}

const SECTIONS = [
  ["/how-to/", "How-to guide"],
  ["/explanation/", "Explanation"],
  ["/reference/rules/", "Rules"],
  ["/reference/kinds/", "Kind"],
  ["/reference/", "Reference"],
  ["/blueprints/", "Blueprint"],
  ["/decisions/", "Decision"],
];

function section(url) {
  return SECTIONS.find(([start]) => url.startsWith(start) && url !== start)?.[1] ?? "";
}

export const book = sources.map(chapter);
const byUrl = new Map(book.map((chapter) => [chapter.url, chapter]));
export const chapterAt = (url) => byUrl.get(url);

// What speaks of a page, the reference left out: it names everything.
export function speaksOf(url) {
  const found = [...(mentions.get(url) ?? [])].filter((from) => from !== url && !from.startsWith("/reference/"));
  return found.map(chapterAt);
}

// The pages below a folder, in the order in which its first page links to them.
function below(folder) {
  const start = readFileSync(join(root, "docs", folder, "README.md"), "utf8");
  const linked = [...start.matchAll(/\]\(([^)#]+\.md)[^)]*\)/g)].map(([, file]) => address(posix.join("docs", folder, file)));
  const all = book
    .map(({ url }) => url)
    .filter((url) => url.startsWith(`/${folder}/`) && url.slice(folder.length + 2).split("/").length === 2);
  return [...new Set([...linked.filter((url) => all.includes(url)), ...all])];
}

const under = (url) => below(url.slice(1, -1));
export const blueprints = book.filter(({ url }) => url.startsWith("/blueprints/")).map(({ url }) => url);

export const contents = [
  { title: "Start", pages: ["/", "/tutorial/", "/language/", "/diagnostics/"] },
  { title: "How-to guides", url: "/how-to/", pages: under("/how-to/") },
  { title: "Blueprints", pages: blueprints },
  { title: "Explanation", url: "/explanation/", pages: under("/explanation/") },
  {
    title: "Reference",
    url: "/reference/",
    pages: under("/reference/"),
    inner: { "/reference/kinds/": under("/reference/kinds/"), "/reference/rules/": under("/reference/rules/") },
  },
  { title: "Project", pages: ["/architecture/", "/decisions/", "/site/"], inner: { "/decisions/": under("/decisions/") } },
];

// The areas of rules in which nothing is a rule, and the shelf of blueprints, have no page in the repository.
export function name(url) {
  if (url === "/blueprints/") return "Blueprints";
  return chapterAt(url)?.title ?? url.split("/").at(-2);
}
export const licence = { from: join(root, LICENSE), to: `${basename(LICENSE)}.txt` };
