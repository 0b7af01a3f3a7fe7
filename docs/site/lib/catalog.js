// A page for each machine, GPU and TPU: what the catalog says of it, from where and as of when.
import { book } from "./book.js";
import { anchor, between, escape } from "./html.js";
import { gpus, machines, tpus, zones } from "./slipform.js";

const CATALOG = "/reference/catalog/";
const WAYS = { on_demand: "on demand", spot: "spot", reservation: "reservation", future_reservation: "future reservation", flex_start: "flex-start", calendar: "calendar" };
const TITLES = {
  accelerator: "GPUs", tpu: "TPU", local_ssd: "Local disks", network: "Network", placement: "Placement", sharing: "Sharing of GPUs", gke: "GKE",
  vertex: "Vertex AI", disk: "Disks", software: "Software", quota: "Quota",
};
// What is said in a place of its own.
const ELSEWHERE = ["name", "url", "capacity", "notes", "source", "date", "confidence", "mig", "slices", "generation"];

const link = (from, row, text = row.name) => `<a href="${between(from, row.url)}"><code>${escape(text)}</code></a>`;

function sheet(row, { section, lead, parts, behind = [] }) {
  const shown = [...parts, ...facts(row), ...behind, ["Where it is written", origin(row)]].filter(([, html]) => html);
  return {
    url: row.url,
    title: row.name,
    section,
    description: lead.replace(/<[^>]+>/g, ""),
    above: ["/reference/", CATALOG],
    headings: shown.map(([title]) => ({ level: 2, id: anchor(title), html: title })),
    html: `<h1><code>${row.name}</code></h1><p class="lead">${lead}</p>${shown.map(([title, html]) => `<h2 id="${anchor(title)}">${title}</h2>${html}`).join("\n")}`,
  };
}

// What is known of a row, in the words of `slipform catalog` and `catalog.local.toml`.
function facts(row) {
  const entries = Object.entries(row).filter(([key]) => !ELSEWHERE.includes(key));
  const isSheet = ([, value]) => value !== null && typeof value === "object" && !Array.isArray(value);
  const plain = entries.filter((entry) => !isSheet(entry)).flatMap(([key, value]) => flat(key, value));
  const sheets = entries.filter(isSheet).map(([key, value]) => [TITLES[key] ?? key, list(flat("", value))]);
  return [["Facts", list(plain)], ...sheets];
}

function flat(path, value) {
  if (value === null || (Array.isArray(value) && !value.length)) return [];
  if (Array.isArray(value)) return [[path, value.map((item) => (typeof item === "object" ? JSON.stringify(item) : item)).join(", ")]];
  if (typeof value !== "object") return [[path, value === true ? "yes" : value === false ? "no" : value]];
  return Object.entries(value).flatMap(([key, inner]) => flat(path ? `${path}.${key}` : key, inner));
}

function list(pairs) {
  const rows = pairs.map(([key, value]) => `<div><dt><code>${escape(key)}</code></dt><dd${value === "unknown" ? ' class="unknown"' : ""}>${escape(value)}</dd></div>`);
  return pairs.length ? `<dl class="facts">${rows.join("")}</dl>` : "";
}

function origin({ notes, source, date, confidence }) {
  const said = notes.length ? `<ul>${notes.map((note) => `<li>${escape(note)}</li>`).join("")}</ul>` : "";
  return `${said}<p>As of ${date}, with ${confidence} confidence, from ${source.map((name) => `<code>${escape(name)}</code>`).join(", ")}.</p>`;
}

function capacity({ kind, capacity }) {
  if (kind === "node") return "";
  const ways = Object.entries(WAYS).map(([key, name]) => `<li class="${capacity[key]}"><b>${name}</b> <span>${capacity[key]}</span></li>`);
  return `<ul class="ways">${ways.join("")}</ul>${capacity.note ? `<p>${escape(capacity.note)}</p>` : ""}`;
}

