// A page for each machine, GPU and TPU: what the catalog says of it, from where and as of when.
import { book } from "./book.js";
import { code, escape, link, list, parts, table } from "./html.js";
import { gpus, machines, tpus, zones } from "./slipform.js";

const CATALOG = "/reference/catalog/";
const WAYS = {
  on_demand: "on demand",
  spot: "spot",
  reservation: "reservation",
  future_reservation: "future reservation",
  flex_start: "flex-start",
  calendar: "calendar",
};
const TITLES = {
  accelerator: "GPUs",
  tpu: "TPU",
  local_ssd: "Local disks",
  network: "Network",
  placement: "Placement",
  sharing: "Sharing of GPUs",
  gke: "GKE",
  vertex: "Vertex AI",
  disk: "Disks",
  software: "Software",
  quota: "Quota",
};
const KINDS = {
  gpu: "A machine with GPUs",
  tpu: "A machine with TPU chips",
  node: "A node on one's own floor",
  general: "A machine without accelerators",
};
// What is said in a place of its own.
const ELSEWHERE = ["name", "url", "capacity", "notes", "source", "date", "confidence", "mig", "slices", "generation"];

const toRow = (from, row) => link(from, row.url, code(row.name));

function sheet(row, { section, lead, before, behind = [] }) {
  const { headings, html } = parts([...before, ...facts(row), ...behind, ["Where it is written", origin(row)]]);
  return {
    url: row.url,
    title: row.name,
    section,
    description: lead.replace(/<[^>]+>/g, ""),
    above: ["/reference/", CATALOG],
    headings,
    html: `<h1>${code(row.name)}</h1><p class="lead">${lead}</p>${html}`,
  };
}

// What is known of a row, in the words of `slipform catalog` and `catalog.local.toml`.
function facts(row) {
  const entries = Object.entries(row).filter(([key]) => !ELSEWHERE.includes(key));
  const isSheet = ([, value]) => value !== null && typeof value === "object" && !Array.isArray(value);
  const plain = entries.filter((entry) => !isSheet(entry)).flatMap(([key, value]) => flat(key, value));
  const sheets = entries.filter(isSheet).map(([key, value]) => [TITLES[key] ?? key, defined(flat("", value))]);
  return [["Facts", defined(plain)], ...sheets];
}

function flat(path, value) {
  if (value === null || (Array.isArray(value) && !value.length)) return [];
  if (Array.isArray(value)) return [[path, value.map((item) => (typeof item === "object" ? JSON.stringify(item) : item)).join(", ")]];
  if (typeof value !== "object") return [[path, value === true ? "yes" : value === false ? "no" : value]];
  return Object.entries(value).flatMap(([key, inner]) => flat(path ? `${path}.${key}` : key, inner));
}

function defined(pairs) {
  const value = (text) => `<dd${text === "unknown" ? ' class="unknown"' : ""}>${escape(text)}</dd>`;
  const rows = pairs.map(([key, text]) => `<div><dt>${code(key)}</dt>${value(text)}</div>`);
  return rows.length ? `<dl class="facts">${rows.join("")}</dl>` : "";
}

function origin({ notes, source, date, confidence }) {
  return `${list(notes.map(escape))}<p>As of ${date}, with ${confidence} confidence, from ${source.map(code).join(", ")}.</p>`;
}

export const machinePages = () =>
  machines.map((machine) =>
    sheet(machine, {
      section: "Machine",
      lead: lead(machine),
      before: [
        ["How it can be had", capacity(machine)],
        ["Places", places(machine)],
      ],
      behind: [["Blueprints that use it", usedBy(machine)]],
    }),
  );

function lead(machine) {
  const { kind, accelerator, tpu, vcpus, memory_gib } = machine;
  const gpu = accelerator && gpus.find(({ name }) => name === accelerator.gpu);
  const generation = tpu && tpus.find(({ name }) => name === tpu.generation);
  const of = (count, row) => `: ${count} × ${toRow(machine.url, row)}`;
  const what = gpu ? of(accelerator.fraction ?? accelerator.count, gpu) : generation ? of(tpu.chips, generation) : "";
  return `${KINDS[kind] ?? KINDS.general}${what}, ${vcpus} vCPUs, ${memory_gib} GiB.`;
}

function capacity({ kind, capacity }) {
  if (kind === "node") return "";
  const way = ([key, name]) => `<li class="${capacity[key]}"><b>${name}</b> <span>${capacity[key]}</span></li>`;
  return `<ul class="ways">${Object.entries(WAYS).map(way).join("")}</ul>${capacity.note ? `<p>${escape(capacity.note)}</p>` : ""}`;
}

function places({ family, series }) {
  const among = (names) => names.includes(family) || names.includes(series);
  const known = zones.filter((zone) => among(zone.known_to_offer));
  const offered = zones.filter((zone) => among(zone.offered_in_region));
  const regions = [...new Set([...known, ...offered].map(({ region }) => region))].sort();
  const letters = (region) => known.filter((zone) => zone.region === region).map(({ zone }) => zone.at(-1));
  const rows = regions.map((region) => `${code(region)} ${letters(region).join(", ")}`);
  const said = "<p>Regions, with the zones that are known to offer it; that list of zones is never complete.</p>";
  return rows.length ? said + list(rows, "columns") : "";
}

function usedBy({ name, url }) {
  const pages = book.filter((page) => page.html.includes(`&quot;${name}&quot;`) && !page.url.startsWith("/reference/"));
  return list(
    pages.map((page) => link(url, page.url, page.url === "/" ? "The first page" : escape(page.title))),
    "columns",
  );
}

const having = (row, key, name) => machines.filter((machine) => machine[key]?.[name] === row.name);
const columns = (from, rows) =>
  list(
    rows.map((row) => toRow(from, row)),
    "columns",
  );

export const gpuPages = () =>
  gpus.map((gpu) =>
    sheet(gpu, {
      section: "GPU",
      lead: `${escape(gpu.architecture)}, ${gpu.memory_gb} GB.`,
      before: [
        ["Machines", columns(gpu.url, having(gpu, "accelerator", "gpu"))],
        ["MIG profiles", profiles(gpu)],
      ],
    }),
  );

function profiles({ mig }) {
  const row = ({ profile, max, gke }) => [code(profile), max, gke ? "yes" : "no"];
  return table(["profile", "of a GPU at most", "on GKE"], mig.map(row));
}

export const tpuPages = () =>
  tpus.map((tpu) =>
    sheet(tpu, {
      section: "TPU",
      lead: `${tpu.hbm_gib_per_chip} GiB a chip, slices of up to ${tpu.max_slice_chips} chips.`,
      before: [
        ["Machines", columns(tpu.url, having(tpu, "tpu", "generation"))],
        ["Slices", slices(tpu)],
      ],
    }),
  );

function slices({ slices }) {
  const row = ({ name, topology, chips, hosts }) => [code(name), code(topology), chips, hosts];
  const all = table(["slice", "topology", "chips", "hosts"], slices.map(row));
  return `<details${slices.length < 20 ? " open" : ""}><summary>${slices.length} slices</summary>${all}</details>`;
}

// Every machine type by its series, for the page of the catalog, which counts those without accelerators.
export function everyMachine() {
  const series = [...new Set(machines.map(({ series }) => series))].sort();
  const of = (name) =>
    columns(
      CATALOG,
      machines.filter((machine) => machine.series === name),
    );
  return series.map((name) => `<h3 id="series-${name}">${name}</h3>${of(name)}`).join("");
}
