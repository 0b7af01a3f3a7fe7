// The pages of the site: those that somebody wrote, and those that the program's own answers make.
import { blueprints, book, chapterAt, contents, name } from "./book.js";
import { allMachines, gpuPages, machinePages, tpuPages } from "./catalog.js";
import { areaPages, furtherAreas, rulePages, rulesOn, table } from "./rules.js";
import { between, escape } from "./html.js";

const order = contents.flatMap(({ url, pages, inner = {} }) => [...(url ? [url] : []), ...pages.flatMap((page) => [page, ...(inner[page] ?? [])])]);
const named = (url) => (url ? { url, name: name(url) } : undefined);
const ofAreas = areaPages();
const areas = new Set(ofAreas.map(({ url }) => url));

function written(chapter) {
  const { url } = chapter;
  const at = order.indexOf(url);
  const more = further(chapter);
  return {
    ...chapter,
    html: (url === "/" ? doors(chapter.html) : chapter.html) + more.html,
    headings: [...chapter.headings, ...more.headings],
    above: above(url),
    before: named(order[at - 1]),
    after: named(order[at + 1]),
  };
}

// Where to go from the first page, below its first words.
function doors(html) {
  const links = ["/tutorial/", "/how-to/", "/reference/", "/blueprints/"].map((url) => `<a href="${between("/", url)}">${escape(url === "/blueprints/" ? "Blueprints" : name(url))}</a>`);
  return html.replace("</p>", `</p><p class="doors">${links.join("")}</p>`);
}

// The folders that a page lies in, where they have pages.
function above(url) {
  const parts = url.split("/").slice(1, -2);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}/`).filter(chapterAt);
}

// What the site knows besides of what a page is about.
function further({ url, section }) {
  if (url === "/reference/catalog/") return { html: allMachines(), headings: [{ level: 2, id: "every-machine-type", html: "Every machine type" }] };
  if (url === "/reference/rules/") return { html: furtherAreas(), headings: [{ level: 2, id: "reports", html: "reports" }] };
  const rules = section === "Kind" ? rulesOn(url) : [];
  if (!rules.length) return { html: "", headings: [] };
  return { html: `<h2 id="its-rules">Its rules</h2>${table(url, rules)}`, headings: [{ level: 2, id: "its-rules", html: "Its rules" }] };
}

const shelf = {
  url: "/blueprints/",
  title: "Blueprints",
  section: "",
  description: "Whole projects to start from, with all that they render to.",
  above: [],
  headings: [],
  html: `<h1>Blueprints</h1><p class="lead">Whole projects to start from, each with all that it renders to.</p><ul>${blueprints
    .map((url) => `<li><a href="${between("/blueprints/", url)}">${escape(name(url))}</a></li>`)
    .join("")}</ul>`,
};

const chapters = book.filter(({ url }) => !areas.has(url)).map(written);
export const pages = [...chapters, shelf, ...ofAreas, ...rulePages(), ...machinePages(), ...gpuPages(), ...tpuPages()];
