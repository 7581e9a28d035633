import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { build } from "tsup";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFsStore } from "../src/create-fs-store.js";
import { checkpoint, commit, newTask, now } from "./scene.js";
import { createTurnMemory, direct, type Fact, giveFirstTurnToDirector, type Report, type TurnMemory } from "./turns.js";

/*
 * The code itself in the interleavings of fencing-model.proof.test.ts: a writer W, two takers A and B, and a reader R, each a
 * thread with a store of its own on one real folder, stopped at every step of the model (announced, markers removed, read,
 * sealed, appended) or at every single operation of the disk, and let go on in every order, or left for dead there.
 */

const outDir = mkdtempSync(join(tmpdir(), "store-fs-turns-"));
const taskId = newTask("task").id;

interface Actor {
  readonly name: string;
  readonly part: "write" | "take" | "read";
  readonly memory: TurnMemory;
  readonly thread: Worker;
}

const actors: Actor[] = [];

beforeAll(async () => {
  await build({
    entry: [join(import.meta.dirname, "interleaved-actor.ts")],
    outDir,
    config: false,
    format: "esm",
    target: "node20",
    platform: "node",
    noExternal: [/.*/],
    silent: true,
    outExtension: () => ({ js: ".mjs" }),
    esbuildOptions(options) {
      options.conditions = ["@resumable-mcp/source"];
    },
  });
  const parts = { W: "write", A: "take", B: "take", R: "read" } as const;
  for (const name of ["W", "A", "B", "R"] as const) {
    const memory = createTurnMemory();
    giveFirstTurnToDirector(memory);
    const thread = new Worker(join(outDir, "interleaved-actor.mjs"), { workerData: memory });
    actors.push({ name, part: parts[name], memory, thread });
  }
});

afterAll(async () => {
  for (const { thread } of actors) await thread.terminate();
  rmSync(outDir, { recursive: true, force: true });
});

/** Another actor continues at a step; the one that ran until then continues later, or never. */
interface Turn {
  readonly step: number;
  readonly to: string;
  readonly dies: boolean;
}

/** What came of one order of events. */
interface Course {
  /** Which other actors were not finished at each step. */
  readonly others: readonly (readonly string[])[];
  readonly reports: ReadonlyMap<string, Extract<Report, { kind: "finished" }>>;
  readonly trace: readonly string[];
}

type Choose = (step: number, running: string, others: readonly string[]) => Omit<Turn, "step"> | undefined;

