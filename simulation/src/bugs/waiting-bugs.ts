import type { Bug } from "./bug.js";

/** What waits too long, without end, or at the cost of others. */
export const waitingBugs: readonly Bug[] = [
  {
    name: "a lease is never lost",
    file: "store-fs/src/task/worker-registry.ts",
    find: 'return entry === undefined || this.#host.processState(entry.identity) === "dead" ? undefined : entry.beat;',
    replace: "return entry === undefined ? undefined : entry.beat + Math.random();",
  },
  {
    name: "a lease is not given back when its task cannot be opened",
    file: "core/src/engine/scheduling/open-task.ts",
    find: "    await store.releaseLease(lease).catch(() => {});\n    throw error;",
    replace: "    throw error;",
    shows: "errors",
  },
  {
    name: "a slot is not given back when another process holds the task",
    file: "core/src/engine/scheduling/run-queue.ts",
    find: "        this.#slots.delete(id);\n",
    replace: "        if (slot.attempt !== undefined) this.#slots.delete(id);\n",
  },
  {
    name: "a death while a task waits counts as a crash",
    file: "core/src/task/task-record.ts",
    find: "  return waitsFor.length > 0;",
    replace: "  return waitsFor.length < 0;",
  },
  {
    name: "a task that waited when its process died is not looked for",
    file: "core/src/task/task-rules.ts",
    find: "  if (record.live) return 0;",
    replace: "  if (record.live) return record.waitsFor === undefined ? 0 : undefined;",
  },
  {
    name: "a suspect runs alone, however long it takes",
    file: "core/src/engine/scheduling/pick-next.ts",
    find: "    if (!mayJoin(task, running, limits, nowMs)) continue;",
    replace: "    if (running.some(({ crashes }) => crashes > 0)) continue;",
    shows: "poison",
  },
  {
    name: "every task that ran in a dead process is guilty",
    file: "core/src/engine/scheduling/suspects.ts",
    find: "  const own = crashedIn.filter((worker, index) => index === 0 || !inCompany.has(worker));",
    replace: "  const own = crashedIn;",
  },
  {
    name: "one task of a tool too many runs in all processes",
    file: "core/src/engine/tool-book.ts",
    find: "  if (without(running, id).length >= maxRunning) return",
    replace: "  if (without(running, id).length > maxRunning) return",
    shows: "crashes",
  },
  {
    name: "one task too many begins within the time of a tool's rate",
    file: "core/src/engine/tool-book.ts",
    find: "counted.length < rate.limit ?",
    replace: "counted.length <= rate.limit ?",
    shows: "crashes",
  },
  {
    name: "what a dead process ran counts for its tool without end",
    file: "core/src/engine/scheduling/tool-limits.ts",
    find: '      if (wait?.limit === "store") wait = find(await this.#withoutDead(tool, book));\n',
    replace: "",
    shows: "crashes",
  },
  {
    name: "a tool of which as many run as may is not tried again",
    file: "core/src/engine/scheduling/tool-limits.ts",
    find: "    for (const gate of this.#gates.values()) gate.full = false;",
    replace: "",
    shows: "crashes",
  },
  {
    name: "the owner with the most running tasks comes first",
    file: "core/src/engine/scheduling/pick-next.ts",
    find: "    if (count >= limits.maxRunningPerOwner || count >= bestCount) continue;",
    replace: "    if (count >= limits.maxRunningPerOwner || (best !== undefined && count <= bestCount)) continue;",
    shows: "flood",
  },
  {
    name: "a task that waits in place keeps its slot",
    file: "core/src/engine/scheduling/run-queue.ts",
    find: "    slot.waiting = waiting;\n",
    replace: "",
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
    name: "a wait that begins after a request to stop throws",
    file: "core/src/engine/attempt/waits-in-place.ts",
    find: "      const leave = control.waitInPlace();\n      this.#waits.set(key, { nextMs, wake, interrupt: interrupted });\n      if (control.aborted === undefined) look();\n      else interrupted();",
    replace:
      "      this.#waits.set(key, { nextMs, wake, interrupt: interrupted });\n      const leave = control.waitInPlace();\n      if (control.aborted === undefined) look();",
  },
  {
    name: "an answer does not end the wait for it",
    file: "core/src/engine/attempt/waits-in-place.ts",
    find: "    this.#waits.get(key)?.wake();",
    replace: "    this.#waits.get(key);",
  },
  {
    name: "an attempt looks for requests only when it commits",
    file: "core/src/engine/attempt/journal-writer.ts",
    find: "    this.#lookWanted = true;\n    this.#running ??= this.#pump();",
    replace: "    this.#lookWanted = true;",
  },
  {
    name: "a request to pause is forgotten when the attempt ends otherwise",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: "return state === undefined || isPaused ?",
    replace: "return state === undefined || isPaused || !record.live ?",
  },
  {
    name: "what is due after a restart is not looked for",
    file: "core/src/engine/scheduling/work-finder.ts",
    find: "const ripe = found.filter(({ dueMs }) => environment.dueTimes.leftMs(dueMs) <= 0);",
    replace: "const ripe = found.filter(({ dueMs }) => dueMs === 0);",
  },
];
