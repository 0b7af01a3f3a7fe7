// `slipform lsp` asked all that it offers, by Microsoft's own client of the protocol: what it says must have the protocol's form, and mean
// what a blueprint says.
//   node run.mjs --modules FOLDER --slipform PROGRAM --work FOLDER [--only CASE]
// --modules   node_modules of what package.json names
// --work      where each case has a project of its own
// --only      the cases whose names begin so
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cases } from "./cases.mjs";
import { Client, judge } from "./client.mjs";

const { values: given } = parseArgs({ options: Object.fromEntries(["modules", "slipform", "work", "only"].map((name) => [name, { type: "string" }])) });
const here = dirname(fileURLToPath(import.meta.url));
const [modules, slipform, work] = [given.modules, given.slipform, given.work].map((path) => resolve(path));

// The types are looked up beside the file that names them.
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
for (const file of ["answers.ts", "tsconfig.json", "package.json"]) cpSync(join(here, file), join(work, file));
symlinkSync(modules, join(work, "node_modules"));
process.chdir(work);
const judges = { answers: await judge(modules, "Answers"), said: await judge(modules, "Said") };

const failed = [];
const tried = Object.entries(cases).filter(([name]) => !given.only || name.startsWith(given.only));
for (const [at, [name, act]] of tried.entries()) {
  const folder = join(work, String(at));
  cpSync(join(here, "project"), folder, { recursive: true });
  const clients = [];
  const client = async (capabilities, options) => {
    const one = new Client({ modules, slipform, folder, judges }, capabilities, options);
    clients.push(one);
    return one.start();
  };
  try {
    const ends = (await act(client)) !== "ended";
    for (const one of clients) if (ends) await one.end();
    console.log(`ok     ${name}`);
  } catch (error) {
    failed.push(name);
    console.log(`WRONG  ${name}: ${error.message}`);
    for (const one of clients) one.process.kill();
  }
}
console.log(`protocol: ${tried.length - failed.length} of ${tried.length} cases, ${Client.answered.size} requests answered`);
process.exit(failed.length ? 1 : 0);
