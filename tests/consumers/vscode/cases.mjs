// What is tried in the workbench. Each case begins with `project/train.bp` as it is, and leaves the editor to be put back.

// Of the theme `Default Dark Modern`.
const COLOURS = {
  keyword: "rgb(197, 134, 192)",
  declaration: "rgb(86, 156, 214)",
  kind: "rgb(78, 201, 176)",
  field: "rgb(156, 220, 254)",
  text: "rgb(206, 145, 120)",
  number: "rgb(181, 206, 168)",
  comment: "rgb(106, 153, 85)",
};

const LINES = ".monaco-editor .view-line";
const PROBLEMS = ".markers-panel .monaco-list-row";
const LENSES = ".codelens-decoration a";
const SUGGESTED = ".suggest-widget.visible .monaco-list-row";
const ACTIONS = ".action-widget .monaco-list-row";
const TABS = ".tab .label-name";
const TERMINAL = ".terminal-wrapper .xterm-rows > div";

function must(holds, what) {
  if (!holds) throw new Error(what);
}

/** What both the grammar and the server say of colours. */
async function common(bench) {
  await bench.coloured("network fabric", "network", COLOURS.kind);
  await bench.coloured('zone    = "us-east4-a"', "us-east4-a", COLOURS.text);
  await bench.coloured("restarts = 3", "restarts", COLOURS.field);
  await bench.coloured("restarts = 3", "3", COLOURS.number);
  await bench.coloured("## Machines", "Machines", COLOURS.comment);
}

/** The second editor, beside the blueprint. */
const beside = (bench, what, wanted) => bench.see(what, ".split-view-view:nth-child(2) .editor-group-container .view-line", wanted);

