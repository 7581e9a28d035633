import type { CallPlan } from "../callers/call-plan.js";
import { plainTools } from "../callers/plain-tools.js";
import type { Operation } from "../callers/script-operations.js";
import { attemptsPerProgress } from "../callers/script-tool.js";
import type { Random } from "../world/random.js";
import type { Mode } from "./draw-limits.js";
import { drawManyCheckpoints, drawManyWaits, type Theme } from "./draw-moments.js";

/** A call, and when it is made. */
export interface PlannedCall extends CallPlan {
  readonly atMs: number;
}

/** An owner, and what clients of MCP say of themselves to be that owner: none where only the engine is used. */
export type PlannedOwner = Pick<CallPlan, "owner" | "clientId">;

/** What is drawn around the calls. */
export interface CallFrame {
  readonly owners: readonly PlannedOwner[];
  readonly calmMs: number;
  readonly mode: Mode;
  readonly theme: Theme | undefined;
  /** Finished tasks are deleted: the id of a call may then name a second task. */
  readonly expires: boolean;
}

const uuid = "5d5f6ae5-7a38-4b44-9d2f-5f6f4ec3a0b";

/** Names that a path, a text or an object may treat in a way of its own. They name owners of local requests. */
const strangeNames = [
  "../../../../store/tasks",
  'a "quoted"\\name\n\u0000',
  "Zoë 李小龍 😀 ‮emanon",
  "__proto__",
  "constructor",
  "x".repeat(250),
  "%2e%2e%2f%00",
];

/** Draws one to three owners: some differ only in their kind, or have strange names. */
export function drawOwners(random: Random): readonly PlannedOwner[] {
  const first = { owner: `client:local/${uuid}0`, clientId: `${uuid}0` };
  const others = [
    { owner: `client:local/${uuid}1`, clientId: `${uuid}1` },
    { owner: `sub:${uuid}0`, clientId: undefined },
    { owner: `local:local/${uuid}0`, clientId: undefined },
    ...strangeNames.map((name) => ({ owner: `client:local/${name}`, clientId: name })),
    ...strangeNames.map((name) => ({ owner: `sub:${name}`, clientId: undefined })),
  ];
  return [first, ...Array.from({ length: random.below(3) }, () => random.pick(others))];
}

/** By which ways an owner can call. The toolkit's client takes over ids of these characters only. */
function waysOf(clientId: string | undefined, { mode, theme }: CallFrame): readonly CallPlan["via"][] {
  if (clientId === undefined) return ["engine"];
  if (theme === "requests") return ["engine", "engine", "engine", "2025", "2026"];
  if (theme === "errors") return ["engine", "engine", "2025", "2025"];
  if (theme === "questions") return ["engine", "2025", "2025", "2025"];
  if (theme === "failures" || theme === "forgotten") return ["engine"];
  if (theme === "leaving") return ["2026", "sdk"];
  if (theme === "drains") return ["2026"];
  if (theme === "cancels" || theme === "making") return ["2025"];
  if (mode === "moments") return ["engine", "engine", "2025", "2025", "2026", "sdk"];
  const ways = ["engine", "engine", "2025", "2026", "sdk"] as const;
  return /^[\w.:-]{8,256}$/.test(clientId) ? [...ways, "toolkit"] : ways;
}

