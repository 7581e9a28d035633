// src/bugs/find-bugs.ts
import { execFile } from "child_process";
import { readFileSync } from "fs";
import { dirname, join, normalize } from "path";
import { fileURLToPath } from "url";
import { promisify } from "util";
import { build } from "tsup";

// src/bugs/bug-list.ts
var bugs = [
  {
    name: "a checkpoint is acknowledged before it is synced",
    file: "store-fs/src/task/task-writer.ts",
    find: "if (wrote && context.durable) await this.#syncCommit();",
    replace: ""
  },
  {
    name: "the names of a new store's own folders are never synced",
    file: "store-fs/src/create-fs-store.ts",
    find: 'if (kind === "write" && !store.folder.isDone) await store.folder.finish();',
    replace: ""
  },
  {
    name: "a missing or damaged format.json takes the store down",
    file: "store-fs/src/index/store-folder.ts",
    find: 'if (names.includes("tasks")) return judgeJournals(context, format.kind, names);',
    replace: 'if (names.includes("tasks")) throw unknownFolder(context, "format.json is damaged");'
  },
  {
    name: "a new task is acknowledged before the names of its folders are synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    if (!durable) return;\n    await allDone([",
    replace: "    if (durable || !durable) return;\n    await allDone(["
  },
  {
    name: "the journal of a new task has its name before its content is synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    if (durable) {\n      await syncPath(disk, path);",
    replace: "    if (!durable) {\n      await syncPath(disk, path);"
  },
  {
    name: "an answer is accepted before it is synced",
    file: "store-fs/src/task/task-signals.ts",
    find: "  if (context.durable) {\n    const path = taskFolder",
    replace: "  if (!context.durable) {\n    const path = taskFolder"
  },
  {
    name: "a writer does not look whether a later epoch was announced",
    file: "store-fs/src/task/task-writer.ts",
    find: "    const folder = this.#folder.look(this.#view.header.epoch);\n    if (folder !== undefined) return folder;",
    replace: "    const folder = this.#folder.look(this.#view.header.epoch) ?? lookAt(this.#parts.context.disk, this.folder);\n    if (folder !== undefined) return folder;"
  },
  {
    name: "the seal of a take-over counts what is not synced",
    file: "store-fs/src/journal/take-over.ts",
    find: "    syncSealed(context, before);\n",
    replace: ""
  },
  {
    name: "a lease is never lost",
    file: "store-fs/src/task/worker-registry.ts",
    find: 'return entry === undefined || this.#host.processState(entry.identity) === "dead" ? undefined : entry.beat;',
    replace: "return entry === undefined ? undefined : entry.beat + Math.random();"
  },
  {
    name: "a death while a task waits counts as a crash",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: "  if (!broken && onlyWaits(record)) return deathInWait(record, tool, inputs);\n",
    replace: ""
  },
  {
    name: "a suspect runs alone, however long it takes",
    file: "core/src/engine/scheduling/pick-next.ts",
    find: "    if (!mayJoin(task, running, limits, nowMs)) continue;",
    replace: "    if (running.some(({ crashes }) => crashes > 0)) continue;"
  },
  {
    name: "a sleep is measured with the wall clock",
    file: "core/src/engine/clock.ts",
    find: "const dueMs = this.#known.get(wallMs) ?? this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());",
    replace: "const dueMs = this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());"
  },
  {
    name: "an orphan waits for its caller for ever",
    file: "core/src/engine/scheduling/orphans.ts",
    find: "const leftMs = firstSeenMs + this.#recoverAfterMs - nowMs;",
    replace: "const leftMs = this.#recoverAfterMs === 0 ? 0 : Number.MAX_SAFE_INTEGER;"
  },
  {
    name: "a result counts as delivered before it is written",
    file: "mcp/src/call/receipt.ts",
    find: '  observe("result.ready");',
    replace: '  observe("result.ready");\n  tasks.markDelivered(taskId).catch(() => {});'
  },
  {
    name: "a wait that begins after a request to stop throws",
    file: "core/src/engine/attempt/waits-in-place.ts",
    find: '      const leave = control.waitInPlace();\n      this.#waits.set(key, { untilMs, wake });\n      control.signal.addEventListener("abort", interrupted);\n      if (control.aborted === undefined) look();\n      else interrupted();',
    replace: '      this.#waits.set(key, { untilMs, wake });\n      control.signal.addEventListener("abort", interrupted);\n      const leave = control.waitInPlace();\n      if (control.aborted === undefined) look();'
  },
  {
    name: "a follower begins one event too late after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = afterSeq > 0 ? afterSeq + 1 : 0;"
  },
  {
    name: "a follower sees the last event again after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = Math.max(0, afterSeq - 1);"
  },
  {
    name: "a step returns before its value is remembered",
    file: "core/src/engine/attempt/task-verbs.ts",
    find: '      await this.#remember({ type: "step", key, value });',
    replace: '      void this.#remember({ type: "step", key, value }).catch(() => {});'
  },
  {
    name: "a request to pause is forgotten when the attempt ends otherwise",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: "  if (isRequested)\n",
    replace: "  if (isRequested && record.live)\n"
  },
  {
    name: "what is due after a restart is not looked for",
    file: "core/src/engine/scheduling/scheduler.ts",
    find: "return this.#environment.dueTimes.leftMs(task.dueMs) <= 0;",
    replace: "return task.dueMs === 0;"
  }
];

// src/bugs/find-bugs.ts
var run = promisify(execFile);
var simulation = join(dirname(fileURLToPath(import.meta.url)), "..");
async function hunt(bug, index, seeds2) {
  const file = normalize(join(simulation, "../packages", bug.file));
  const text = readFileSync(file, "utf8");
  if (text.split(bug.find).length !== 2) throw new Error(`${bug.file} has not one place for: ${bug.name}`);
  const outDir = `dist/bugs/${index}`;
  await build({
    entry: [join(simulation, "src/index.ts")],
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    platform: "node",
    outDir: join(simulation, outDir),
    noExternal: [/^@resumable-mcp\//],
    define: { RESUMABLE_MCP_VERSION: '"0.0.0"' },
    esbuildOptions: (options) => {
      options.conditions = ["@resumable-mcp/source"];
    },
    esbuildPlugins: [
      {
        name: "put-back",
        setup: (plugin) => plugin.onLoad(
          { filter: /\.ts$/ },
          ({ path }) => path === file ? { contents: text.replace(bug.find, () => bug.replace), loader: "ts" } : void 0
        )
      }
    ]
  });
  const found = await run(process.execPath, [join(simulation, outDir, "index.js"), "--seeds", seeds2, "--until-found"]).catch(
    (error) => ({ stdout: error.stdout ?? "" })
  );
  const [, seed, hours, rule] = /found by seed (\d+) after (\S+) virtual hours: (.*)/.exec(found.stdout) ?? [];
  return seed === void 0 ? `| ${bug.name} | not found | | |` : `| ${bug.name} | ${seed} | ${hours} | ${rule} |`;
}
var [seeds = "1..2000", ...names] = process.argv.slice(2);
process.stdout.write("| Bug | Seed | Virtual hours until then | Broken |\n|---|---|---|---|\n");
var missed = 0;
for (const [index, bug] of bugs.entries()) {
  if (names.length > 0 && !names.some((name) => bug.name.includes(name))) continue;
  const line = await hunt(bug, index, seeds);
  if (line.includes("not found")) missed += 1;
  process.stdout.write(`${line}
`);
}
process.exitCode = missed === 0 ? 0 : 1;
//# sourceMappingURL=find-bugs.js.map