/** Lets actors run on a fresh folder: each continues until another is chosen in its place. */
async function run(names: readonly string[], byOperation: boolean, choose: Choose): Promise<Course> {
  const directory = mkdtempSync(join(tmpdir(), "store-fs-turn-"));
  const setup = createFsStore({ directory, durability: "process" });
  await setup.createTask({ task: newTask("task"), reuseResultMs: 0, now });
  const cast = actors.filter(({ name }) => names.includes(name));
  for (const { memory, name } of cast) {
    const begun = direct(memory, { kind: "begin", directory, taskId, name });
    expect(begun).toEqual({ kind: "finished", facts: [] });
  }
  try {
    const course = play(new Map(cast.map((actor) => [actor.name, actor])), names, byOperation, choose);
    await judge(directory, course);
    return course;
  } finally {
    await setup.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function play(
  cast: ReadonlyMap<string, Actor>,
  order: readonly string[],
  byOperation: boolean,
  choose: Choose,
): Course {
  const waiting = new Set(order);
  const begun = new Set<string>();
  const reports = new Map<string, Extract<Report, { kind: "finished" }>>();
  const others: string[][] = [];
  const trace: string[] = [];
  let [running] = order;
  const cue = (name: string, dies: boolean) => {
    const { memory, part } = actorOf(cast, name);
    const first = !begun.has(name);
    begun.add(name);
    const next = dies ? ({ kind: "die" } as const) : ({ kind: "go" } as const);
    const heard = direct(memory, first ? { kind: "perform", part, byOperation } : next);
    trace.push(`${name}${dies ? " dies" : ""} → ${heard.kind === "stopped" ? heard.at : (heard.error ?? "done")}`);
    if (heard.kind === "stopped") return;
    waiting.delete(name);
    reports.set(name, heard);
  };
  while (running !== undefined && waiting.size > 0) {
    cue(running, false);
    if (!waiting.has(running)) {
      [running] = waiting;
      continue;
    }
    const rest = [...waiting].filter((name) => name !== running);
    const turn = choose(others.length, running, rest);
    others.push(rest);
    if (turn === undefined) continue;
    if (turn.dies) cue(running, true);
    running = turn.to;
  }
  return { others, reports, trace };
}

function actorOf(cast: ReadonlyMap<string, Actor>, name: string): Actor {
  const actor = cast.get(name);
  if (actor === undefined) throw new Error(`${name} does not play`);
  return actor;
}

const expectedErrors = [undefined, "died", "LEASE_LOST"];

/** Nothing that was acknowledged is lost, repeated or moved; what anybody was shown is a beginning of the history. */
async function judge(directory: string, { reports, trace }: Course): Promise<void> {
  const where = trace.join("\n");
  const store = createFsStore({
    directory,
    durability: "process",
    host: { identity: { host: "h", bootId: "b", processNamespace: "n", pid: 0, startTime: "judge" }, processState },
  });
  const { events } = await store.readEvents(taskId, { afterSeq: 0, limit: 100 });
  const marks = events.flatMap((event) => (event.type === "checkpoint" ? (event.items ?? []).map(String) : []));
  expect(
    events.map(({ seq }) => seq),
    where,
  ).toEqual(events.map((_, index) => index + 1));
  expect(new Set(marks).size, where).toBe(marks.length);
  for (const { facts, error } of reports.values()) {
    expect(expectedErrors, `${error}\n${where}`).toContain(error);
    for (const fact of facts) expectKept(fact, marks, where);
  }
  expectRisingEpochs(
    [...reports.values()].flatMap(({ facts }) => facts),
    where,
  );
  await expectUsable(store, marks, where);
  await store.close();
}

const processState = () => "dead" as const;

function expectKept(fact: Fact, marks: readonly string[], where: string): void {
  if (fact.kind === "saw") expect(marks.slice(0, fact.marks.length), where).toEqual(fact.marks);
  // The first event made the task.
  else expect(marks[fact.seq - 2], where).toBe(fact.mark);
}

/** One writer at a time: the one that comes later in the history has the later epoch. */
function expectRisingEpochs(facts: readonly Fact[], where: string): void {
  const acknowledged = facts.flatMap((fact) => (fact.kind === "acknowledged" ? [fact] : []));
  const epochs = acknowledged.sort((left, right) => left.seq - right.seq).map(({ epoch }) => epoch);
  expect(epochs, where).toEqual([...epochs].sort((left, right) => left - right));
}

/** Whatever was left behind, the next worker that takes the task continues where the history ends. */
async function expectUsable(
  store: ReturnType<typeof createFsStore>,
  marks: readonly string[],
  where: string,
): Promise<void> {
  const taken = await store.acquireLease({ taskId, worker: "judge", ttlMs: 1_000, now });
  expect(taken?.snapshot.record.itemCount, where).toBe(marks.length);
  if (taken === undefined) return;
  const { lastSeq } = await commit(store, taken.lease, marks.length + 1, [checkpoint(marks.length + 1, ["judge"])]);
  expect(lastSeq, where).toBe(marks.length + 2);
}

/** Every order with at most so many turns away from an actor that was not finished: each may also be a death. */
async function explore(order: readonly string[], depth: number, turns: readonly Turn[] = []): Promise<number> {
  const { others } = await run(order, false, (step) => turns.find((turn) => turn.step === step));
  let courses = 1;
  if (turns.length === depth) return courses;
  for (let step = (turns.at(-1)?.step ?? -1) + 1; step < others.length; step += 1) {
    for (const to of others[step] ?? []) {
      for (const dies of [false, true]) courses += await explore(order, depth, [...turns, { step, to, dies }]);
    }
  }
  return courses;
}

const orders = [
  ["W", "A", "B"],
  ["A", "B", "W"],
  ["A", "W", "R"],
];
/** Beyond two turns there are tens of thousands of courses: for changes of the protocol, by hand. */
const depth = Number(process.env.INTERLEAVING_DEPTH ?? 2);

test.each(orders)(
  "a writer, takers and a reader lose and repeat nothing in every order with two turns or deaths, beginning %s, %s, %s (G4)",
  async (...order) => {
    expect(await explore(order, depth)).toBeGreaterThan(100);
  },
);

/** Draws turns and deaths at single operations of the disk, a few to a course. */
function drawn(random: () => number): Choose {
  return (_step, _running, others) => {
    if (others.length === 0 || random() > 0.15) return undefined;
    return { to: others[Math.floor(random() * others.length)] ?? "", dies: random() < 0.15 };
  };
}

/** The same numbers for the same seed (a linear congruential generator). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("one writer, two takers and a reader lose and repeat nothing with turns and deaths at single operations (G4, G5)", async () => {
  const courses = Number(process.env.INTERLEAVING_COURSES ?? 100);
  const seed = Number(process.env.INTERLEAVING_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${courses} courses with INTERLEAVING_SEED=${seed}`);
  const random = seeded(seed);
  const names = ["W", "A", "B", "R"];
  let turns = 0;
  for (let course = 0; course < courses; course += 1) {
    const order = names.map((name) => [random(), name] as const).sort(([left], [right]) => left - right);
    const choose = drawn(random);
    await run(
      order.map(([, name]) => name),
      true,
      (...at) => {
        const turn = choose(...at);
        if (turn !== undefined) turns += 1;
        return turn;
      },
    );
  }
  expect(turns).toBeGreaterThan(courses);
});
