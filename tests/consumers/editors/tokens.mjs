// The scopes of blueprints, by what VS Code reads TextMate grammars with.
//   node tokens.mjs MODULES GRAMMAR <FILES
// FILES is a JSON list of texts; printed is a list of the same length: of each text its lines, of each line its tokens as
// [start, end, scopes], in UTF-16 units.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, grammarPath] = process.argv.slice(2);
const require = createRequire(resolve(modules, "x.js"));
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

await oniguruma.loadWASM(readFileSync(join(modules, "vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: {
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  },
  loadGrammar: (scope) => {
    if (scope !== "source.slipform") throw new Error(`nobody has the grammar ${scope}`);
    return textmate.parseRawGrammar(readFileSync(grammarPath, "utf8"), grammarPath);
  },
});
const grammar = await registry.loadGrammar("source.slipform");

const texts = JSON.parse(readFileSync(0, "utf8"));
const told = texts.map((text) => {
  let stack = textmate.INITIAL;
  return text.split("\n").map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.map((token) => [token.startIndex, Math.min(token.endIndex, line.length), token.scopes.slice(1)]);
  });
});
process.stdout.write(JSON.stringify(told));
