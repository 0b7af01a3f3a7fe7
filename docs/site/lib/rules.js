// A page for each code that the program explains, and one for each area of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chapterAt, hasSource, speaksOf } from "./book.js";
import { block, mended, report } from "./code.js";
import { code as named, escape, link, list, parts, prose, table } from "./html.js";
import { checked, codes, root } from "./slipform.js";

const RULES = "/reference/rules/";
const isRule = ({ source }) => source !== null;

export const rulePages = () => codes.map(page);

function page(code, at) {
  const { url, area } = code;
  const near = (step) => (codes[at + step]?.area === area ? { url: codes[at + step].url, name: codes[at + step].code } : undefined);
  const [lead, ...reasons] = code.what.split(/\n\n+/);
  const { headings, html } = parts([
    ["Broken, and mended", example(code)],
    ["Help", list(code.help.map(prose))],
    ["Found in logs where it is not kept", list(code.symptoms.map(prose))],
    ["How it is written", code.source ? block(code.source, "bp") : ""],
    ["Read on", readOn(code)],
  ]);
  const head = `<h1>${named(code.code)}</h1><p class="badges">${badges(code)}</p><p class="lead">${prose(lead)}</p>`;
  return {
    url,
    title: code.code,
    section: isRule(code) ? "Rule" : "Report",
    description: lead,
    above: [RULES, `${RULES}${area}/`],
    headings,
    html: `${head}${reasons.map(reason).join("")}${html}`,
    before: near(-1),
    after: near(1),
  };
}

const reason = (text) => `<p>${prose(text).replace(/^(Why|Example):/, "<strong>$1:</strong>")}</p>`;
const badge = ({ severity }) => `<span class="badge ${severity ?? ""}">${severity ?? "report"}</span>`;

function badges(code) {
  const kinds = kindsOf(code).map(({ name, url }) => link(code.url, url, named(name)));
  return kinds.length ? `${badge(code)} on ${kinds.join(", ")}` : badge(code);
}

function kindsOf({ on }) {
  const names = on?.split(" | ") ?? [];
  return names.map((name) => ({ name: name.replace(".", " on "), url: `/reference/kinds/${name.replace(".", "-on-")}/` }));
}

// The smallest program that breaks the rule, what is said of it, and what mends it: those that hold the compiler to it.
function example({ code }) {
  const paths = [`tests/check/${code}.bp`, `tests/check/${code}.ok.bp`];
  if (!paths.every(hasSource)) return "";
  const expected = / *# (error|warning|advice|help|at): .*$/gm;
  const [broken, whole] = paths.map((path) => readFileSync(join(root, path), "utf8").replace(expected, ""));
  return `${mended(broken, whole)}${report(said(broken, code))}`;
}

// What `check` says with this code; a program may break others too.
function said(program, code) {
  const reports = checked(program).split(/\n+(?=(?:error|warning|advice)\[|checked )/);
  return reports.filter((report) => report.includes(`[${code}]`)).join("\n\n");
}

function readOn(code) {
  const always = isRule(code) ? ["/how-to/allow-a-rule/", "/diagnostics/"] : ["/diagnostics/"];
  const urls = new Set([...speaksOf(code.url).map(({ url }) => url), ...always]);
  return list([...urls].map((url) => link(code.url, url, escape(chapterAt(url).title))));
}

export function tableOf(from, rows) {
  const row = (code) => [link(from, code.url, named(code.code)), badge(code), prose(code.what.split("\n")[0])];
  return table(["code", "severity", "what must hold, or is wrong"], rows.map(row));
}

const areas = [...new Set(codes.map(({ area }) => area))];

export const areaPages = () => areas.map(areaPage);

function areaPage(area) {
  const url = `${RULES}${area}/`;
  const own = codes.filter((code) => code.area === area);
  const { headings, html } = parts([
    ["Rules", tableOf(url, own.filter(isRule))],
    [
      "Reports of the compiler and its targets",
      tableOf(
        url,
        own.filter((code) => !isRule(code)),
      ),
    ],
  ]);
  const description = `What must hold of a blueprint: ${area}.`;
  return { url, title: area, section: "Rules", description, above: [RULES], headings, html: `<h1>${area}</h1>${html}` };
}

// What the page of all rules says besides: areas in which nothing is a rule.
export function furtherAreas() {
  const further = areas.filter((area) => codes.every((code) => code.area !== area || !isRule(code)));
  const links = further.map((area) => link(RULES, `${RULES}${area}/`, area));
  return `<p>What the compiler and its targets report without a rule.</p>${list(links, "columns")}`;
}

export const rulesOn = (url) => codes.filter((code) => kindsOf(code).some((kind) => kind.url === url));
