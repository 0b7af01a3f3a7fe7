// The menu, light and dark, copying code, and the search. Without it every page reads the same.
const site = new URL("..", import.meta.url);
const root = document.documentElement;

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const open = root.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", open);
});

document.getElementById("look").addEventListener("click", () => {
  const dark = root.dataset.look ? root.dataset.look === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.look = dark ? "light" : "dark";
  try {
    localStorage.setItem("look", root.dataset.look);
  } catch {}
});

const contents = document.getElementById("contents");
const here = contents.querySelector("[aria-current], .around");
if (here) contents.scrollTop = here.offsetTop - contents.clientHeight / 2;

for (const code of document.querySelectorAll("pre.code:not(.change)")) {
  if (!navigator.clipboard) break;
  const button = Object.assign(document.createElement("button"), { className: "copy", textContent: "Copy", type: "button" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.innerText);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const frame = Object.assign(document.createElement("div"), { className: "frame-of-code" });
  code.replaceWith(frame);
  frame.append(code, button);
}

// ---- search

const finder = document.getElementById("finder");
const field = finder.querySelector("input");
const found = finder.querySelector("ol");
const note = finder.querySelector("p");
// A promise: who types before the index is here is answered once it is.
let index;

async function searchable() {
  const pagefind = await import(new URL("search/pagefind.js", site));
  await pagefind.options({ baseUrl: site.pathname, excerptLength: 18 });
  pagefind.init();
  return pagefind;
}

function open() {
  if (finder.open) return;
  finder.showModal();
  field.select();
  index ??= searchable();
  index.catch(() => (index = undefined));
}

async function find() {
  const pagefind = await index;
  const said = await pagefind?.debouncedSearch(field.value, {}, 120);
  if (!said) return;
  const pages = await Promise.all(said.results.slice(0, 12).map((result) => result.data()));
  found.replaceChildren(...pages.map(entry));
  choose(found.firstElementChild);
  note.textContent = !field.value.trim() || said.results.length ? "" : `No page speaks of “${field.value}”.`;
}

function entry({ url, excerpt, meta }) {
  const link = document.createElement("a");
  link.href = url;
  const title = Object.assign(document.createElement("b"), { textContent: meta.title });
  const section = Object.assign(document.createElement("small"), { textContent: meta.section ?? "" });
  // Pagefind escapes the text and marks what was found.
  const text = Object.assign(document.createElement("span"), { innerHTML: excerpt });
  link.append(title, section, text);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function choose(item) {
  found.querySelector(".chosen")?.classList.remove("chosen");
  item?.classList.add("chosen");
  item?.scrollIntoView({ block: "nearest" });
}

field.addEventListener("input", find);
document.getElementById("search").addEventListener("click", open);
finder.addEventListener("click", ({ target }) => target === finder && finder.close());
finder.addEventListener("keydown", (event) => {
  const chosen = found.querySelector(".chosen");
  if (event.key === "ArrowDown") choose(chosen?.nextElementSibling ?? chosen);
  else if (event.key === "ArrowUp") choose(chosen?.previousElementSibling ?? chosen);
  else if (event.key === "Escape") finder.close();
  else if (event.key === "Enter") chosen?.firstElementChild.click();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, [contenteditable]");
  if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
    event.preventDefault();
    open();
  }
});
