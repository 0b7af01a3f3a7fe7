// What stands around the text of a page.
import { contents, name } from "../lib/book.js";
import { between, escape, link } from "../lib/html.js";

const ICONS = {
  search: '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 4 4"/></svg>',
  light: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 3a7 7 0 1 0 7 7 5.5 5.5 0 0 1-7-7z"/></svg>',
  menu: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h14M3 10h14M3 14h14"/></svg>',
};

export function document(page) {
  const to = (url) => between(page.url, url);
  const title = page.url === "/" ? "Slipform: blueprints of AI-training infrastructure" : `${page.title} · Slipform`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<meta name="description" content="${escape(page.description)}">
<link rel="icon" href="${to("/theme/icon.svg")}">
<link rel="stylesheet" href="${to("/theme/site.css")}">
<script src="${to("/theme/look.js")}"></script>
<script type="module" src="${to("/theme/site.js")}"></script>
</head>
<body${page.url === "/" ? ' class="home"' : ""}>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button id="menu" aria-label="Contents" aria-expanded="false" aria-controls="contents">${ICONS.menu}</button>
<a class="brand" href="${to("/")}"><img src="${to("/theme/icon.svg")}" alt="" width="22" height="22">Slipform</a>
<button id="search" aria-label="Search">${ICONS.search}<span>Search</span><kbd>/</kbd></button>
<button id="look" aria-label="Light or dark">${ICONS.light}</button>
</header>
<div class="frame">
<nav id="contents" aria-label="Contents">${contents.map((part) => chapter(part, page)).join("\n")}</nav>
<main id="text" data-pagefind-body>
<article${page.section ? ` data-pagefind-meta="section:${page.section}"` : ""}>
${trail(page)}
${page.html}
</article>
${ends(page)}
</main>
${onThisPage(page)}
</div>
<dialog id="finder" aria-label="Search">
<input type="search" placeholder="Rules, kinds, machines, pages" aria-label="Search for" autocomplete="off" spellcheck="false">
<ol></ol>
<p></p>
</dialog>
</body>
</html>
`;
}

function chapter({ title, url, pages, inner = {} }, page) {
  const around = [page.url, ...page.above];
  const within = around.includes(url) || pages.some((url) => around.includes(url));
  const items = pages.map((url) => item(url, page, around.includes(url) ? inner[url] : undefined));
  const start = url ? item(url, { ...page, above: [] }, undefined, "Overview") : "";
  return `<details${within ? " open" : ""}><summary>${title}</summary><ul>${start}${items.join("")}</ul></details>`;
}

function item(url, page, inner = [], text = name(url)) {
  const here = url === page.url ? ' aria-current="page"' : page.above.at(-1) === url ? ' class="around"' : "";
  const below = inner.length ? `<ul>${inner.map((url) => item(url, page)).join("")}</ul>` : "";
  return `<li>${link(page.url, url, escape(text), here)}${below}</li>`;
}

function trail({ url, above, section }) {
  if (!above.length && !section) return "";
  const links = above.map((folder) => link(url, folder, escape(name(folder))));
  return `<p class="trail" data-pagefind-ignore>${links.length ? links.join(" / ") : section}</p>`;
}

function ends({ url, before, after }) {
  if (!before && !after) return "";
  const end = (page, word) =>
    page ? link(url, page.url, `<small>${word}</small>${escape(page.name)}`, ` class="${word}"`) : "<span></span>";
  const links = `${end(before, "Before")}${end(after, "Next")}`;
  return `<nav class="ends" aria-label="Pages before and after" data-pagefind-ignore>${links}</nav>`;
}

function onThisPage({ headings }) {
  const shown = headings.filter(({ level }) => level < 4);
  const links = shown.map(
    ({ level, id, html }) => `<li class="level-${level}"><a href="#${id}">${html.replace(/<\/?a[^>]*>/g, "")}</a></li>`,
  );
  return shown.length > 1 ? `<aside aria-label="On this page"><p>On this page</p><ul>${links.join("")}</ul></aside>` : "<aside></aside>";
}
