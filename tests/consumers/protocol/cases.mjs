// What is asked. Each case has `project` to itself, and gets its editors from `editor(capabilities, options)`.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CAPABILITIES, Client, must, until } from "./client.mjs";
import { expanded } from "./snippets.mjs";

const MAIN = "main.bp";
const NOTHING = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function same(found, wanted, what) {
  const [a, b] = [found, wanted].map((it) => JSON.stringify(it));
  must(a === b, `${what}: ${a} instead of ${b}`);
}

const holds = (all, one, what) => must(all.includes(one), `${what}: no ${JSON.stringify(one)} in ${JSON.stringify(all)?.slice(0, 400)}`);

async function opened(editor, ...given) {
  const client = await editor(...given);
  await client.open(MAIN);
  return client;
}

async function refused(asked, part) {
  const why = await asked.then(
    (answer) => JSON.stringify(answer),
    (error) => error,
  );
  must(why instanceof Error && why.message.includes(part), `refused with ${JSON.stringify(part)}: ${why.message ?? why}`);
  return why;
}

/** What is offered behind `text` in the place of `old`. */
async function offered(client, old, marked) {
  await client.replace(MAIN, old, marked.replace("|", ""));
  return (await client.of("completion", MAIN, marked)).items;
}

/** Another text in the place of all of it. */
const wholly = (client, text) => client.edit(MAIN, [{ range: whole(client), newText: text }]);

const whole = (client) => ({ start: NOTHING.start, end: client.document(MAIN).positionAt(1e9) });

/** What nobody else can know of a noun, at the stops of its snippet. */
const OWN = {
  filesystem: ["path(\"/mnt/home\")"],
  image: ["python:3.12-slim-bookworm"],
  workload: ["\"python:3.12-slim-bookworm\"", "python(\"train.py\")"],
};

/** What a rule asks for where the kind leaves it out: only some need it. */
const BESIDE = {
  machines: "\n  image   = image_family(\"debian-12\", project = \"debian-cloud\")",
};

const labels = (items) => items.map(({ label }) => label);

/** The words that have a colour, as `word type`. */
function coloured(client, file, { data }) {
  const { tokenTypes } = client.offered.capabilities.semanticTokensProvider.legend;
  const found = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down, right, length, type] = data.slice(at, at + 4);
    [line, character] = [line + down, down ? right : character + right];
    found.push(`${client.within(file, { start: { line, character }, end: { line, character: character + length } })} ${tokenTypes[type]}`);
  }
  return found;
}

