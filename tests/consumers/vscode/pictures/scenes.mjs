// What the book shows of the editor: stills by their names, and a story. Each begins with `train.bp` as it is.

const SUGGESTED = ".suggest-widget.visible .monaco-list-row";
const LINES = ".monaco-editor .view-line";
const LENSES = ".codelens-decoration a";
const PROBLEMS = ".markers-panel .monaco-list-row";
const ACTIONS = ".action-widget .monaco-list-row";
const EXPLAIN = "Slipform: Explain the problem at the cursor";

// So that letters are as large on every picture as they can be, where the book is 720 to 850 wide.
const NARROW = 740;
const MIDDLE = 820;
const WIDE = 960;

/** The second editor, beside the blueprint. */
const beside = (bench, what, wanted) => bench.see(what, ".split-view-view:nth-child(2) .editor-group-container .view-line", wanted);

/** The panel below the editors, as high as it has to be. */
async function panel(bench, height) {
  const { x, y, width, height: before } = await bench.page.locator(".part.panel").boundingBox();
  await bench.page.mouse.move(x + width / 2, y);
  await bench.page.mouse.down();
  await bench.page.mouse.move(x + width / 2, y + before - height, { steps: 5 });
  await bench.page.mouse.up();
  await bench.page.mouse.move(x + width - 5, y + before - 5);
}

async function problems(bench) {
  await bench.command("Problems: Focus on Problems View");
  await panel(bench, 170);
}

/** The lenses that only a sound blueprint has. */
const rendered = (bench) =>
  bench.until("what nouns render to", async () => (await bench.texts(LENSES)).filter((lens) => lens.startsWith("renders to")).length > 2);

/** As wide and high as it is shown; `act` ends at the moment of the picture. */
export const stills = {
  colours: {
    size: [NARROW, 600],
    async act(bench) {
      await bench.see("lenses", LENSES, "used by 1 cluster");
      await bench.see("hints", LINES, /cluster gpus on gke\s*up to 2 nodes/);
    },
  },

  "hints-and-lenses": {
    size: [NARROW, 680],
    async act(bench) {
      await bench.press("Control+End");
      await bench.see("hints of the run", LINES, /workload pretrain on gpus\.h100\s*16 chips, 16 processes, data parallel 16/);
      await bench.see("hints of the pool", LINES, /pool h100\s*16 chips/);
      await bench.see("lenses", LENSES, "used by 1 queue, 1 workload");
    },
  },

  problem: {
    size: [MIDDLE, 560],
    async act(bench) {
      await problems(bench);
      await bench.replace("max_run  = 2d", "2d", "7d");
      await bench.see("the problem", PROBLEMS, "the workload may run for 7d, but its nodes stay for 3d");
      await bench.goto("max_run  = 7d", "7d");
      await bench.command("Quick Fix...");
      await bench.see("the fix", ACTIONS, "max_run");
    },
  },

  hover: {
    size: [MIDDLE, 520],
    async act(bench) {
      await bench.goto('machine  = "a3-megagpu-8g"', "a3-mega");
      await bench.command("Show or Focus Hover");
      await bench.see("what the machine is", ".monaco-hover-content", "8 x h100-mega-80gb");
    },
  },

  completion: {
    size: [MIDDLE, 480],
    async act(bench) {
      await bench.goto('machine  = "a3-megagpu-8g"', "megagpu-8g");
      await bench.press(...Array("megagpu-8g".length).fill("Delete"));
      await bench.press("Control+Space");
      await bench.see("machines", SUGGESTED, "a3-ultragpu-8g");
      await bench.until("what is known of one", async () => {
        const chosen = (await bench.texts(`${SUGGESTED}.focused`)).join();
        if (chosen.includes("a3-megagpu-8g")) return chosen.includes("80 GB each");
        await bench.press("ArrowDown");
        return false;
      });
    },
  },

  rename: {
    size: [NARROW, 600],
    async act(bench) {
      await rendered(bench);
      await bench.goto("pool h100", "h100");
      await bench.press("F2");
      await bench.page.locator(".rename-box input").fill("train");
      await bench.press("Control+Enter");
      await bench.see("what it changes", ".part.panel .monaco-list-row", /^pools += \[h100train\]/);
      await panel(bench, 210);
    },
  },

  definition: {
    size: [MIDDLE, 460],
    async act(bench) {
      await bench.goto("capacity = queued", "queued");
      await bench.command("Peek Definition");
      await bench.see("the library", ".peekview-widget .view-line", "queued");
    },
  },

  rendered: {
    size: [WIDE, 520],
    async act(bench) {
      await bench.goto("restarts = 3");
      await bench.command("Slipform: Show what the noun at the cursor renders to");
      await beside(bench, "its text", "maxRestarts: 3");
    },
  },

  graph: {
    size: [WIDE, 440],
    async act(bench) {
      await bench.command("Slipform: Show the graph");
      const frame = await bench.inFrame("a noun", "g.node text", "pool gpus.h100");
      await frame.locator("g.node", { hasText: "pool gpus.h100" }).click();
      await bench.see("the cursor there", "#status\\.editor\\.selection", "Ln 27");
    },
  },

  explanation: {
    size: [WIDE, 480],
    async act(bench) {
      await bench.replace("max_run  = 2d", "2d", "7d");
      await bench.see("the error", "#status\\.problems", "1");
      await bench.goto("max_run  = 7d", "7d");
      await bench.command(EXPLAIN);
      await beside(bench, "its meaning", "A workload ends before its nodes do");
    },
  },
};

