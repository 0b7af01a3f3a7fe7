// What the program says: its rules, the rows of its catalog, the files that a blueprint becomes.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export const root = process.env.SLIPFORM_ROOT;
const program = process.env.SLIPFORM;

// Every code that `explain` knows; a rule has a `source`, what else the compiler reports has none.
export const codes = rows("explain").map((code) => {
  const [area, name] = code.code.split("/");
  return { ...code, area, name, url: `/reference/rules/${area}/${name}/` };
});
export const machines = catalog("machines");
export const gpus = catalog("gpus");
export const tpus = catalog("tpus", "generation");
export const zones = rows("catalog", "zones");

function catalog(table, key = "name") {
  return rows("catalog", table).map((row) => ({ ...row, name: row[key], url: `/reference/catalog/${table}/${row[key]}/` }));
}

function rows(...words) {
  const options = { encoding: "utf8", maxBuffer: 1 << 28 };
  const said = execFileSync(program, [...words, "--message-format", "json"], options);
  return said
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

// The files of a project, as { path, text } in the order of their paths.
export function rendered(project, about) {
  return within(project, (folder) => {
    const start = "slipform.toml" in project ? "." : "train.bp";
    const { status, stderr } = said(folder, "build", start, "--out", "out");
    if (status !== 0) throw new Error(`${about} does not build:\n${stderr}`);
    return files(join(folder, "out"));
  });
}

// What is reported of a program.
export function checked(text) {
  return within({ "train.bp": text }, (folder) => said(folder, "check", "train.bp").stderr);
}

function within(project, then) {
  const folder = mkdtempSync(join(tmpdir(), "slipform-site-"));
  try {
    for (const [path, text] of Object.entries(project)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return then(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function said(folder, ...words) {
  return spawnSync(program, words, { cwd: folder, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
}

export function files(folder, keep = () => true) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).filter(keep);
  return paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}