export const cases = {
  async "colours"(editor) {
    const client = await opened(editor);
    const all = coloured(client, MAIN, await client.of("semanticTokens/full", MAIN));
    for (const word of ["param keyword", "ProjectId type", "region property", "torchrun enumMember", "nccl_test macro"]) holds(all, word, "colours");
    must(!all.includes("nccl_test variable"), "what is brought in has the colour of what it is");
    const part = await client.of("semanticTokens/range", MAIN, undefined, { range: client.range(MAIN, "network fabric {\n  region") });
    const some = coloured(client, MAIN, part);
    must(some.length >= 3 && some.every((word) => all.includes(word)), `a part: ${some}`);
  },

  async "uses of a name"(client) {
    client = await opened(client);
    const places = await client.of("references", MAIN, "network fab|ric", { context: { includeDeclaration: true } });
    same(places.map(({ range }) => client.within(MAIN, range)), ["fabric", "fabric"], "places");
    const used = await client.of("references", MAIN, "network fab|ric", { context: { includeDeclaration: false } });
    same(used.length, 1, "uses");
    same((await client.of("documentHighlight", MAIN, "nodes    = no|des")).length >= 3, true, "highlights");
  },

  async "a new name in every file"(editor) {
    const client = await opened(editor);
    same(client.within(MAIN, (await client.of("prepareRename", MAIN, "use shared.{st|eps}")).range), "steps", "what is renamed");
    await client.apply(await client.of("rename", MAIN, "steps = st|eps }", { newName: "most_steps" }));
    same(await client.errors(MAIN), [], "afterwards");
    holds(client.text("shared.bp"), "let most_steps =", "the other file");
    await client.apply(await client.of("rename", MAIN, "param no|des", { newName: "machines" }));
    same(await client.errors(MAIN), [], "afterwards");
    holds(client.text("slipform.toml"), "machines = 8", "the project");
    await refused(client.of("rename", MAIN, "network fab|ric", { newName: "gpus" }), "gpus");
    await refused(client.of("prepareRename", MAIN, "hierar|chical"), "");
  },

  async "files with other names"(editor) {
    const client = await opened(editor);
    const files = [{ oldUri: client.uri("shared.bp"), newUri: client.uri("common/lengths.bp") }];
    const edit = await client.ask("workspace/willRenameFiles", { files });
    mkdirSync(join(client.folder, "common"));
    renameSync(join(client.folder, "shared.bp"), join(client.folder, "common/lengths.bp"));
    await client.apply(edit);
    await client.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: files[0].oldUri, type: 3 }, { uri: files[0].newUri, type: 1 }] });
    holds(client.text(MAIN), "use common.lengths.{steps}", "the use");
    same(await client.errors(MAIN), [], "afterwards");
    const folder = [{ oldUri: client.uri("common"), newUri: client.uri("teams") }];
    await client.apply(await client.ask("workspace/willRenameFiles", { files: folder }));
    holds(client.text(MAIN), "use teams.lengths.{steps}", "of a folder");
    const odd = await client.ask("workspace/willRenameFiles", { files: [{ oldUri: client.uri("teams"), newUri: client.uri("a b") }] });
    same(Object.keys(odd?.changes ?? {}), [], "what no use can write");
  },

  async "texts of the standard library"(editor) {
    const client = await opened(editor);
    const { uri, range } = await client.of("definition", MAIN, "hierar|chical");
    const { text } = await client.ask("workspace/textDocumentContent", { uri });
    same((await client.ask("slipform/source", { uri })).text, text, "both ways to a text");
    await client.open(uri, text);
    same(client.within(uri, range), "hierarchical", "the place");
    holds((await client.of("hover", uri, "location: Reg|ion")).contents.value, "a region of Google Cloud", "a hover");
    must((await client.of("documentSymbol", uri)).length > 1, "an outline");
    must((await client.of("foldingRange", uri)).length > 1, "folds");
    const type = await client.of("definition", uri, "name: Bucket|Name");
    holds(type.uri, "slipform://std/", "from one to another");
    same(await client.problems(uri), [], "what is wrong there");
    const declared = await client.of("declaration", MAIN, "nccl|_test fabric_test");
    holds(declared.uri, "slipform://std/components/", "a component");
    holds((await client.of("typeDefinition", MAIN, "capa|city")).uri, "slipform://std/kinds/", "a type");
  },

  async "declarations of the workspace, links, and who needs whom"(editor) {
    const client = await opened(editor);
    const named = async (query) => (await client.ask("workspace/symbol", { query })).map(({ name }) => name);
    holds(await named("pretr"), "pretrain", "symbols");
    holds(await named("steps"), "steps", "symbols of another file");
    const links = await client.of("documentLink", MAIN);
    for (const part of ["slipform://std/components/", "shared.bp"]) must(links.some(({ target }) => target.includes(part)), `a link to ${part}`);
    const [item] = await client.of("prepareCallHierarchy", MAIN, "pool h1|00");
    const calls = async (way, end) => (await client.ask(`callHierarchy/${way}Calls`, { item })).map((call) => call[end].name);
    holds(await calls("incoming", "from"), "pretrain", "who needs the pool");
    holds(await calls("outgoing", "to"), "gpus", "what it needs");
  },

  async "an outline, folds and selections"(editor) {
    const client = await opened(editor);
    const symbols = await client.of("documentSymbol", MAIN);
    const cluster = symbols.find(({ name }) => name === "gpus");
    same(cluster.children.map(({ name }) => name), ["h100", "research"], "parts of the cluster");
    must((await client.of("foldingRange", MAIN)).some(({ startLine, endLine }) => endLine > startLine + 10), "the fold of the cluster");
    let [selection] = await client.of("selectionRange", MAIN, undefined, { positions: [client.at(MAIN, "steps = st|eps }")] });
    const words = [];
    for (; selection; selection = selection.parent) words.push(client.within(MAIN, selection.range));
    same(words[0], "steps", "the word");
    same(words.at(-1), client.text(MAIN), "the whole");
    for (const [at, word] of words.slice(1).entries()) must(word.includes(words[at]) && word.length > words[at].length, `${word} around ${words[at]}`);
  },

  async "completion in all positions"(editor) {
    const client = await opened(editor);
    const places = [
      ["  restarts = 3\n", "  pri|\n", "priority"],
      ["machine  = \"a3-megagpu-8g\"", "machine  = \"|\"", "a3-megagpu-8g"],
      ["zone    = \"us-east4-a\"", "zone    = |", "\"us-east4-a\""],
      ["capacity = queued(max = 3d)", "capacity = |", "spot"],
      ["network = fabric", "network = |", "fabric"],
      ["workload pretrain on gpus.h100", "workload pretrain on |", "gpus.h100"],
      ["workload pretrain on gpus.h100", "workload pretrain |", "on"],
      ["[mount(checkpoints, \"/checkpoints\", use = \"checkpoints\")]", "[|]", "checkpoints"],
      ["use = \"checkpoints\"", "use = \"|\"", "checkpoints"],
      ["use shared.{steps}", "use shared.{|}", "steps"],
      ["use std.components.{nccl_test}", "use std.|", "std.components"],
      ["  restarts = 3\n", "  patch |\n", "jobset"],
      ["  restarts = 3\n", "  patch jobset {\n    spec = { | }\n  }\n", "failurePolicy"],
      ["  restarts = 3\n", "  allow |\n", "capacity/quota"],
      ["param nodes: int", "param nodes: |", "Size"],
      ["nccl_test fabric_test on gpus.h100 {\n", "nccl_test fabric_test on gpus.h100 {\n  pro|\n", "program"],
      ["nccl_test fabric_test on gpus.h100 {\n", "nccl_test fabric_test on gpus.h100 {\n  program = \"|\"\n", "all_reduce_perf"],
      ["identity training {\n}\n", "rule own/x on pool {\n  when capacity == |\n}\n", "spot"],
      ["identity training {\n}\n", "rule own/x on |\n", "pool"],
    ];
    for (const [old, marked, wanted] of places) {
      const text = client.text(MAIN);
      const items = await offered(client, old, marked);
      holds(labels(items), wanted, marked.trim());
      for (const { textEdit, documentation, label } of items) must(textEdit && documentation !== "", `${label} with its edit`);
      await wholly(client, text);
    }
  },

  async "whole nouns that are taken as they are offered"(editor) {
    const client = await opened(editor);
    const text = client.text(MAIN);
    const inside = "  queue research {";
    const wrong = [];
    for (const [before, behind] of [["\n", ""], [text.slice(0, text.indexOf(inside)), text.slice(text.indexOf(inside))]]) {
      const whole = before === "\n" ? [`${text}\n`, ""] : [`${before}  `, `\n${behind}`];
      await wholly(client, whole.join(""));
      const first = (await client.of("completion", MAIN, undefined, { position: client.document(MAIN).positionAt(whole[0].length) })).items;
      const nouns = first.filter(({ kind }) => kind === 22);
      must(nouns.length > 1, `nouns: ${labels(first)}`);
      for (const noun of nouns.filter(({ label }) => label !== "cluster on slurm")) {
        await wholly(client, whole.join(""));
        const { text: taken, open } = expanded(noun.textEdit.newText);
        await client.edit(MAIN, [{ ...noun.textEdit, newText: taken }]);
        for (const [stop, { at, length }] of [...open.entries()].reverse()) {
          const [start, end] = [at, at + length].map((offset) => client.document(MAIN).positionAt(whole[0].length + offset));
          await client.edit(MAIN, [{ range: { start, end }, newText: "" }]);
          const own = OWN[noun.label]?.[stop];
          if (own) {
            await client.edit(MAIN, [{ range: { start, end: start }, newText: own }]);
          } else {
            const [best] = (await client.of("completion", MAIN, undefined, { position: start })).items;
            await client.edit(MAIN, [{ ...best.textEdit, newText: expanded(best.textEdit.newText).text }]);
          }
        }
        if (BESIDE[noun.label]) {
          const before = client.text(MAIN).slice(0, client.text(MAIN).indexOf("\n}", whole[0].length)).split("\n");
          const end = { line: before.length - 1, character: before.at(-1).length };
          await client.edit(MAIN, [{ range: { start: end, end }, newText: BESIDE[noun.label] }]);
        }
        const errors = await client.errors(MAIN);
        if (errors.length) wrong.push(`${client.text(MAIN).slice(whole[0].length).split("\n\n")[0]}\n${errors.join("\n")}`);
      }
    }
    same(wrong, [], "nouns with errors");
  },

  async "what a call takes"(editor) {
    const client = await opened(editor);
    await client.replace(MAIN, "torchrun(\"/app/train.py\", args = { steps = steps })", "torchrun(\"/app/train.py\", ");
    const { signatures, activeParameter } = await client.of("signatureHelp", MAIN, "torchrun(\"/app/train.py\", |");
    const [begin, end] = signatures[0].parameters[activeParameter].label;
    must(end > begin && signatures[0].label.startsWith("torchrun("), JSON.stringify(signatures));
  },

  async "what a word means"(editor) {
    const client = await opened(editor);
    const told = async (marked) => (await client.of("hover", MAIN, marked))?.contents.value ?? "";
    holds(await told("subnet   = 10.0|.0.0/20"), "4096", "room of a range");
    holds(await told("subnet   = 10.0|.0.0/20"), "10.0.15.255", "the last of a range");
    holds(await told("capa|city"), "How the nodes are obtained.", "a field");
    holds(await told("a3-mega|gpu-8g"), "8 x h100", "a machine");
    holds(await told("steps = st|eps }"), "10000", "a value of another file");
    holds(await told("Project|Id"), "project", "a type");
    holds(await told("tor|chrun"), "torchrun", "a launcher");
    await client.replace(MAIN, "  restarts = 3\n", "  restarts = 3\n  patch jobset {\n    spec = { failurePolicy = { restartStrategy = \"Recreate\" } }\n  }\n");
    const key = await told("restart|Strategy");
    for (const part of ["spec.failurePolicy.restartStrategy", "`BlockingRecreate`", "https://"]) holds(key, part, "a key of a patch");
  },

  async "mends, each of which mends"(editor) {
    const client = await opened(editor);
    const text = client.text(MAIN);
    const mistakes = [
      ["network = fabric", "network = fabrik"],
      ["machine  = \"a3-megagpu-8g\"", "machin  = \"a3-megagpu-8g\""],
      ["capacity = queued(max = 3d)", "capacity = sport"],
      ["use std.components.{nccl_test}\n", ""],
      ["location     = \"us-east4\"\n", ""],
      ["restarts = 3\n", "restarts = 3\n  restarts = 3\n"],
      ["machine  = \"a3-megagpu-8g\"", "machine  = a3-megagpu-8g"],
    ];
    for (const [right, wrong] of mistakes) {
      await client.replace(MAIN, right, wrong);
      const [problem] = (await client.problems(MAIN)).filter(({ severity }) => severity === 1);
      must(problem, `${wrong} is reported`);
      const context = { diagnostics: [problem], only: ["quickfix"] };
      const actions = await client.of("codeAction", MAIN, undefined, { range: problem.range, context });
      must(actions?.length, `${problem.message}: no mend`);
      must(actions.every(({ kind }) => kind === "quickfix"), "only what was asked for");
      await client.apply(actions[0].edit);
      same(await client.errors(MAIN), [], `after ${actions[0].title}`);
      await wholly(client, text);
    }
    await client.replace(MAIN, "network = fabric", "network = fabrik");
    await client.replace(MAIN, "capacity =", "capacty =");
    const [all] = await client.of("codeAction", MAIN, undefined, { range: NOTHING, context: { diagnostics: [], only: ["source.fixAll"] } });
    await client.apply(all.edit);
    same(client.text(MAIN), text, "all mends at once");
  },

  async "refactorings, none of which changes anything"(editor) {
    const client = await opened(editor);
    const text = client.text(MAIN);
    const tried = new Set();
    for (const marked of ["10000|", "\"us-east4-a\"|", "nodes    = nodes|\n    capacity", "= ste|ps }", "workload pre|train", "bucket check|points"]) {
      const place = marked === "10000|" ? client.range(MAIN, "2 where").start : client.at(MAIN, marked);
      const range = { start: place, end: place };
      for (const { title, kind, edit } of await client.of("codeAction", MAIN, undefined, { range, context: { diagnostics: [], only: ["refactor"] } })) {
        must(kind.startsWith("refactor"), `${title} is ${kind}`);
        const files = new Set(client.documents.keys());
        await client.apply(edit);
        same(await client.errors(MAIN), [], `after ${title}`);
        tried.add(kind);
        for (const uri of client.documents.keys()) if (!files.has(uri)) {
          rmSync(new URL(uri));
          await client.close(uri);
          await client.tell("workspace/didChangeWatchedFiles", { changes: [{ uri, type: 3 }] });
        }
        await wholly(client, text);
      }
    }
    for (const kind of ["refactor.extract", "refactor.move"]) holds([...tried], kind, "kinds");
  },

  async "hints and lenses"(editor) {
    const client = await opened(editor);
    const range = whole(client);
    const hints = (await client.of("inlayHint", MAIN, undefined, { range })).map(({ label }) => label);
    for (const hint of ["= 10000", "= 2"]) holds(hints, hint, "hints");
    must(hints.some((label) => label.includes("16 chips")), `chips in ${hints}`);
    const lenses = await client.of("codeLens", MAIN);
    const titles = lenses.map(({ command }) => command.title);
    holds(titles, "environment: dev", "lenses");
    must(titles.some((title) => title.startsWith("used by")), `users in ${titles}`);
    const rendered = lenses.filter(({ command }) => command.command === "slipform.showArtifacts");
    for (const { command } of rendered) {
      for (const path of command.arguments[2]) {
        const { text } = await client.ask("slipform/artifact", { textDocument: { uri: client.uri(MAIN) }, path });
        must(text.length > 0, `the text of ${path}`);
      }
    }
  },

  async "commands, and what the protocol has no words for"(editor) {
    const client = await opened(editor);
    const lenses = await client.of("codeLens", MAIN);
    const { command } = lenses.find(({ command }) => command.command === "slipform.chooseEnvironment");
    await client.ask("workspace/executeCommand", { command: command.command, arguments: command.arguments });
    must(client.said.some(({ method }) => method === "window/showMessageRequest"), "a question which environment");
    const textDocument = { uri: client.uri(MAIN) };
    const zero = { line: 0, character: 0 };
    await client.ask("experimental/joinLines", { textDocument, ranges: [{ start: zero, end: zero }] });
    await client.ask("experimental/moveItem", { textDocument, range: { start: zero, end: zero }, direction: "Down" });
    await client.ask("experimental/onEnter", { textDocument, position: zero });
    await client.ask("experimental/externalDocs", { textDocument, position: zero });
    const runs = await client.ask("experimental/runnables", { textDocument });
    must(runs.some(({ args }) => args.args[0] === "check"), "the project is checked");
  },

  async "diagnostics that are asked for"(editor) {
    const client = await opened(editor);
    await client.replace(MAIN, "network = fabric", "network = fabrik");
    const full = await until("the report", async () => {
      const report = await client.of("diagnostic", MAIN);
      return report.items?.some(({ code }) => code === "names/unknown") && report;
    });
    const [problem] = full.items.filter(({ code }) => code === "names/unknown");
    holds((await client.ask("workspace/textDocumentContent", { uri: problem.codeDescription.href })).text, "names/unknown", "its page");
    await client.problems(MAIN);
    const { resultId } = await client.of("diagnostic", MAIN);
    same((await client.of("diagnostic", MAIN, undefined, { previousResultId: resultId })).kind, "unchanged", "asked twice");
    const { items } = await client.ask("workspace/diagnostic", { previousResultIds: [] });
    must(items.find(({ uri }) => uri === client.uri(MAIN)).items.length, "of the workspace");
    writeFileSync(join(client.folder, "shared.bp"), "let steps = 10 * many\n");
    await client.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: client.uri("shared.bp"), type: 2 }] });
    await until("told to ask anew", () => client.said.some(({ method }) => method === "workspace/diagnostic/refresh"));
    must(!client.said.some(({ method }) => method === "textDocument/publishDiagnostics"), "nothing comes unasked");
    await client.replace(MAIN, "network = fabrik", "network = fabric");
    await client.replace(MAIN, "identity training", "let unused = 1\n\nidentity training");
    const unused = (await client.problems(MAIN)).find(({ tags }) => tags?.includes(1));
    must(unused && client.within(MAIN, unused.range) === "unused", "what nothing speaks of is paler");
  },

  async "diagnostics that come unasked, also of other files"(editor) {
    const { diagnostics, ...workspace } = CAPABILITIES.workspace;
    const client = await opened(editor, { ...CAPABILITIES, workspace });
    must(diagnostics && !client.offered.capabilities.diagnosticProvider, "nobody is asked to ask");
    const last = (file) => client.said.filter(({ method, params }) => method === "textDocument/publishDiagnostics" && params.uri === client.uri(file)).at(-1)?.params;
    await until("no problem", () => last(MAIN)?.diagnostics.length === 0);
    writeFileSync(join(client.folder, "shared.bp"), "let steps = 10 * many\n");
    await client.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: client.uri("shared.bp"), type: 2 }] });
    await until("the problem of the other file", () => last("shared.bp")?.diagnostics.length === 1);
    rmSync(join(client.folder, "shared.bp"));
    await client.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: client.uri("shared.bp"), type: 3 }] });
    await until("the file that is gone", () => last(MAIN)?.diagnostics.some(({ message }) => message.includes("shared")));
    await until("its report", () => last("shared.bp")?.diagnostics.length === 0);
    await client.open("untitled:Untitled-1", "let a = b\n");
    await until("the problem of what has no file", () => last("untitled:Untitled-1")?.diagnostics.length > 0);
    await client.close("untitled:Untitled-1");
    await until("nothing left of it", () => last("untitled:Untitled-1")?.diagnostics.length === 0);
  },

  async "help in the project's own files"(editor) {
    const client = await opened(editor);
    await client.open("slipform.toml");
    holds((await client.of("hover", "slipform.toml", "no|des = 8")).contents.value, "Machines of eight GPUs", "a parameter");
    await client.replace("slipform.toml", "nodes = 8", "nodse = 8");
    const [problem] = await until("the report", async () => (await client.problems("slipform.toml")).filter(({ severity }) => severity === 1));
    holds(client.within("slipform.toml", problem.range), "nodse", "the place");
    await client.replace("slipform.toml", "nodse = 8", "nodes = \"x\"");
    must((await client.errors("slipform.toml")).length === 1, "a value of another type");
    await client.replace("slipform.toml", "nodes = \"x\"", "no");
    holds(labels((await client.of("completion", "slipform.toml", "\nno|\n")).items), "nodes", "parameters");
    await client.replace("slipform.toml", "\nno\n", "\nnodes = 8\n");
    await client.open("catalog.local.toml", "[[machine]]\n");
    must((await client.problems("catalog.local.toml")).length, "what a machine lacks");
    must((await client.of("completion", "catalog.local.toml", "[[mach|ine]]")).items.length, "tables");
  },

  async "settings without another start"(editor) {
    const client = await opened(editor, CAPABILITIES, { environment: "dev" });
    const range = whole(client);
    const hints = async () => (await client.of("inlayHint", MAIN, undefined, { range })).map(({ label }) => label);
    holds(await hints(), "= 2", "of dev");
    await client.tell("workspace/didChangeConfiguration", { settings: { slipform: { environment: "prod" } } });
    holds(await hints(), "= 8", "of prod");
    await client.tell("workspace/didChangeConfiguration", { settings: { slipform: { environment: "prod", set: { nodes: "4" } } } });
    holds(await hints(), "= 4", "of a parameter");
    await until("told to ask anew", () => client.said.some(({ method }) => method === "workspace/inlayHint/refresh"));
    await client.tell("workspace/didChangeConfiguration", { settings: { slipform: { environment: "nowhere" } } });
    must((await client.errors(MAIN)).length || (await client.errors("slipform.toml")).length, "an environment that is not there");
  },

  async "layout: whole, a part, while typing"(editor) {
    const client = await opened(editor);
    const options = { tabSize: 2, insertSpaces: true };
    const text = client.text(MAIN);
    same((await client.of("formatting", MAIN, undefined, { options })) ?? [], [], "what is laid out already");
    const spoil = async () => {
      await client.replace(MAIN, "  region   =", "  region =");
      await client.replace(MAIN, "  max_run  =", "max_run =");
    };
    await spoil();
    const edits = await client.of("formatting", MAIN, undefined, { options });
    must(edits.every(({ range }) => range.end.line - range.start.line < 2), "small edits");
    await client.edit(MAIN, edits);
    same(client.text(MAIN), text, "the whole");
    await spoil();
    await client.edit(MAIN, await client.of("rangeFormatting", MAIN, undefined, { options, range: client.range(MAIN, "network fabric {\n  region =") }));
    must(client.text(MAIN).includes("  region   =") && client.text(MAIN).includes("\nmax_run ="), "a part alone");
    await client.edit(MAIN, await client.of("onTypeFormatting", MAIN, "restarts = 3\n}|", { options, ch: "}" }));
    same(client.text(MAIN), text, "behind a brace");
  },

  async "another alphabet"(editor) {
    const client = await opened(editor, { ...CAPABILITIES, general: { positionEncodings: ["utf-8", "utf-16"] } });
    same(client.offered.capabilities.positionEncoding, "utf-8", "bytes where the editor counts them");
    const other = await editor();
    same(other.offered.capabilities.positionEncoding, "utf-16", "otherwise what all can");
    await other.open(MAIN);
    await other.replace(MAIN, "location     = \"us-east4\"", "location     = lower(\"🙂é\") /* */");
    await other.replace(MAIN, " /* */", "\r");
    const found = (await other.of("references", MAIN, "network fab|ric", { context: { includeDeclaration: true } })).length;
    same(found, 2, "places behind it");
  },

  async "what is cancelled, unknown, or of a wrong form"(editor) {
    const client = await opened(editor);
    const { CancellationTokenSource } = client.lsp;
    const source = new CancellationTokenSource();
    const params = { textDocument: { uri: client.uri(MAIN) }, range: NOTHING, context: { diagnostics: [] } };
    const asked = [...Array(20)].map(() => client.connection.sendRequest("textDocument/codeAction", params, source.token));
    source.cancel();
    const ends = await Promise.allSettled(asked);
    const codes = ends.map((end) => (end.status === "rejected" ? end.reason.code : "answered"));
    must(codes.every((code) => code === "answered" || code === -32800), `ends: ${codes}`);
    must(codes.includes(-32800), "what waits is cancelled");
    same((await refused(client.connection.sendRequest("textDocument/moniker", {}), "moniker")).code, -32601, "an unknown request");
    same((await refused(client.connection.sendRequest("textDocument/hover", { textDocument: 1 }), "")).code, -32602, "a wrong form");
    await client.tell("$/unknown", {});
    must(await client.of("hover", MAIN, "capa|city"), "and it goes on");
    same(await client.of("hover", "nowhere.bp", undefined, { position: NOTHING.start }), null, "a document that is not open");
  },

  async "the end"(editor) {
    const client = await opened(editor);
    await client.ask("shutdown");
    same((await refused(client.connection.sendRequest("textDocument/hover", {}), "shut down")).code, -32600, "a request behind the goodbye");
    await client.tell("exit");
    same(await client.ended, 0, "the status");
    const other = await editor();
    await other.tell("exit");
    same(await other.ended, 1, "the status without a goodbye");
    const third = await editor();
    third.process.stdin.end();
    must((await third.ended) !== null, "an editor that is gone");
    return "ended";
  },

  async "all that is offered was asked for"(editor) {
    const { capabilities } = (await editor()).offered;
    const asked = [...Client.answered].join(" ").toLowerCase();
    const missing = Object.keys(capabilities)
      .filter((name) => name.endsWith("Provider"))
      .map((name) => name.replace("Provider", "").replace(/^document(Formatting|RangeFormatting|OnTypeFormatting)$/, "$1").toLowerCase())
      .filter((name) => !asked.includes(name === "workspacesymbol" ? "workspace/symbol" : name));
    same(missing, [], "offered, and answered by no case");
  },
};
