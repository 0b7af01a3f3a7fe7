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

// Sentences of the standard library: code between backticks, nothing else.
export function prose(text) {
  return escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

// The fragment that a heading is reached by, as on GitHub.
export const anchor = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
