// What grammar.js says, as the JSON that tree-sitter makes of it: a change that was not generated is found without tree-sitter.
//   node grammar.mjs GRAMMAR.JS
import { createRequire } from "node:module";
import { resolve } from "node:path";

const blank = { type: "BLANK" };

function rule(value) {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) {
    const pattern = { type: "PATTERN", value: value.source };
    return value.flags ? { ...pattern, flags: value.flags } : pattern;
  }
  return value;
}

const symbol = (name) => ({ type: "SYMBOL", name });
const many = (type) => (...members) => ({ type, members: members.map(rule) });
const one = (type) => (content) => ({ type, content: rule(content) });
const power = (type) => (value, content) =>
  content === undefined ? { type, value: 0, content: rule(value) } : { type, value, content: rule(content) };

Object.assign(globalThis, {
  seq: many("SEQ"),
  choice: many("CHOICE"),
  optional: (content) => ({ type: "CHOICE", members: [rule(content), blank] }),
  repeat: one("REPEAT"),
  repeat1: one("REPEAT1"),
  token: Object.assign(one("TOKEN"), { immediate: one("IMMEDIATE_TOKEN") }),
  prec: Object.assign(power("PREC"), { left: power("PREC_LEFT"), right: power("PREC_RIGHT") }),
  field: (name, content) => ({ type: "FIELD", name, content: rule(content) }),
  alias: (content, value) => ({
    type: "ALIAS",
    content: rule(content),
    named: typeof value !== "string",
    value: typeof value === "string" ? value : value.name,
  }),
  grammar: (given) => given,
});

const given = createRequire(import.meta.url)(resolve(process.argv[2]));
const $ = new Proxy({}, { get: (_, name) => symbol(name) });
const listed = (make) => (make ? make($).map(rule) : []);
const names = (make) => (make ? make($).map((it) => it.name) : []);
process.stdout.write(
  JSON.stringify({
    name: given.name,
    word: given.word($).name,
    rules: Object.fromEntries(Object.entries(given.rules).map(([name, make]) => [name, rule(make($))])),
    extras: listed(given.extras),
    externals: listed(given.externals),
    inline: names(given.inline),
    supertypes: names(given.supertypes),
  }),
);
