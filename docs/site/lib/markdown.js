// Markdown of the repository as a page: its links lead to pages, its code is coloured, its blueprints have beside them what they render to.
import { imageSize } from "image-size";
import markdownIt from "markdown-it";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { artifacts, block, report } from "./code.js";
import { anchor, between, code, link } from "./html.js";
import { codes, gpus, machines, rendered, root } from "./slipform.js";

// What is named in the type of code and has a page.
const NAMED = new Map([...codes.map((code) => [code.code, code.url]), ...[...machines, ...gpus].map((row) => [row.name, row.url])]);

const reader = markdownIt({ html: true });
reader.core.ruler.push("book", (state) => {
  const { tokens, env } = state;
  env.headings = [];
  tokens.forEach((token, at) => {
    if (token.type === "heading_open") head(token, tokens[at + 1], env);
    if (token.type === "inline") inline(token.children, env);
    if (token.type === "table_open") table(token, tokens.slice(at));
    if (token.type === "fence" && token.info === "bp") token.meta = { project: project(tokens, at) };
  });
});

// A title names the page, a heading below it is where a link may lead.
function head(token, { content, children }, env) {
  const html = reader.renderer.renderInline(children, reader.options, env);
  if (token.tag === "h1") {
    env.title = content.replaceAll("`", "");
    return;
  }
  const id = anchor(content);
  const again = env.headings.filter((heading) => heading.first === id).length;
  env.headings.push({ level: Number(token.tag[1]), id: again ? `${id}-${again}` : id, first: id, html });
  token.attrSet("id", env.headings.at(-1).id);
}

// A table of three columns or more is read row by row on a phone: each cell then says what it holds.
function table(opening, tokens) {
  const own = tokens.slice(
    0,
    tokens.findIndex(({ type }) => type === "table_close"),
  );
  const heads = own.flatMap(({ type }, at) => (type === "th_open" ? [own[at + 1].content] : []));
  if (heads.length < 3) return;
  opening.meta = { wide: true };
  own.filter(({ type }) => type === "td_open").forEach((cell, at) => cell.attrSet("data-head", heads[at % heads.length]));
}

function inline(children, env) {
  let within = 0;
  for (const token of children) {
    if (token.type === "link_open") token.attrSet("href", lead(token.attrGet("href"), env));
    within += token.type === "link_open" ? 1 : token.type === "link_close" ? -1 : 0;
    const page = token.type === "code_inline" && !within && NAMED.get(token.content);
    if (page && page !== env.url) {
      env.mention(page);
      token.meta = { page };
    }
    if (token.type === "image") for (const [name, value] of Object.entries(picture(token.attrGet("src"), env))) token.attrSet(name, value);
    if (token.type === "html_inline") throw new Error(`${env.source}: ${token.content} is HTML`);
  }
}

// Where a link of a file of the repository leads on the site.
function lead(href, env) {
  if (/^[a-z]+:/.test(href)) return href;
  const [file, fragment] = href.split("#");
  if (!file) return href;
  const path = posix.normalize(posix.join(posix.dirname(env.source), file));
  const page = env.page(path, fragment);
  if (!page) throw new Error(`${env.source}: ${href} leads to no page of the site`);
  env.mention(page);
  return between(env.url, page);
}

// Pictures have two of their pixels for each of the page.
const FINER = 2;

// What is said of a picture of the repository: where it is on the site, and the room that it takes before it is there.
function picture(src, env) {
  const path = posix.normalize(posix.join(posix.dirname(env.source), src));
  const place = env.picture(path);
  if (!place) throw new Error(`${env.source}: ${src} is no picture of the repository`);
  const { width, height } = imageSize(readFileSync(join(root, path)));
  return { src: between(env.url, place), width: Math.round(width / FINER), height: Math.round(height / FINER), loading: "lazy" };
}

// The only HTML of the book: what moves, and what stands in its place for those who want no motion.
function moving(html, env) {
  const attributes = (it) => Object.entries(it).map(([name, value]) => `${name}="${value}"`).join(" ");
  return html
    .replace(/srcset="([^"]+)"/g, (_, src) => `srcset="${picture(src, env).src}"`)
    .replace(/\bsrc="([^"]+)"/g, (_, src) => attributes(picture(src, env)));
}

// A whole blueprint, with the settings that are shown after it in its section.
function project(tokens, at) {
  const after = tokens.slice(at + 1).find(({ type }) => type === "fence" || type === "heading_open");
  const settings = after?.info === "toml" ? { "slipform.toml": after.content } : {};
  return { "train.bp": tokens[at].content, ...settings };
}

reader.renderer.rules.fence = (tokens, at, options, env) => {
  const { content, info, meta } = tokens[at];
  const [language, word = ""] = info.split(" ");
  if (language === "text") return report(content, leading(env));
  const files = meta ? rendered(meta.project, `the blueprint of ${env.source}`) : [];
  // Of values alone nothing is made but a page that says so.
  const beside = files.length > 2 ? artifacts(files) : "";
  return `<div class="example">${block(content, language, word)}${beside}</div>\n`;
};

// Codes in a report that is shown lead to their pages.
function leading(env) {
  return (code) => {
    const page = NAMED.get(code);
    return page && page !== env.url ? link(env.url, page, code) : code;
  };
}

reader.renderer.rules.code_inline = (tokens, at, options, env) => {
  const { content, meta } = tokens[at];
  return meta ? link(env.url, meta.page, code(content)) : code(content);
};
reader.renderer.rules.html_block = (tokens, at, options, env) => {
  if (tokens[at].content.trim().startsWith("<!--")) return "";
  if (tokens[at].content.startsWith("<picture>")) return moving(tokens[at].content, env);
  throw new Error(`${env.source}: ${tokens[at].content} is HTML`);
};
reader.renderer.rules.table_open = (tokens, at) => `<div class="table${tokens[at].meta?.wide ? " wide" : ""}"><table>\n`;
reader.renderer.rules.table_close = () => "</table></div>\n";
reader.renderer.rules.heading_close = (tokens, at) => {
  const id = tokens[at - 2].attrGet("id");
  return `${id ? `<a class="anchor" href="#${id}" aria-label="Link to this section"></a>` : ""}</${tokens[at].tag}>\n`;
};

// `page` says where a file of the repository is on the site, `picture` where a picture is; `mention` is told what the text speaks of.
export function read(text, { source, url, page, picture, mention }) {
  const env = { source, url, page, picture, mention };
  const html = reader.render(text, env);
  return { title: env.title, headings: env.headings, html };
}
