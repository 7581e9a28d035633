// The server process of call-path.js: notes on which way the marks come to disk and socket.
import { createHook, executionAsyncId } from "node:async_hooks";
import fs from "node:fs";
import { ServerResponse } from "node:http";
import { SourceMap, syncBuiltinESMExports } from "node:module";
import { basename, join, normalize, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const ours = /\/packages\/[\w-]+\/dist\/[^/]+\.js$/;

/** Written into input, state and output: where one of them is written to disk or socket, the way has come to that place. */
export const marks = { input: "call-path-input", state: "call-path-state", output: "call-path-output" };

const builtPackage = (name) => import(pathToFileURL(join(root, `packages/${name}/dist/index.js`)).href);

/** A tool with two checkpoints, and one with a question. With `onHang` the first calls that behind a checkpoint, and hangs. */
function toolsOf({ defineTool }, onHang) {
  const nothing = { type: "object", properties: { run: { type: "number" }, mark: { type: "string" } } };
  const form = { type: "object", properties: { yes: { type: "boolean" }, mark: { type: "string" } } };
  const count = defineTool({
    name: "count",
    description: "Counts to two.",
    input: nothing,
    state: { at: 0, mark: "" },
    async *run(_, task) {
      for (let at = task.state.at + 1; at <= 2; at += 1) {
        yield { progress: at, total: 2, state: { at, mark: marks.state }, message: marks.state };
        if (onHang !== undefined) await new Promise(onHang);
      }
      return { counted: 2, mark: marks.output };
    },
  });
  const confirm = defineTool({
    name: "confirm",
    description: "Asks.",
    input: nothing,
    run: (_, task) => task.ask("sure", { message: "Sure?", schema: form }),
  });
  return [count, confirm];
}

/** Files that no caller waits for: a task's readable copy and the finished index. */
const asides = / to (?:task\.json|\d{4}-\d\d-\d\d.*|\..*)$/;

const textOf = (data) => {
  if (typeof data === "string") return data;
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString() : "";
};

/**
 * Watches this process. A way is the stack at a write, then the stack at which its asynchronous context was created, and so on
 * back to the socket or timer with which everything began.
 */
class Watcher {
  #origins = new Map();
  #ways = new Map();

  open() {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    const origins = this.#origins;
    createHook({
      init(id, type) {
        // A connection is where a request begins, not who opened the port.
        if (!type.startsWith("TCP")) origins.set(id, { stack: stackHere(), parent: executionAsyncId() });
      },
    }).enable();
    this.#watchFiles();
    for (const method of ["write", "end"]) {
      const original = ServerResponse.prototype[method];
      const note = (data) => this.#note("the socket", textOf(data));
      ServerResponse.prototype[method] = function (...args) {
        note(args[0]);
        return original.apply(this, args);
      };
    }
    syncBuiltinESMExports();
  }

  #watchFiles() {
    const names = new Map();
    const { openSync, writeSync, renameSync, linkSync } = fs;
    const named = (place) => (from, to) => {
      this.#rename(basename(from), basename(to));
      return place(from, to);
    };
    fs.renameSync = named(renameSync);
    fs.linkSync = named(linkSync);
    fs.openSync = (path, ...rest) => {
      const file = openSync(path, ...rest);
      names.set(file, basename(String(path)));
      return file;
    };
    fs.writeSync = (file, data, ...rest) => {
      this.#note(names.get(file) ?? "?", textOf(data));
      return writeSync(file, data, ...rest);
    };
  }

  /** A draft is known by the name that it gets. */
  #rename(from, to) {
    const ways = [...this.#ways].map(([key, way]) => [key.replace(` to ${from}`, ` to ${to}`), way]);
    this.#ways.clear();
    for (const [key, way] of ways) if (!this.#ways.has(key)) this.#ways.set(key, way);
  }

  #note(place, text) {
    for (const [name, mark] of Object.entries(marks)) {
      const key = `${name} to ${place}`;
      if (text.includes(mark) && !this.#ways.has(key)) this.#ways.set(key, this.#wayHere());
    }
  }

  #wayHere() {
    const way = stackHere();
    let origin = this.#origins.get(executionAsyncId());
    while (origin !== undefined) {
      way.push(...origin.stack);
      origin = this.#origins.get(origin.parent);
    }
    return [...new Set(way)].reverse();
  }

  /** The ways to the first write of each mark since the last look, from the outside inwards. */
  take() {
    const taken = [...this.#ways].filter(([goal]) => !asides.test(goal));
    this.#ways.clear();
    return taken;
  }
}

/** The functions of ours on the stack, innermost first, as "file function". */
function stackHere() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack;
  Error.prepareStackTrace = prepare;
  return sites.filter((site) => ours.test(site.getFileName() ?? "")).map(describeSite);
}

const maps = new Map();
function describeSite(site) {
  const path = fileURLToPath(site.getFileName());
  if (!maps.has(path)) maps.set(path, new SourceMap(JSON.parse(fs.readFileSync(`${path}.map`, "utf8"))));
  const { originalSource = "", originalLine = 0 } = maps
    .get(path)
    .findEntry(site.getLineNumber() - 1, site.getColumnNumber() - 1);
  const source = relative(root, normalize(join(path, "..", originalSource)));
  return `${source} ${site.getFunctionName() ?? `callback in line ${originalLine + 1}`}`;
}

async function runServer([directory, hangs]) {
  const watcher = new Watcher();
  if (hangs !== "hangs") watcher.open();
  const [core, storeFs, http] = await Promise.all(["core", "store-fs", "server-http"].map(builtPackage));
  let noteHang = () => {};
  const hung = new Promise((resolve) => {
    noteHang = () => resolve();
  });
  const tools = toolsOf(core, hangs === "hangs" ? () => noteHang() : undefined);
  const definition = { name: "call-path", version: "1.0.0", tools };
  const commands = {
    serve: async (name) => {
      const store = storeFs.createFsStore({ directory: join(directory, name), durability: "machine" });
      const { url } = await http.serve({ definition, store, port: 0, engineLimits: { recoverAfterMs: 1_000 } });
      return url;
    },
    take: () => watcher.take(),
    /** Answered when the tool hangs, its first checkpoint written. */
    hung: () => hung,
  };
  process.on("message", async ({ command, argument }) => process.send({ result: await commands[command](argument) }));
}

if (process.send !== undefined) await runServer(process.argv.slice(2));
