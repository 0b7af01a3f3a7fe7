// An editor made of Microsoft's own client of the protocol: it starts `slipform lsp` as a process, and holds all that comes to the
// protocol's types.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";

const PATIENCE = 60_000;

export function must(holds, what) {
  if (!holds) throw new Error(what);
}

/** Until `look` gives something: what it gives. */
export async function until(what, look) {
  for (const end = Date.now() + PATIENCE; ; ) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    must(Date.now() < end, `${what}: not within ${PATIENCE / 1000} s`);
    await new Promise((later) => setTimeout(later, 25));
  }
}

/** What holds a message to the type that a table of answers.ts has for it. */
export async function judge(modules, table) {
  const require = createRequire(join(modules, "package.json"));
  const { createGenerator } = require("ts-json-schema-generator");
  const Ajv = require("ajv").default;
  const words = { path: "answers.ts", tsconfig: "tsconfig.json", skipTypeCheck: true, additionalProperties: false };
  const schema = createGenerator({ ...words, type: table }).createSchema(table);
  const ajv = new Ajv({ allErrors: false, strict: false }).addSchema(schema, table);
  const known = Object.keys(schema.definitions[table].properties);
  const checks = new Map(known.map((name) => [name, ajv.compile({ $ref: `${table}#/definitions/${table}/properties/${name.replaceAll("/", "~1")}` })]));
  return (name, value) => {
    const check = checks.get(name);
    must(check, `${name} is not in \`${table}\` of answers.ts`);
    const why = () => check.errors.map((it) => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`).join("; ");
    must(check(value ?? null), `${name} is not what the protocol says: ${check.errors && why()}\n${JSON.stringify(value)?.slice(0, 600)}`);
  };
}

/** What VS Code says that it can do, as far as the server asks. */
export const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    synchronization: { didSave: true },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
    hover: { contentFormat: ["markdown"] },
    rename: { prepareSupport: true },
    diagnostic: { relatedDocumentSupport: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true },
  },
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    codeLens: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
    textDocumentContent: {},
  },
};

export class Client {
  documents = new Map();
  /** What the server said or asked unasked. */
  said = [];
  wrong = [];
  /** The requests that were answered with something. */
  static answered = new Set();

  constructor({ modules, slipform, folder, judges }, capabilities = CAPABILITIES, options = null) {
    const require = createRequire(join(modules, "package.json"));
    this.lsp = require("vscode-languageserver-protocol/node");
    ({ TextDocument: this.TextDocument } = require("vscode-languageserver-textdocument"));
    Object.assign(this, { folder, judges, capabilities, options });
    this.process = spawn(slipform, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((done) => this.process.once("exit", (code, signal) => done(code ?? signal)));
    const { StreamMessageReader, StreamMessageWriter, createProtocolConnection } = this.lsp;
    this.connection = createProtocolConnection(new StreamMessageReader(this.process.stdout), new StreamMessageWriter(this.process.stdin));
    this.connection.onNotification((method, params) => void this.heard(method, params));
    this.connection.onRequest((method, params) => this.heard(method, params));
    this.connection.listen();
  }

  /** What is not of the protocol is told at the end: nobody waits for this. */
  heard(method, params) {
    try {
      this.judges.said(method, params);
    } catch (error) {
      this.wrong.push(error.message);
    }
    this.said.push({ method, params });
    return null;
  }

  async start() {
    const { folder, capabilities, options } = this;
    const root = pathToFileURL(folder).href;
    this.offered = await this.ask("initialize", {
      processId: process.pid, rootUri: root, workspaceFolders: [{ uri: root, name: "project" }], capabilities, initializationOptions: options,
    });
    await this.tell("initialized", {});
    return this;
  }

  /** The answer to a request, which must be what the protocol says. */
  async ask(method, params) {
    const answer = await this.connection.sendRequest(method, params);
    this.judges.answers(method, answer);
    if (Array.isArray(answer) ? answer.length : answer) Client.answered.add(method);
    return answer;
  }

  tell(method, params) {
    return this.connection.sendNotification(method, params);
  }

  uri(file) {
    return file.includes(":") ? file : pathToFileURL(join(this.folder, file)).href;
  }

  async open(file, text = readFileSync(join(this.folder, file), "utf8")) {
    const uri = this.uri(file);
    this.documents.set(uri, this.TextDocument.create(uri, "slipform", 1, text));
    await this.tell("textDocument/didOpen", { textDocument: { uri, languageId: "slipform", version: 1, text } });
  }

  close(file) {
    this.documents.delete(this.uri(file));
    return this.tell("textDocument/didClose", { textDocument: { uri: this.uri(file) } });
  }

  document(file) {
    return this.documents.get(this.uri(file));
  }

  text(file) {
    return this.document(file)?.getText() ?? readFileSync(fileURLToPath(this.uri(file)), "utf8");
  }

  /** Edits of the protocol, one after the other, as an editor sends them: those behind first. */
  async edit(file, edits) {
    const document = this.document(file);
    const offset = ({ range }) => document.offsetAt(range.start);
    const contentChanges = [...edits].sort((a, b) => offset(b) - offset(a)).map(({ range, newText }) => ({ range, text: newText }));
    const version = document.version + 1;
    this.documents.set(this.uri(file), this.TextDocument.update(document, contentChanges, version));
    await this.tell("textDocument/didChange", { textDocument: { uri: this.uri(file), version }, contentChanges });
  }

  /** Another text in the place of the first `old`. */
  replace(file, old, text) {
    return this.edit(file, [{ range: this.range(file, old), newText: text }]);
  }

  range(file, part) {
    const text = this.text(file);
    const start = text.indexOf(part);
    must(start >= 0, `no ${JSON.stringify(part)} in ${file}`);
    const document = this.document(file) ?? this.TextDocument.create(this.uri(file), "slipform", 0, text);
    return { start: document.positionAt(start), end: document.positionAt(start + part.length) };
  }

  /** The place of `|` in a part of a text. */
  at(file, marked) {
    const before = marked.split("|")[0];
    const { start } = this.range(file, marked.replace("|", ""));
    const document = this.document(file) ?? this.TextDocument.create(this.uri(file), "slipform", 0, this.text(file));
    return document.positionAt(document.offsetAt(start) + before.length);
  }

  within(file, range) {
    const document = this.document(file) ?? this.TextDocument.create(this.uri(file), "slipform", 0, this.text(file));
    return document.getText(range);
  }

  /** A request about a document, and a place in it. */
  of(method, file, marked, more = {}) {
    const position = marked === undefined ? {} : { position: this.at(file, marked) };
    return this.ask(`textDocument/${method}`, { textDocument: { uri: this.uri(file) }, ...position, ...more });
  }

  /** What is wrong in a document, all of it: what is asked for comes in two parts of a large one. */
  async problems(file) {
    await this.of("codeAction", file, undefined, { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, context: { diagnostics: [] } });
    return (await this.of("diagnostic", file)).items;
  }

  async errors(file) {
    return (await this.problems(file)).filter(({ severity }) => severity === 1).map(({ code, message }) => `${code}: ${message}`);
  }

  /** A change of the workspace, as an editor makes it: of documents that are open, of files, and of files that it makes. */
  async apply(change) {
    const changes = change.documentChanges ?? Object.entries(change.changes).map(([uri, edits]) => ({ textDocument: { uri }, edits }));
    for (const one of changes) {
      if (one.kind === "create") {
        must(!existsSync(fileURLToPath(one.uri)), `${one.uri} is there already`);
        writeFileSync(fileURLToPath(one.uri), "");
        await this.open(one.uri, "");
      } else if (this.document(one.textDocument.uri)) {
        await this.edit(one.textDocument.uri, one.edits);
      } else {
        const path = fileURLToPath(one.textDocument.uri);
        const document = this.TextDocument.create(one.textDocument.uri, "slipform", 0, readFileSync(path, "utf8"));
        writeFileSync(path, this.TextDocument.applyEdits(document, one.edits));
        await this.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: one.textDocument.uri, type: 2 }] });
      }
    }
  }

  /** The end that the protocol asks for; the status of the process. */
  async end() {
    await this.ask("shutdown");
    await this.tell("exit");
    const status = await this.ended;
    this.connection.dispose();
    must(this.wrong.length === 0, this.wrong.join("\n"));
    return status;
  }
}
