"use strict";
const told = JSON.parse(document.getElementById("data").textContent);
const [board, panel, search, count] = ["board", "panel", "search", "count"].map((id) => document.getElementById(id));
const drawing = board.querySelector("svg");
const cards = [...board.querySelectorAll(".noun")];
const arrows = [...board.querySelectorAll(".arrows path")];
/** Letters of a drawing are not made smaller than this at first. */
const SMALLEST = 0.7;

const users = told.nouns.map(() => []);
told.nouns.forEach((noun, from) => noun.needs.forEach(([to, what]) => users[to].push([from, what])));
const makers = told.files.map(() => 0);
told.nouns.forEach((noun) => noun.files.forEach((file) => makers[file]++));
const words = told.nouns.map((noun) =>
  [noun.path, noun.kind, noun.doc, ...noun.files.map((file) => told.files[file].filter(Boolean).join("/"))].join("\n").toLowerCase());
let hits = told.nouns.map((_, noun) => noun);
let chosen = null;

function make(tag, properties = {}, ...inside) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
}

function counted(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

// ---- what is shown beside the drawing

function link(noun, what) {
  const button = make("button", { type: "button", onclick: () => turn(noun) },
    make("span", { className: `dot tone-${told.nouns[noun].stage}` }),
    make("span", {}, make("span", { className: "path" }, told.nouns[noun].path), " ", make("span", { className: "quiet" }, what)));
  button.addEventListener("pointerenter", () => light(noun));
  button.addEventListener("pointerleave", () => light(chosen));
  return make("li", {}, button);
}

function list() {
  const parts = told.stages.flatMap((title, stage) => {
    const here = hits.filter((noun) => told.nouns[noun].stage === stage);
    return here.length ? [make("h3", {}, title), make("ul", {}, ...here.map((noun) => link(noun, told.nouns[noun].kind)))] : [];
  });
  return parts.length || !told.nouns.length ? parts : [make("p", { className: "quiet" }, "No noun has such a name, kind or file.")];
}

function source({ place, link, line }) {
  const copy = make("button", { type: "button" }, "Copy");
  const way = make("a", { href: link }, make("code", {}, place));
  copy.onclick = () => {
    getSelection().selectAllChildren(way);
    navigator.clipboard?.writeText(place).then(() => { copy.textContent = "Copied"; }, () => {});
  };
  return [
    make("div", { className: "source" }, way, copy),
    make("pre", {}, make("code", {}, line)),
  ];
}

function rendered(noun) {
  if (told.unrendered) return [];
  const folders = new Map();
  for (const file of told.nouns[noun].files) {
    const [folder, rest] = told.files[file];
    folders.set(folder, [...(folders.get(folder) ?? []), [rest, makers[file] - 1]]);
  }
  const row = ([rest, others]) => make("li", {}, make("code", {}, rest),
    make("span", { className: "quiet" }, others ? ` with ${counted(others, "other")}` : ""));
  const parts = [...folders].map(([folder, files]) =>
    make("div", { className: "folder" }, make("code", {}, `${folder}/`), make("ul", {}, ...files.map(row))));
  const nothing = told.nouns[noun].existing ? "Nothing: someone else owns it." : "Nothing of its own.";
  return [make("h3", {}, "Renders to"), ...(parts.length ? parts : [make("p", { className: "quiet" }, nothing)])];
}

function ties(title, name, found) {
  return found.length ? [make("h3", { className: name }, title), make("ul", {}, ...found.map(([noun, what]) => link(noun, what)))] : [];
}

function about(noun) {
  const it = told.nouns[noun];
  const marks = [it.existing && ["mark", "someone else owns it"], it.broken && ["mark wrong", "could not be understood"]];
  return [
    make("button", { type: "button", className: "back", onclick: () => turn(null) }, "← All nouns"),
    make("h2", { className: "path" }, it.path),
    make("p", { className: "quiet" }, `${it.kind} `, ...marks.filter(Boolean).map(([className, text]) => make("span", { className }, text))),
    ...(it.doc ? [make("p", {}, it.doc)] : []),
    ...source(it.source),
    ...ties("Needs", "needs", it.needs),
    ...ties("Needed by", "users", users[noun]),
    ...rendered(noun),
  ];
}

function show() {
  panel.replaceChildren(...(chosen === null ? list() : about(chosen)));
  panel.scrollTop = 0;
}

// ---- what is lit

function light(noun) {
  drawing?.classList.toggle("lit", noun !== null);
  const needed = new Set(noun === null ? [] : told.nouns[noun].needs.map(([to]) => to));
  const using = new Set(noun === null ? [] : users[noun].map(([from]) => from));
  cards.forEach((card, at) => {
    card.classList.toggle("needs", needed.has(at));
    card.classList.toggle("users", using.has(at) && !needed.has(at));
    card.classList.toggle("near", at === noun || needed.has(at) || using.has(at));
    card.classList.toggle("chosen", at === chosen);
  });
  for (const arrow of arrows) {
    arrow.classList.toggle("needs", noun !== null && Number(arrow.dataset.from) === noun);
    arrow.classList.toggle("users", noun !== null && Number(arrow.dataset.to) === noun);
  }
}

/** What stands behind the page's own address while a noun is chosen. */
function address(noun) {
  return noun === null ? "" : `#${encodeURIComponent(told.nouns[noun].path)}`;
}

function choose(noun) {
  chosen = noun;
  show();
  light(noun);
  if (noun !== null) {
    reach(noun);
    seen(noun);
  }
  if (location.hash !== address(noun)) location.hash = address(noun);
}

function seen(noun) {
  cards[noun].scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** As `choose`, from beside the drawing: what was pressed is gone then, and keys go on at what took its place. */
function turn(noun) {
  choose(noun);
  panel.querySelector("button")?.focus();
}

function filter() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = words.flatMap((text, noun) => (wanted.every((word) => text.includes(word)) ? [noun] : []));
  const found = new Set(hits);
  drawing?.classList.toggle("searched", wanted.length > 0);
  cards.forEach((card, noun) => card.classList.toggle("missed", !found.has(noun)));
  for (const arrow of arrows) {
    arrow.classList.toggle("missed", !found.has(Number(arrow.dataset.from)) && !found.has(Number(arrow.dataset.to)));
  }
  count.textContent = wanted.length ? `${hits.length} of ${told.nouns.length}` : counted(told.nouns.length, "noun");
  if (wanted.length && hits.length) seen(hits[0]);
}

// ---- keys: one box is reached by Tab, the others from it by arrows

function reach(noun) {
  cards.forEach((card, at) => card.setAttribute("tabindex", at === noun ? "0" : "-1"));
}

function towards(noun, [across, down]) {
  const centre = (card) => {
    const { x, y, width, height } = card.querySelector(".card").getBBox();
    return [x + width / 2, y + height / 2];
  };
  const [x, y] = centre(cards[noun]);
  const far = cards.map((card, at) => {
    const [dx, dy] = [centre(card)[0] - x, centre(card)[1] - y];
    const [along, aside] = [dx * across + dy * down, Math.abs(dx * down) + Math.abs(dy * across)];
    return [at, along > 1 ? along + 3 * aside : Infinity];
  });
  return far.reduce((best, one) => (one[1] < best[1] ? one : best), [noun, Infinity])[0];
}

const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

cards.forEach((card, noun) => {
  card.addEventListener("pointerenter", () => light(noun));
  card.addEventListener("pointerleave", () => light(chosen));
  card.addEventListener("focus", () => light(noun));
  card.addEventListener("blur", () => light(chosen));
  card.addEventListener("click", () => choose(noun));
  card.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose(noun);
    else if (ways[event.key]) {
      const next = towards(noun, ways[event.key]);
      reach(next);
      cards[next].focus();
    } else return;
    event.preventDefault();
  });
});

