// Text as it stands in a page.
import { posix } from "node:path";

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);

// Links are relative, so that the site may lie below any address.
export function between(from, to) {
  const [path, anchor] = to.split("#");
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  if (path === "" || path === from) return fragment || "./";
  const way = posix.relative(from, path) || ".";
  return `${way}${path.endsWith("/") ? "/" : ""}${fragment}`;
}

export const link = (from, to, html, more = "") => `<a href="${between(from, to)}"${more}>${html}</a>`;

export const code = (text) => `<code>${escape(text)}</code>`;

// Sentences of the standard library: code between backticks, nothing else.
export const prose = (text) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");

// The fragment that a heading is reached by, as on GitHub.
export const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

// Nothing for no items.
export function list(items, classes = "") {
  return items.length ? `<ul class="${classes}">${items.map((item) => `<li>${item}</li>`).join("")}</ul>` : "";
}

// A table, nothing for no rows. One of three columns or more is read row by row on a phone: each cell then says what it holds.
export function table(heads, rows) {
  if (!rows.length) return "";
  const cell = (html, at) => `<td data-head="${heads[at]}">${html}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("");
  const head = heads.map((head) => `<th>${head}</th>`).join("");
  return `<div class="table${heads.length > 2 ? " wide" : ""}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

// Parts of a page under their titles; those of which nothing is known are left out.
export function parts(titled) {
  const known = titled.filter(([, html]) => html);
  return {
    headings: known.map(([title]) => ({ level: 2, id: anchor(title), html: title })),
    html: known.map(([title, html]) => `<h2 id="${anchor(title)}">${title}</h2>\n${html}`).join("\n"),
  };
}
