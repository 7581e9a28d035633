import { type Evidence, eventsOf, type FinalTask, type Violation } from "./evidence.js";

/** G9: a question takes at most one answer, an accepted answer is that one, and the tool gets it. */
export function checkAnswers({ events, tasks }: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  const violate = (text: string) => violations.push({ rule: "G9", text });
  for (const { task, status, questions, atMs } of eventsOf(events, "misread"))
    violate(`${task} is read as ${status} at ${atMs} ms, and ${questions} of its questions wait.`);
  const byId = new Map(tasks.map((task) => [task.record.id, task]));
  const words = new Map<string, readonly (string | undefined)[]>();
  for (const task of tasks) {
    for (const [question, answers] of answersOf(task)) {
      const key = `${question} of ${task.record.id}`;
      if (answers.length > beginningsOf(task)) violate(`The question ${key} has two answers.`);
      words.set(key, answers);
    }
  }
  const accepted = new Map<string, Set<unknown>>();
  for (const { task, key: question, word } of eventsOf(events, "answer_accepted")) {
    const key = `${question} of ${task}`;
    const all = (accepted.get(key) ?? new Set()).add(word);
    accepted.set(key, all);
    const final = byId.get(String(task));
    if (final !== undefined && all.size > beginningsOf(final)) violate(`Two answers to ${key} were accepted.`);
    if (final?.record.status === "completed" && isWhole(final) && !words.get(key)?.includes(String(word))) {
      violate(`The answer ${word} to ${key} was accepted, and the journal has ${words.get(key)}.`);
    }
  }
  for (const { task, at, action, word } of eventsOf(events, "answered")) {
    const key = `ask-${at} of ${task}`;
    // Compaction may have removed the answer of an earlier beginning.
    const final = byId.get(String(task));
    if (final === undefined || (!isWhole(final) && beginningsOf(final) > 1)) continue;
    if (action === "accept" && words.has(key) && !words.get(key)?.includes(String(word))) {
      violate(`The tool got ${word} for ${key}, and the journal has ${words.get(key)}.`);
    }
  }
  return violations;
}

/** The answers in a task's journal, by question. */
function answersOf({ followed }: FinalTask): ReadonlyMap<string, readonly (string | undefined)[]> {
  const answers = new Map<string, (string | undefined)[]>();
  for (const each of followed) {
    if (each.kind !== "event" || each.event.type !== "answered") continue;
    const { key, answer } = each.event;
    const word = answer.action === "accept" ? String(answer.content.word) : undefined;
    answers.set(key, [...(answers.get(key) ?? []), word]);
  }
  return answers;
}

/** How often the task began from nothing, and may ask again: at most that many times, where its journal does not say. */
function beginningsOf(task: FinalTask): number {
  if (!isWhole(task)) return task.record.generation;
  const restarts = task.followed.filter(
    (each) => each.kind === "event" && each.event.type === "restarted" && !each.event.fromState,
  );
  return 1 + restarts.length;
}

/** Compaction has removed none of its events. */
function isWhole({ followed }: FinalTask): boolean {
  return !followed.some(({ kind }) => kind === "snapshot");
}
