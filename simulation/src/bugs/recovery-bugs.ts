import type { Bug } from "./bug.js";

/** What becomes of a task after a failure, after deaths, and with another version of its tool. */
export const recoveryBugs: readonly Bug[] = [
  {
    name: "a task that failed with an open question waits for its answer when it continues",
    file: "core/src/task/reduce-task.ts",
    find: "  if (!draft.live) draft.runnableAt = openQuestions(draft).length > 0 ? at : undefined;",
    replace: "  if (!draft.live) draft.runnableAt = at.length > 0 ? undefined : at;",
    shows: "failures",
  },
  {
    name: "the end of a task that fails forgets the answers that it was given",
    file: "core/src/engine/attempt/attempt-outcome.ts",
    find: "events: [...answeredBy(record, signals), last], consume: all",
    replace: "events: [last], consume: all",
    shows: "failures",
  },
  {
    name: "a look at a failed task removes the answers that it was given",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: '    const over = requests.filter(({ kind }) => kind !== "answer" || record.status !== "failed");',
    replace: "    const over = requests;",
    shows: "failures",
  },
  {
    name: "a process does not say that a task that died before has company",
    file: "core/src/engine/scheduling/run-queue.ts",
    find: "    return this.#services.noteCompany(isInCompany([...this.#slots.values()]), owner);",
    replace: "    return this.#services.noteCompany(false, owner);",
    shows: "forgotten",
  },
  {
    name: "code continues a task of a version that it does not accept",
    file: "core/src/engine/scheduling/version-rule.ts",
    find: '  return version === offer.version || [version, "*"].some((each) => offer.accepts?.includes(each));',
    replace: '  return version !== "" || offer.version === "";',
  },
  {
    name: "a task fails that the code at hand cannot read",
    file: "core/src/engine/scheduling/plan-attempt.ts",
    find: '  if (verdict.kind === "refuse") {\n',
    replace:
      '  if (verdict.kind === "refuse") {\n    const error = { code: "VERSION_MISMATCH", message: verdict.message } as const;\n    if (verdict.message !== "") return { events: [{ type: "failed", error }], over: true };\n',
  },
];