search.addEventListener("input", () => {
  filter();
  choose(null);
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && hits.length) choose(hits[0]);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape") {
    search.value = "";
    filter();
    choose(null);
  }
});

// ---- size and place

let scale = 1;

function resize(wanted, [x, y] = [board.clientWidth / 2, board.clientHeight / 2]) {
  if (!drawing) return;
  const { width, height } = drawing.viewBox.baseVal;
  const before = scale;
  scale = Math.min(3, Math.max(0.1, wanted));
  drawing.setAttribute("width", width * scale);
  drawing.setAttribute("height", height * scale);
  board.scrollLeft = (board.scrollLeft + x) * (scale / before) - x;
  board.scrollTop = (board.scrollTop + y) * (scale / before) - y;
}

function fitting() {
  const { width, height } = drawing.viewBox.baseVal;
  return Math.min(1.25, board.clientWidth / width, board.clientHeight / height);
}

document.getElementById("zoom").addEventListener("click", ({ target }) => {
  if (!drawing) return;
  const sizes = { in: scale * 1.25, out: scale / 1.25, fit: fitting() };
  if (target.dataset.zoom) resize(sizes[target.dataset.zoom]);
});
board.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const { left, top } = board.getBoundingClientRect();
  resize(scale * Math.exp(-event.deltaY / 300), [event.clientX - left, event.clientY - top]);
}, { passive: false });

// A mouse drags the drawing; fingers do so by themselves.
board.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "mouse" || event.button || event.target.closest(".noun")) return;
  board.classList.add("held");
  const move = ({ movementX, movementY }) => board.scrollBy(-movementX, -movementY);
  const drop = () => {
    board.classList.remove("held");
    removeEventListener("pointermove", move);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", drop, { once: true });
});

function follow() {
  const noun = told.nouns.findIndex((_, at) => address(at) === location.hash);
  choose(noun < 0 ? null : noun);
}

addEventListener("hashchange", follow);
if (drawing) resize(Math.max(SMALLEST, fitting()));
board.scrollTo(0, 0);
reach(0);
filter();
follow();
