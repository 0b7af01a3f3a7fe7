// A page for each code that the program explains, and one for each area of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chapterAt, hasSource, speaksOf } from "./book.js";
import { block, mended } from "./code.js";
import { anchor, between, escape, prose } from "./html.js";
import { checked, codes, root } from "./slipform.js";

const RULES = "/reference/rules/";
const isRule = ({ source }) => source !== null;

export function kindsOf({ on }) {
  const names = on?.split(" | ") ?? [];
  return names.map((name) => ({ name: name.replace(".", " on "), url: `/reference/kinds/${name.replace(".", "-on-")}/` }));
}

export const rulePages = () => codes.map(rulePage);

function rulePage(code, at) {
  const { url, area } = code;
  const near = (step) => (codes[at + step]?.area === area ? { url: codes[at + step].url, name: codes[at + step].code } : undefined);
  const [lead, ...reasons] = code.what.split(/\n\n+/);
  const parts = [
    ["", reasons.map(reason).join("")],
    ["Broken, and mended", example(code)],
    ["Help", list(code.help)],
    ["Found in logs where it is not kept", list(code.symptoms)],
    ["How it is written", code.source ? block(code.source, "bp") : ""],
    ["Read on", readOn(code)],
  ].filter(([, html]) => html);
  return {
    url,
    title: code.code,
    section: isRule(code) ? "Rule" : "Report",
    description: lead,
    above: [RULES, `${RULES}${area}/`],
    headings: parts.filter(([title]) => title).map(([title]) => ({ level: 2, id: anchor(title), html: title })),
    html: `<h1><code>${code.code}</code></h1><p class="badges">${badges(code)}</p><p class="lead">${prose(lead)}</p>${parts.map(part).join("\n")}`,
    before: near(-1),
    after: near(1),
  };
}

function badges(code) {
  const severity = code.severity ? `<span class="badge ${code.severity}">${code.severity}</span>` : '<span class="badge">report</span>';
  const kinds = kindsOf(code).map(({ name, url }) => `<a href="${between(code.url, url)}"><code>${name}</code></a>`);
  return kinds.length ? `${severity} on ${kinds.join(", ")}` : severity;
}

const part = ([title, html]) => (title ? `<h2 id="${anchor(title)}">${title}</h2>\n${html}` : html);
const reason = (text) => `<p>${prose(text).replace(/^(Why|Example):/, "<strong>$1:</strong>")}</p>`;
const list = (items) => (items.length ? `<ul>${items.map((item) => `<li>${prose(item)}</li>`).join("")}</ul>` : "");

// The smallest program that breaks the rule, what is said of it, and what mends it: those that hold the compiler to it.
function example({ code }) {
  const [broken, whole] = [`tests/check/${code}.bp`, `tests/check/${code}.ok.bp`];
  if (!hasSource(broken) || !hasSource(whole)) return "";
  const [before, after] = [broken, whole].map((path) => readFileSync(join(root, path), "utf8").replace(/ *# (error|warning|advice|help|at): .*$/gm, ""));
  return `${mended(before, after)}<pre class="code text" tabindex="0"><code>${escape(reports(before, code)).replace(/^(error|warning)/gm, '<b class="$1">$1</b>')}</code></pre>`;
}

// What `check` says with this code; a program may break others too.
function reports(text, code) {
  const said = checked(text).split(/\n+(?=(?:error|warning|advice)\[|checked )/);
  return said.filter((report) => report.includes(`[${code}]`)).join("\n\n");
}

function readOn(code) {
  const pages = speaksOf(code.url).map(({ url, title }) => ({ url, name: title }));
  if (isRule(code)) pages.push({ url: "/how-to/allow-a-rule/", name: chapterAt("/how-to/allow-a-rule/").title });
  pages.push({ url: "/diagnostics/", name: chapterAt("/diagnostics/").title });
  const found = new Map(pages.map((page) => [page.url, page]));
  return `<ul>${[...found.values()].map(({ url, name }) => `<li><a href="${between(code.url, url)}">${escape(name)}</a></li>`).join("")}</ul>`;
}

export function table(from, rows) {
  const lines = rows.map((code) => {
    const [lead] = code.what.split("\n");
    return `<tr><td data-head="code"><a href="${between(from, code.url)}"><code>${code.code}</code></a></td><td data-head="severity"><span class="badge ${code.severity ?? ""}">${code.severity ?? "report"}</span></td><td data-head="what">${prose(lead)}</td></tr>`;
  });
  return `<div class="table wide"><table><thead><tr><th>code</th><th>severity</th><th>what must hold, or is wrong</th></tr></thead><tbody>${lines.join("")}</tbody></table></div>`;
}

const areas = [...new Set(codes.map(({ area }) => area))];

export const areaPages = () => areas.map(areaPage);

function areaPage(area) {
  const url = `${RULES}${area}/`;
  const own = codes.filter((code) => code.area === area);
  const parts = [["Rules", own.filter(isRule)], ["Reports of the compiler and its targets", own.filter((code) => !isRule(code))]];
  const shown = parts.filter(([, rows]) => rows.length);
  return {
    url,
    title: area,
    section: "Rules",
    description: `What must hold of a blueprint: ${area}.`,
    above: [RULES],
    headings: shown.map(([title]) => ({ level: 2, id: anchor(title), html: title })),
    html: `<h1>${area}</h1>${shown.map(([title, rows]) => part([title, table(url, rows)])).join("")}`,
  };
}

// What the page of all rules says besides: areas in which nothing is a rule.
export function furtherAreas() {
  const further = areas.filter((area) => codes.every((code) => code.area !== area || !isRule(code)));
  const links = further.map((area) => `<li><a href="${between(RULES, `${RULES}${area}/`)}">${area}</a></li>`);
  return `<h2 id="reports">reports</h2><p>What the compiler and its targets report without a rule.</p><ul class="columns">${links.join("")}</ul>`;
}

export const rulesOn = (url) => codes.filter((code) => kindsOf(code).some((kind) => kind.url === url));
