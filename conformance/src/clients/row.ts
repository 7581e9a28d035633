import type { ClientHooks, ClientKind, OpenClient, ToolAnswer } from "./client-kind.js";
import type { JournalFacts } from "./journals.js";
import type { Seen } from "./seen.js";
import type { Over, ServerUnderTest } from "./server-under-test.js";

/** One line of a table: what one client went through. */
export interface Row {
  /** Which table it belongs to. */
  readonly table: "calls" | "questions" | "eras";
  /** It runs in every test run, and not only when the table is made. */
  readonly inTests: boolean;
  /** What names it, in the order of the table's first columns. */
  readonly head: readonly [client: string, over: Over, how: string];
  run(server: ServerUnderTest): Promise<Measured>;
}

/** What was measured. */
export interface Measured {
  /** Why this is not what it has to be; empty when it is. */
  readonly problems: readonly string[];
  /** What the client or its user had to do for it, in addition to waiting. */
  readonly after?: string;
  /** What is to be said of it: why something had to be done, or why the user was asked again. */
  readonly note?: string;
  readonly saw: string;
  /** How often the user was asked. */
  readonly asked?: number;
  readonly facts: JournalFacts;
}

/** A row, and what came of it. */
export interface Outcome extends Measured {
  readonly row: Row;
}

let labels = 0;

/** A label for one more call, by which its tasks are found in the journals. */
export function newLabel(): string {
  labels += 1;
  return `call ${String(labels).padStart(4, "0")}`;
}

/** The items of a task that has counted so far. */
export function itemsTo(goal: number): readonly number[] {
  return Array.from({ length: goal }, (_, index) => index + 1);
}

/** Opens a client, and closes it after its use. */
export async function withClient<Value>(
  kind: ClientKind,
  { place }: ServerUnderTest,
  use: (client: OpenClient) => Promise<Value>,
  hooks?: ClientHooks,
): Promise<Value> {
  const client = await kind.open(place, hooks);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** What a call has to come to. */
interface Expected {
  readonly label: string;
  /** What its result says in addition to its label. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly items: readonly number[];
}

/** Judges a call by its result, by what its user saw and by the journals. */
export async function judge(
  { journals }: ServerUnderTest,
  { label, result, items }: Expected,
  answer: ToolAnswer | undefined,
  seen: Seen,
): Promise<Measured> {
  const facts = await journals.facts(label);
  const problems = [
    ...resultProblems(answer, { ...result, label }),
    ...journalProblems(facts, items),
    ...seen.problems(),
  ];
  return { problems, saw: seen.inWords(), facts };
}

/**
 * Says what is wrong with a task that was killed once and had to append `items`, each once; nothing when all is right.
 *
 * @param least how many processes it had to run in.
 */
export function journalProblems(facts: JournalFacts, items: readonly number[], least = 2): readonly string[] {
  const { tasks, status, processes } = facts;
  return [
    ...(tasks === 1 ? [] : [`the call became ${tasks} tasks`]),
    ...(status === "completed" ? [] : [`the task is ${status}`]),
    ...(String(facts.items) === String(items) ? [] : [`its items are ${facts.items.join(", ")}`]),
    // Otherwise the kill came too late, and showed nothing.
    ...(processes >= least ? [] : [`it ran in ${processes} processes, not in ${least}`]),
  ];
}

/** Says what is wrong with a result. */
export function resultProblems(
  answer: { readonly structuredContent?: unknown } | undefined,
  expected: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (answer === undefined) return ["no result"];
  const given = Object(answer.structuredContent) as Record<string, unknown>;
  const isRight = Object.entries(expected).every(([key, value]) => given[key] === value);
  return isRight ? [] : [`the result is ${JSON.stringify(answer.structuredContent)}`];
}