/** Draws a call: what is called, by whom, and how its caller behaves. */
export function drawCall(random: Random, index: number, frame: CallFrame): PlannedCall {
  const { owners, calmMs, mode, theme, expires } = frame;
  const owner = mode === "flood" ? owners[0] : random.pick(owners);
  const isPlain = (mode === "chaos" || mode === "damage" || mode === "quiet") && random.percent(12);
  const isShared = mode !== "flood" && !isPlain && random.percent(15) && theme !== "forgotten";
  const mayHaveId = random.percent(40) && !expires;
  const interventions = drawInterventions(random, index, frame).filter(({ what }) => what !== "delete" || !mayHaveId);
  return {
    name: `caller-${index}`,
    owner: owner?.owner ?? "",
    clientId: owner?.clientId,
    via: random.pick(waysOf(owner?.clientId, frame)),
    tool: isPlain ? random.pick(plainTools) : "script",
    input: isShared
      ? { run: "shared", program: sharedProgram }
      : { run: `run-${index}`, program: isPlain ? drawWork(random) : drawProgram(random, index, frame) },
    detached: mode === "flood" || random.percent(30),
    callId: mayHaveId ? `call-${index}-of-the-run` : undefined,
    newTask: random.percent(88) ? undefined : random.pick([true, "named", "named"]),
    handoffMs: random.percent(70) ? undefined : random.pick([1, 1_000]),
    repeats: random.pick([0, 0, 0, 1, 2]),
    againPercent: random.pick(frame.theme === "failures" ? [100] : [0, 70]),
    leaves: random.pick(
      frame.theme === "errors" || frame.theme === "cancels" ? ["cancelled"] : ["gone", "gone", "cancelled"],
    ),
    returnsPercent: random.pick([0, 60, 100, 100]),
    answersPercent: random.pick([0, 70, 100, 100]),
    twicePercent: frame.theme === "requests" ? random.pick([30, 100]) : 25,
    interventions,
    ...(frame.theme === "leaving" && { givesUpResults: random.pick([0, 1, 2]), returnsPercent: 100 }),
    // While the last attempt begins, runs, or fails.
    ...(frame.theme === "failures" && { answersAfterAttempts: attemptsPerProgress - 1 }),
    atMs: mode === "flood" ? random.between(0, 1_000) : random.between(0, calmMs * (mode === "poison" ? 0.3 : 0.7)),
    ...(frame.theme === "forgotten" && {
      atMs: index * random.between(2_000, 4_000),
      againPercent: 0,
      newTask: undefined,
    }),
  };
}

/** Several callers of one owner make this call, and answer its question. */
const sharedProgram: readonly Operation[] = [
  { op: "work", ms: 300 },
  { op: "ask" },
  { op: "sleep", ms: 2_000 },
  { op: "step" },
];

function drawInterventions(
  random: Random,
  index: number,
  { calmMs, mode, theme }: CallFrame,
): CallPlan["interventions"] {
  if (mode === "flood" || theme === "leaving") return [];
  if (theme === "failures") return drawResumes(random, calmMs);
  if (theme === "cancels") return drawDrops(random, calmMs);
  if (theme === "forgotten") return index === 0 ? [] : drawCancels(random);
  const kinds = [
    "pause",
    "resume",
    "cancel",
    "detach",
    "drop",
    "drop",
    "get",
    "delete",
    "answer_wrongly",
    "answer_twice",
  ] as const;
  const begun = Array.from({ length: random.pick(theme === "requests" ? [1, 3, 6] : [0, 0, 1, 3]) }, () => ({
    // Most tasks are over after a few seconds.
    atMs: random.between(0, random.pick([1_000, 5_000, calmMs])),
    what: random.pick(kinds),
  }));
  // What is requested right after a request meets it half carried out.
  const followed = begun.flatMap(({ atMs, what }) =>
    what === "pause"
      ? [{ atMs: atMs + random.pick([3, 50, 1_500]), what: random.pick(["resume", "cancel", "drop"] as const) }]
      : [],
  );
  return [...begun, ...followed];
}

/** What continues a failed task, and what makes another process wait for one that is about to fail. */
function drawResumes(random: Random, calmMs: number): CallPlan["interventions"] {
  return Array.from({ length: random.pick([2, 4, 8]) }, () => ({
    atMs: random.between(1_500, calmMs),
    what: random.pick(["resume", "drop", "drop"] as const),
  }));
}

function drawDrops(random: Random, calmMs: number): CallPlan["interventions"] {
  return Array.from({ length: random.pick([4, 8, 16]) }, () => ({ atMs: random.between(50, calmMs), what: "drop" }));
}

/** Its process dies after 20 ms, and it begins again some 200 ms after that. */
function drawCancels(random: Random): CallPlan["interventions"] {
  return Array.from({ length: 4 }, () => ({ atMs: random.between(40, 260), what: "cancel" }));
}

