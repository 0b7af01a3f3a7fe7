// The pages of the site: those that somebody wrote, and those that the program's own answers make.
import { blueprints, book, chapterAt, contents, name } from "./book.js";
import { everyMachine, gpuPages, machinePages, tpuPages } from "./catalog.js";
import { escape, link, list, parts } from "./html.js";
import { areaPages, furtherAreas, rulePages, rulesOn, tableOf } from "./rules.js";

const ofAreas = areaPages();
const areas = new Set(ofAreas.map(({ url }) => url));
const order = contents.flatMap(({ url, pages, inner = {} }) => [
  ...(url ? [url] : []),
  ...pages.flatMap((page) => [page, ...(inner[page] ?? [])]),
]);
const named = (url) => (url ? { url, name: name(url) } : undefined);

function written(chapter) {
  const { url } = chapter;
  const at = order.indexOf(url);
  const more = parts(further(chapter));
  return {
    ...chapter,
    html: (url === "/" ? doors(chapter.html) : chapter.html) + more.html,
    headings: [...chapter.headings, ...more.headings],
    above: above(url),
    before: named(order[at - 1]),
    after: named(order[at + 1]),
  };
}

// What the site knows besides of what a page is about.
function further({ url, section }) {
  if (url === "/reference/catalog/") return [["Every machine type", everyMachine()]];
  if (url === "/reference/rules/") return [["Reports", furtherAreas()]];
  return section === "Kind" ? [["Its rules", tableOf(url, rulesOn(url))]] : [];
}

// Where to go from the first page, below its first words.
function doors(html) {
  const links = ["/tutorial/", "/how-to/", "/reference/", shelf.url].map((url) => link("/", url, escape(name(url))));
  return html.replace("</p>", `</p><p class="doors">${links.join("")}</p>`);
}

// The folders that a page lies in, where they have pages.
function above(url) {
  const folders = url.split("/").slice(1, -2);
  return folders.map((_, at) => `/${folders.slice(0, at + 1).join("/")}/`).filter((folder) => folder === shelf.url || chapterAt(folder));
}

const LEAD = "Whole projects to start from, each with all that it renders to.";
const shelf = {
  url: "/blueprints/",
  title: "Blueprints",
  section: "",
  description: LEAD,
  above: [],
  headings: [],
  html: `<h1>Blueprints</h1><p class="lead">${LEAD}</p>${list(blueprints.map((url) => link("/blueprints/", url, escape(name(url)))))}`,
};

const chapters = book.filter(({ url }) => !areas.has(url)).map(written);
export const pages = [...chapters, shelf, ...ofAreas, ...rulePages(), ...machinePages(), ...gpuPages(), ...tpuPages()];