// Another machine in the pool, whose nodes do not boot from the disk of those before.
const NEWER = [
  ['zone    = "us-east4-a"', 'zone    = "us-east4-b"'],
  ["pool h100 {", "pool large {"],
  ["[h100]", "[large]"],
  ["on gpus.h100", "on gpus.large"],
  ['    machine  = "a3-megagpu-8g"\n    nodes    =', '    machine   = "a3-megagpu-8g"\n    disk_type = "pd-ssd"\n    nodes     ='],
  ["    capacity = queued", "    capacity  = queued"],
];

/** A mistake made, explained and mended. `hold` keeps what is to be seen for so many milliseconds, and may call it the still of all. */
export const story = {
  size: [WIDE, 640],
  async begin(bench) {
    await bench.write(NEWER.reduce((text, [from, to]) => text.replace(from, to), bench.text()));
    await problems(bench);
    await bench.goto('"a3-megagpu-8g"', "mega");
    await bench.see("nothing wrong", ".markers-panel", "No problems");
    await rendered(bench);
  },
  async act(bench, hold) {
    await hold(1200);
    for (const _ of "mega") await bench.press("Shift+ArrowRight");
    await hold(600);
    for (const letter of "ultra") {
      await bench.press(letter);
      await hold(140);
    }
    await bench.see("the problem", PROBLEMS, /a3-ultragpu-8g does not boot from pd-ssd/);
    await hold(900);
    await bench.press("Escape");
    await hold(2400);
    await bench.goto('disk_type = "pd-ssd"', "pd-ssd");
    await hold(900);
    await bench.offer("F1", `>${EXPLAIN}`, EXPLAIN);
    await hold(1200);
    await bench.press("Enter");
    await beside(bench, "its meaning", "A machine boots from a disk that it takes");
    await hold(3800);
    await bench.focus();
    await bench.goto('disk_type = "pd-ssd"', "pd-ssd");
    await bench.command("Quick Fix...");
    await bench.see("the fix", ACTIONS, "disk_type");
    await hold(1800, "still");
    await bench.press("Enter");
    await bench.until("the disk gone", () => !bench.text().includes("disk_type"));
    await bench.see("nothing wrong", ".markers-panel", "No problems");
    await rendered(bench);
    await hold(2600);
  },
};