function places(machine) {
  const among = (names) => names.includes(machine.family) || names.includes(machine.series);
  const regions = [...new Set(zones.filter((zone) => among(zone.offered_in_region)).map(({ region }) => region))];
  const known = zones.filter((zone) => among(zone.known_to_offer)).map(({ zone }) => zone);
  const all = [...new Set([...regions, ...known.map((zone) => zone.replace(/-[a-z]$/, ""))])].sort();
  const rows = all.map((region) => `<li><code>${region}</code> ${known.filter((zone) => zone.startsWith(`${region}-`)).map((zone) => zone.at(-1)).join(", ")}</li>`);
  return rows.length ? `<p>Regions, with the zones that are known to offer it; that list of zones is never complete.</p><ul class="columns">${rows.join("")}</ul>` : "";
}

function usedBy(machine) {
  const pages = book.filter(({ html, url }) => html.includes(`&quot;${machine.name}&quot;`) && !url.startsWith("/reference/"));
  return pages.length ? `<ul class="columns">${pages.map(({ url, title }) => `<li><a href="${between(machine.url, url)}">${escape(url === "/" ? "The first page" : title)}</a></li>`).join("")}</ul>` : "";
}

const KINDS = { gpu: "A machine with GPUs", tpu: "A machine with TPU chips", node: "A node on one's own floor", general: "A machine without accelerators" };

function lead(machine) {
  const { accelerator, tpu } = machine;
  const gpu = accelerator && gpus.find(({ name }) => name === accelerator.gpu);
  const generation = tpu && tpus.find(({ name }) => name === tpu.generation);
  const count = accelerator ? accelerator.fraction ?? accelerator.count : 0;
  const what = gpu ? `: ${count} × ${link(machine.url, gpu)}` : generation ? `: ${tpu.chips} × ${link(machine.url, generation)}` : "";
  return `${KINDS[machine.kind] ?? KINDS.general}${what}, ${machine.vcpus} vCPUs, ${machine.memory_gib} GiB.`;
}

export const machinePages = () => machines.map((machine) =>
  sheet(machine, {
    section: "Machine",
    lead: lead(machine),
    parts: [["How it can be had", capacity(machine)], ["Places", places(machine)]],
    behind: [["Blueprints that use it", usedBy(machine)]],
  }),
);

const having = (row, key, name) => machines.filter((machine) => machine[key]?.[name] === row.name);
const columns = (from, rows) => (rows.length ? `<ul class="columns">${rows.map((row) => `<li>${link(from, row)}</li>`).join("")}</ul>` : "");

function table(heads, rows) {
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return rows.length ? `<div class="table"><table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${cells.join("")}</tbody></table></div>` : "";
}

export const gpuPages = () => gpus.map((gpu) =>
  sheet(gpu, {
    section: "GPU",
    lead: `${escape(gpu.architecture)}, ${gpu.memory_gb} GB.`,
    parts: [
      ["Machines", columns(gpu.url, having(gpu, "accelerator", "gpu"))],
      ["MIG profiles", table(["profile", "of a GPU at most", "on GKE"], gpu.mig.map(({ profile, max, gke }) => [`<code>${escape(profile)}</code>`, max, gke ? "yes" : "no"]))],
    ],
  }),
);

export const tpuPages = () => tpus.map((tpu) =>
  sheet(tpu, {
    section: "TPU",
    lead: `${tpu.hbm_gib_per_chip} GiB a chip, slices of up to ${tpu.max_slice_chips} chips.`,
    parts: [
      ["Machines", columns(tpu.url, having(tpu, "tpu", "generation"))],
      ["Slices", `<details><summary>${tpu.slices.length} slices</summary>${table(["slice", "topology", "chips", "hosts"], tpu.slices.map(({ name, topology, chips, hosts }) => [`<code>${name}</code>`, `<code>${topology}</code>`, chips, hosts]))}</details>`],
    ],
  }),
);

// Every machine type by its series, for the page of the catalog, which counts those without accelerators.
export function allMachines() {
  const series = [...new Set(machines.map(({ series }) => series))].sort();
  const lists = series.map((name) => `<h3 id="series-${name}">${name}</h3>${columns(CATALOG, machines.filter((machine) => machine.series === name))}`);
  return `<h2 id="every-machine-type">Every machine type</h2>${lists.join("")}`;
}
