import type { Bug } from "./bug.js";

/** What is lost, repeated, or written by two. */
export const durabilityBugs: readonly Bug[] = [
  {
    name: "a checkpoint is acknowledged before it is synced",
    file: "store-fs/src/task/task-writer.ts",
    find: "if (wrote && context.durable) {",
    replace: "if (!wrote && context.durable) {",
  },
  {
    name: "others see a commit before it is synced",
    file: "store-fs/src/task/task-writer.ts",
    find: "    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });",
    replace:
      '    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });\n    this.#acknowledged.reach(record, consumed);\n    this.#parts.notifications.notify(record.id, "task");',
  },
  {
    name: "signals are removed before the commit that consumes them is synced",
    file: "store-fs/src/task/task-writer.ts",
    find: "    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });",
    replace:
      "    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });\n    removeSignals(context, record.id, consumed);",
    shows: "requests",
  },
  {
    name: "a sync that failed counts as one that succeeded",
    file: "store-fs/src/task/task-writer.ts",
    find: '        this.#fail();\n        throw storeFailure(error, "write", this.#view.path);',
    replace: "        void error;",
    shows: "syncs",
  },
  {
    name: "what a failed sync lost is written again only by its own process",
    file: "store-fs/src/disk/file-syncs.ts",
    find: "    this.#doubtful.add(path);\n    try {\n      this.#refresh(path, length);",
    replace: "    this.#doubtful.add(path);\n    try {\n      void length;",
    shows: "syncs",
  },
  {
    name: "the line of a finished task is not synced before its marker goes",
    file: "store-fs/src/index/finished-tasks.ts",
    find: "    await this.#sync.request();",
    replace: "",
  },
  {
    name: "the names of a new store's own folders are never synced",
    file: "store-fs/src/index/store-folder.ts",
    find: "    this.isDone = !context.durable;",
    replace: "    this.isDone = true;",
  },
  {
    name: "a missing or damaged format.json takes the store down",
    file: "store-fs/src/index/store-folder.ts",
    find: 'if (journals === layoutVersion) return damaged === undefined ? "missing" : "damaged";',
    replace: 'if (journals === layoutVersion) throw unknownFolder(context, "format.json is damaged");',
  },
  {
    name: "a journal that lost its end is served as running",
    file: "store-fs/src/index/finished-tasks.ts",
    find: "    if (isFinal(record.status) || neverRan) return 0;",
    replace: "    if (isFinal(record.status) || neverRan || record.lastSeq > 0) return 0;",
  },
  {
    name: "a folder that was taken away is not noticed",
    file: "store-fs/src/index/folder-guard.ts",
    find: "    this.#identity = this.#look().identity;",
    replace: "",
    shows: "folder",
  },
  {
    name: "a folder that follows from the tasks is not made again before a restart",
    file: "store-fs/src/index/folder-guard.ts",
    find: "    if (missing.length === 0) return;",
    replace: "    if (missing.length === 0 || this.#identity !== undefined) return;",
    shows: "removals",
  },
  {
    name: "a new task is acknowledged before the names of its folders are synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    durable ? disk.syncFolder(shard) : undefined,\n    durable ? syncs.syncName(shard) : undefined,\n",
    replace: "",
  },
  {
    name: "the journal of a new task has its name before its content is synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    if (durable) await allDone([syncs.sync(path), disk.syncFolder(folder)]);",
    replace: "    if (!durable) await allDone([syncs.sync(path), disk.syncFolder(folder)]);",
    shows: "names",
  },
  {
    name: "the claim of a call is not synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "    key === null ? undefined : keys.sync(owner, key),\n",
    replace: "",
  },
  {
    name: "a task is marked as open before the claim of its call is synced",
    file: "store-fs/src/index/task-creator.ts",
    find: "  await allDone([\n    key === null",
    replace: "  await allDone([\n    finished.reopenDurably(id),\n    key === null",
    shows: "names",
  },
  {
    name: "a lease is given before the names of its task are durable",
    file: "store-fs/src/task/lease-book.ts",
    find: "    await this.#finishMaking(reading);\n",
    replace: "",
    shows: "making",
  },
  {
    name: "the marker of an open task goes before its line is in the finished index",
    file: "store-fs/src/index/finished-tasks.ts",
    find: "    const summary = summarise(record, record.status);\n",
    replace:
      "    const summary = summarise(record, record.status);\n    unlinkIfExists(context.disk, join(context.layout.open, record.id));\n",
  },
  {
    name: "an answer is accepted before it is synced",
    file: "store-fs/src/task/task-signals.ts",
    find: '  if (context.durable && signal.kind !== "delivered") {',
    replace: "  if (!context.durable) {",
  },
  {
    name: "the seal of a take-over counts what is not synced",
    file: "store-fs/src/journal/take-over.ts",
    find: "    syncSealed(context, before);\n",
    replace: "",
    shows: "takeovers",
  },
  {
    name: "the items that a compaction keeps are not synced",
    file: "store-fs/src/task/compaction.ts",
    find: "  if (durable) await allDone([syncs.sync(join(items, name)), disk.syncFolder(items), disk.syncFolder(folder)]);",
    replace:
      "  if (!durable) await allDone([syncs.sync(join(items, name)), disk.syncFolder(items), disk.syncFolder(folder)]);",
  },
  {
    name: "a writer does not look whether a later epoch was announced",
    file: "store-fs/src/task/task-writer.ts",
    find: "    const folder = this.#folder.look(this.#view.header.epoch);\n    if (folder !== undefined) return folder;",
    replace:
      "    const folder = this.#folder.look(this.#view.header.epoch) ?? lookAt(this.#parts.context.disk, this.folder);\n    if (folder !== undefined) return folder;",
  },
  {
    name: "a step returns before its value is remembered",
    file: "core/src/engine/attempt/task-verbs.ts",
    find: '    await this.#remember({ type: "step", ...step, value });',
    replace: '    void this.#remember({ type: "step", ...step, value }).catch(() => {});',
  },
  {
    name: "a new artifact deletes the others of its task",
    file: "core/src/engine/attempt/artifact-writer.ts",
    find: "keep: [...this.#bytes.keys()]",
    replace: "keep: []",
  },
  {
    name: "a call makes another task in each attempt",
    file: "core/src/engine/attempt/child-calls.ts",
    find: "taskKey(record.id, [record.itemsFromSeq, key])",
    replace: "taskKey(record.id, [record.itemsFromSeq, key, record.attempt])",
  },
  {
    name: "a map runs ahead of what is committed",
    file: "core/src/engine/attempt/task-map.ts",
    find: "        if (!this.#isHalted) await committed;",
    replace: "        if (this.#isHalted) await committed;",
  },
  {
    name: "a map forgets in a crash how far it was",
    file: "core/src/engine/attempt/task-map.ts",
    find: '{ type: "checkpoint", ...counted, map, ...appended }',
    replace: '{ type: "checkpoint", ...counted, ...appended }',
  },
  {
    name: "a step forgets in a crash that its attempt failed",
    file: "core/src/task/reduce-task.ts",
    find: "      const { key, attempt, error, until } = event;",
    replace: "      const { key, error, until } = event;\n      const attempt = 0;",
  },
  {
    name: "the next attempt of a step does not wait in the next process",
    file: "core/src/engine/attempt/task-verbs.ts",
    find: "    let failed: FailedStep | undefined = before;",
    replace:
      '    let failed: FailedStep | undefined = before?.until ? { ...before, until: "2000-01-01T00:00:00.000Z" } : before;',
  },
];
