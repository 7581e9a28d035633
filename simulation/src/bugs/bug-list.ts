/** A defect that is put back: a piece of a source file, and what takes its place. */
export interface Bug {
  readonly name: string;
  /** Under `packages/`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Defects that the simulator has to find: those of durability, delivery and waiting that were fixed before, and more. */
export const bugs: readonly Bug[] = [
  {
    name: "a checkpoint is acknowledged before it is synced",
    file: "store-fs/src/task/task-writer.ts",
    find: "if (wrote && context.durable) await this.#syncCommit();",
    replace: "",
  },
  {
    name: "the names of a new store's own folders are never synced",
    file: "store-fs/src/create-fs-store.ts",
    find: 'if (kind === "write" && !store.folder.isDone) await store.folder.finish();',
    replace: "",
  },
  {
    name: "a missing or damaged format.json takes the store down",
    file: "store-fs/src/index/store-folder.ts",
    find: 'if (names.includes("tasks")) return judgeJournals(context, format.kind, names);',
    replace: 'if (names.includes("tasks")) throw unknownFolder(context, "format.json is damaged");',
  },
  {
    name: "a new task is acknowledged before the names of its folders are synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    if (!durable) return;\n    await allDone([",
    replace: "    if (durable || !durable) return;\n    await allDone([",
  },
  {
    name: "the journal of a new task has its name before its content is synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    if (durable) {\n      await syncPath(disk, path);",
    replace: "    if (!durable) {\n      await syncPath(disk, path);",
  },
  {
    name: "an answer is accepted before it is synced",
    file: "store-fs/src/task/task-signals.ts",
    find: "  if (context.durable) {\n    const path = taskFolder",
    replace: "  if (!context.durable) {\n    const path = taskFolder",
  },
  {
    name: "a writer does not look whether a later epoch was announced",
    file: "store-fs/src/task/task-writer.ts",
    find: "    const folder = this.#folder.look(this.#view.header.epoch);\n    if (folder !== undefined) return folder;",
    replace:
      "    const folder = this.#folder.look(this.#view.header.epoch) ?? lookAt(this.#parts.context.disk, this.folder);\n    if (folder !== undefined) return folder;",
  },
  {
    name: "the seal of a take-over counts what is not synced",
    file: "store-fs/src/journal/take-over.ts",
    find: "    syncSealed(context, before);\n",
    replace: "",
  },
  {
    name: "a lease is never lost",
    file: "store-fs/src/task/worker-registry.ts",
    find: 'return entry === undefined || this.#host.processState(entry.identity) === "dead" ? undefined : entry.beat;',
    replace: "return entry === undefined ? undefined : entry.beat + Math.random();",
  },
  {
    name: "a death while a task waits counts as a crash",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: "  if (!broken && onlyWaits(record)) return deathInWait(record, tool, inputs);\n",
    replace: "",
  },
  {
    name: "a suspect runs alone, however long it takes",
    file: "core/src/engine/scheduling/pick-next.ts",
    find: "    if (!mayJoin(task, running, limits, nowMs)) continue;",
    replace: "    if (running.some(({ crashes }) => crashes > 0)) continue;",
  },
  {
    name: "a sleep is measured with the wall clock",
    file: "core/src/engine/clock.ts",
    find: "const dueMs = this.#known.get(wallMs) ?? this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());",
    replace: "const dueMs = this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());",
  },
  {
    name: "an orphan waits for its caller without end",
    file: "core/src/engine/scheduling/orphans.ts",
    find: "const leftMs = firstSeenMs + this.#recoverAfterMs - nowMs;",
    replace: "const leftMs = this.#recoverAfterMs === 0 ? 0 : Number.MAX_SAFE_INTEGER;",
  },
  {
    name: "a result counts as delivered before it is written",
    file: "mcp/src/call/receipt.ts",
    find: '  observe("result.ready");',
    replace: '  observe("result.ready");\n  tasks.markDelivered(taskId).catch(() => {});',
  },
  {
    name: "a wait that begins after a request to stop throws",
    file: "core/src/engine/attempt/waits-in-place.ts",
    find: '      const leave = control.waitInPlace();\n      this.#waits.set(key, { untilMs, wake });\n      control.signal.addEventListener("abort", interrupted);\n      if (control.aborted === undefined) look();\n      else interrupted();',
    replace:
      '      this.#waits.set(key, { untilMs, wake });\n      control.signal.addEventListener("abort", interrupted);\n      const leave = control.waitInPlace();\n      if (control.aborted === undefined) look();',
  },
  {
    name: "a follower begins one event too late after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = afterSeq > 0 ? afterSeq + 1 : 0;",
  },
  {
    name: "a follower sees the last event again after a break",
    file: "core/src/engine/owner/follow-task.ts",
    find: "  let cursor = afterSeq;",
    replace: "  let cursor = Math.max(0, afterSeq - 1);",
  },
  {
    name: "a step returns before its value is remembered",
    file: "core/src/engine/attempt/task-verbs.ts",
    find: '      await this.#remember({ type: "step", key, value });',
    replace: '      void this.#remember({ type: "step", key, value }).catch(() => {});',
  },
  {
    name: "a request to pause is forgotten when the attempt ends otherwise",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: "  if (isRequested)\n",
    replace: "  if (isRequested && record.live)\n",
  },
  {
    name: "what is due after a restart is not looked for",
    file: "core/src/engine/scheduling/scheduler.ts",
    find: "return this.#environment.dueTimes.leftMs(task.dueMs) <= 0;",
    replace: "return task.dueMs === 0;",
  },
];