function drawProgram(random: Random, index: number, frame: CallFrame): readonly Operation[] {
  const { mode, theme } = frame;
  if (mode === "flood") return drawShort(random);
  if (theme === "forgotten") return [index === 0 ? { op: "work", ms: 12_000 } : { op: "poison" }];
  if (theme === "drains" || theme === "making") return drawManyCheckpoints(random);
  if (theme === "cancels") return drawManyWaits(random);
  if ((theme === "takeovers" || theme === "syncs") && random.percent(80)) return drawManyCheckpoints(random);
  if ((theme === "names" || theme === "folder") && random.percent(60)) return drawShort(random);
  if (theme === "leaving") return drawShort(random);
  if ((theme === "errors" || theme === "removals") && random.percent(60)) return drawManyWaits(random);
  const length = random.pick([1, 3, 8, 20]);
  const program = Array.from({ length }, () => (mode === "waiting" ? drawWait(random) : drawOperation(random, frame)));
  if (mode === "poison" && index === 0) program.splice(random.below(length), 0, { op: "poison" });
  // Suspects that come to no checkpoint for long keep no other task waiting, and none of them is guilty.
  if (mode === "poison" && index > 0 && random.percent(60)) program.unshift({ op: "work", ms: 22_000 });
  return program;
}

function drawOperation(random: Random, { mode, theme }: CallFrame): Operation {
  if (theme === "failures" && random.percent(80)) return drawFailing(random);
  // What is asked, answered and requested is what can get lost.
  if (theme === "requests" && random.percent(70)) return { op: "ask", steps: 40 };
  if (mode === "moments" && random.percent(40)) return { op: "ask" };
  const kind = random.below(100);
  if (kind < 5) return drawMap(random);
  if (kind < 10) return drawNested(random);
  if (kind < 15) return { op: "artifact", bytes: random.pick([0, 100, 300_000, 300_000]) };
  if (kind < 36) return { op: "work", ms: random.pick([0, 1, 20, 400]) };
  if (kind < 48) return random.percent(40) ? drawFlaky(random) : { op: "step" };
  if (kind < 52) return { op: "parallel", steps: random.pick([1, 3]), ms: random.pick([1, 300]) };
  if (kind < 63)
    return { op: "sleep", ms: random.pick([50, 1_000, 6_000]), ...(random.percent(30) && { afterMs: 400 }) };
  if (kind < 75)
    return { op: "ask", ...(random.percent(30) && { timeoutMs: 5_000 }), ...(random.percent(10) && { steps: 3 }) };
  if (kind < 80) return { op: "stream", items: random.pick([0, 3, 40]) };
  if (kind < 83) return { op: "load", bytes: random.pick([500, 10_000]) };
  if (kind < 85) return { op: "log", lines: random.pick([1, 20]) };
  if (kind < 93) return { op: "fail", times: random.pick([1, 2, 2, 5]) };
  if (kind < 97) return { op: "stubborn", ms: random.pick([500, 4_000]) };
  return { op: "give_up" };
}

function drawFlaky(random: Random): Operation {
  const fails = random.pick([1, 2, 5]);
  return { op: "step", fails, ...(fails === 2 && { hangs: true }) };
}

function drawNested(random: Random): Operation {
  return { op: "call", children: random.pick([1, 1, 3]), ms: random.pick([1, 300, 6_000]) };
}

function drawMap(random: Random): Operation {
  const map = { op: "map", items: random.pick([0, 1, 8, 30]), width: random.pick([1, 3, 8]) } as const;
  return random.percent(30) ? { ...map, collects: true } : { ...map, fails: random.pick([0, 0, 1, 2, 5]) };
}

/** Asks, and fails while the question is open, until its task fails: once, twice, or not quite. */
function drawFailing(random: Random): Operation {
  const fails = random.pick([attemptsPerProgress, attemptsPerProgress, 2 * attemptsPerProgress, 1]);
  const timeout = random.percent(25) ? { timeoutMs: 5_000 } : {};
  return { op: "ask", failsAfterMs: random.pick([20, 300, 3_000]), fails, ...timeout };
}

/** Something that holds a slot for a moment, perhaps after a wait in which it holds none. */
function drawShort(random: Random): readonly Operation[] {
  const work = { op: "work", ms: random.pick([100, 400, 1_400]) } as const;
  return random.percent(30) ? [{ op: "sleep", ms: 6_000 }, work] : [work, { op: "step" }];
}

/** What a tool without checkpoints does. */
function drawWork(random: Random): readonly Operation[] {
  return [{ op: "work", ms: random.pick([1, 400, 1_400]) }];
}

/** Something that only waits, and for long: deaths come while it does. */
function drawWait(random: Random): Operation {
  if (random.percent(20)) return drawNested(random);
  return random.percent(50) ? { op: "ask" } : { op: "sleep", ms: random.pick([1_000, 6_000, 20_000]) };
}