export const cases = {
  async "colours of the server"(bench) {
    await bench.coloured("param nodes", "param", COLOURS.keyword);
    await bench.coloured("network fabric", "fabric", COLOURS.kind);
    await common(bench);
  },

  async "colours of the grammar"(bench) {
    await bench.settings({ "editor.semanticHighlighting.enabled": false });
    await bench.coloured("param nodes", "param", COLOURS.declaration);
    await common(bench);
    await bench.settings({});
    await bench.coloured("param nodes", "param", COLOURS.keyword);
  },

  async "lenses"(bench) {
    await bench.see("what a noun renders to", LENSES, /^renders to \d+ files$/);
    await bench.see("who uses it", LENSES, "used by 1 cluster");
    await bench.see("the environment", LENSES, "environment: dev");
  },

  async "inlay hints"(bench) {
    await bench.see("what a pool has", LINES, /pool h100\s*16 chips/);
    await bench.see("what a run has", LINES, /workload pretrain on gpus\.h100\s*16 chips, 16 processes, data parallel 16/);
  },

  async "hover"(bench) {
    await bench.goto("capacity = queued", "capacity");
    await bench.command("Show or Focus Hover");
    await bench.see("what the field is", ".monaco-hover-content", "How the nodes are obtained.");
  },

  async "completion"(bench) {
    await bench.goto("hierarchical = true");
    await bench.press("End", "Enter");
    await bench.type("vers");
    await bench.see("a field", `${SUGGESTED}.focused`, "versioning");
    await bench.press("Enter");
    await bench.until("the field", () => /^ {2}versioning *= /m.test(bench.text()));
  },

  async "snippet"(bench) {
    await bench.press("Control+End");
    await bench.type("\ncluster_gke_g");
    await bench.see("the snippet", `${SUGGESTED}.focused`, "cluster_gke_gpu");
    await bench.press("Enter");
    await bench.until("the noun", () => /restarts = 3\n\}\n+cluster gpus on gke \{\n {2}network = fabric\n/.test(bench.text()));
  },

  async "a problem and its fix"(bench) {
    await bench.command("Problems: Focus on Problems View");
    await bench.gone("no error", PROBLEMS, "nothing here is called");
    await bench.replace("network = fabric", "fabric", "fabrik");
    await bench.see("the problem", PROBLEMS, /nothing here is called `fabrik`.*names\/unknown/);
    await bench.goto("network = fabrik", "fabrik");
    await bench.command("Quick Fix...");
    await bench.see("the fix", ACTIONS, "write `fabric`");
    await bench.press("Enter");
    await bench.until("the right name", () => bench.text().includes("network = fabric\n"));
    await bench.gone("the problem", PROBLEMS, "nothing here is called");
  },

  async "what a problem means"(bench) {
    await bench.replace("network = fabric", "fabric", "fabrik");
    await bench.see("the error", "#status\\.problems", "1");
    await bench.goto("network = fabrik", "fabrik");
    await bench.command("Slipform: Explain the problem at the cursor");
    await bench.see("its code", TABS, "unknown");
    await beside(bench, "its meaning", "nothing is called so here");
  },

  async "a code that leads to its page"(bench) {
    await bench.command("Problems: Focus on Problems View");
    await bench.replace("network = fabric", "fabric", "fabrik");
    const code = `${PROBLEMS} .monaco-link`;
    await bench.see("the code as a link", code, "names/unknown");
    await bench.page.locator(code).first().click();
    await bench.see("its page", TABS, "unknown");
    await bench.see("its meaning", LINES, "nothing is called so here");
  },

  async "rename"(bench) {
    await bench.goto("network fabric", "fabric");
    await bench.press("F2");
    await bench.page.locator(".rename-box input").fill("mesh");
    await bench.press("Enter");
    await bench.until("both places", () => /^network mesh \{$/m.test(bench.text()) && /network = mesh$/m.test(bench.text()));
  },

  async "definition in the standard library"(bench) {
    await bench.goto("hierarchical = true");
    await bench.press("F12");
    await bench.see("the library's file", ".tab.active .label-name", "storage.bp");
    await bench.see("its text", LINES, "hierarchical: bool = false");
  },

  async "rendered files beside the blueprint"(bench) {
    await bench.goto("restarts = 3");
    await bench.command("Slipform: Show what the noun at the cursor renders to");
    await bench.see("the file of the run", TABS, "jobset.yaml");
    await beside(bench, "its text", "maxRestarts: 3");
    await bench.replace("restarts = 3", "3", "5");
    await beside(bench, "the new text", "maxRestarts: 5");
    await bench.replace("restarts = 5", "5", "=");
    await bench.see("the error", "#status\\.problems", /^[1-9]/);
    await beside(bench, "the last text", "maxRestarts: 5");
    await bench.replace("restarts = =", "= =", "= 3");
    await beside(bench, "the text again", "maxRestarts: 3");
    await bench.goto("hierarchical = true");
    await bench.see("the file of another noun", TABS, "storage.tf");
    await beside(bench, "its text", "google_storage_bucket");
  },

  async "both scroll together"(bench) {
    const group = (editor) => `.split-view-view:nth-child(${editor}) .editor-group-container`;
    const top = async (editor) => Math.min(...(await bench.texts(`${group(editor)} .margin-view-overlays .line-numbers`)).map(Number));
    await bench.page.locator(LENSES, { hasText: "renders to 13 files" }).first().click();
    await bench.pick("node_pools.tf");
    await bench.see("the file", TABS, "node_pools.tf");
    await beside(bench, "its text", "google_container_node_pool");
    await bench.focus();
    for (let at = 1; at < 27; at += 1) await bench.press("Control+ArrowDown");
    await bench.until("the blueprint at the pool", async () => (await top(1)) >= 26);
    await bench.until("the file at the pool, too", async () => (await top(2)) > 20);
    must(!(await bench.texts(`${group(1)} .view-line`)).some((text) => text.includes("cluster gpus on gke")), "the cluster is out of sight");
    await bench.page.locator(group(2)).first().hover();
    await bench.until("the file at its top", async () => {
      await bench.page.mouse.wheel(0, -400);
      return (await top(2)) === 1;
    });
    await bench.see("the blueprint at the cluster", `${group(1)} .view-line`, "cluster gpus on gke");
  },

  async "the graph"(bench) {
    await bench.command("Slipform: Show the graph");
    const frame = await bench.inFrame("a noun", "g.node text", "pool gpus.h100");
    await bench.inFrame("how it is used", "g.edge text", "runs on");
    await frame.locator("g.node", { hasText: "pool gpus.h100" }).click();
    await bench.see("the cursor there", "#status\\.editor\\.selection", "Ln 27");
  },

  async "check as a task"(bench) {
    await bench.replace("network = fabric", "fabric", "fabrik");
    await bench.command("Slipform: Check the project");
    await bench.see("its report", TERMINAL, "error[names/unknown]: nothing here is called `fabrik`");
  },

  async "a program that is not there"(bench) {
    await bench.settings({ "slipform.path": "/nowhere/slipform" });
    await bench.see("what is wrong", ".notification-list-item-message", "`/nowhere/slipform lsp` does not start");
    await bench.settings({});
    await bench.command("Notifications: Clear All Notifications");
    await bench.see("the server again", LENSES, "environment: dev");
  },

  async "environment"(bench) {
    await bench.goto("network fabric", "fabric");
    await bench.command("Slipform: Choose the environment");
    await bench.pick("prod");
    await bench.see("the lens", LENSES, "environment: prod");
    await bench.see("its values", LINES, /pool h100\s*64 chips/);
  },
};
