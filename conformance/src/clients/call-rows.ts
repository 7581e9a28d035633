import type { ClientKind, OpenClient, ToolAnswer } from "./client-kind.js";
import { extTasksClients } from "./ext-tasks-client.js";
import { inspectorClients } from "./inspector.js";
import type { JournalFacts } from "./journals.js";
import { findByList, findByResource } from "./lost-id.js";
import { nextClients } from "./next-client.js";
import { journalProblems, type Measured, type Row, resultProblems } from "./row.js";
import { Seen } from "./seen.js";
import type { Over, Place, ServerUnderTest } from "./server-under-test.js";
import { stockClients, stockTasks } from "./stock-client.js";

const tool = "count_to";
const goal = 30;
/** The kill comes when so many items are in the journal: early enough for a client to be in the middle. */
const killAfterItems = 10;
/** A client that cannot get its result any more waits for its own time limit; a short one here. */
const shortPatienceMs = 4_000;

/** What is done where the call cannot end right by itself. */
interface Instead {
  readonly title: string;
  readonly because: string;
  /** How long the client waits for what cannot come. */
  readonly patienceMs?: number;
  /** The server stays away until the client has noticed. */
  readonly noticed?: true;
  run(lost: LostCall): Promise<ToolAnswer>;
}

/** A call whose client got an error, or nothing. */
interface LostCall {
  readonly client: OpenClient;
  readonly place: Place;
  readonly input: { readonly n: number; readonly label: string };
  readonly seen: Seen;
}

const streamEnds =
  "2026-07-28 has no resumable streams: the end of the stream is the end of the request, and this client waits for its time limit";
const sameCall: Instead = {
  title: "the same call again",
  because: streamEnds,
  patienceMs: shortPatienceMs,
  run: ({ client, input, seen }) => client.call(tool, input, seen),
};
const list: Instead = {
  title: "`list_session_tasks`, then `wait_for_task`",
  because: streamEnds,
  patienceMs: shortPatienceMs,
  run: ({ place }) => findByList(place, tool),
};
const resource: Instead = {
  title: "`resources/list`, `resume_task`, then reading `task://…` to its end",
  because: streamEnds,
  patienceMs: shortPatienceMs,
  run: ({ place }) => findByResource(place, tool),
};
const pollFailed = "a poll met the downtime, which is the end of waiting for this client; the task continues";
const sameCallAfterPoll: Instead = {
  title: "the same call again",
  because: pollFailed,
  noticed: true,
  run: ({ client, input, seen }) => client.call(tool, input, seen),
};
const resumeTask: Instead = {
  title: "`resumeTask(reference)`",
  because: pollFailed,
  noticed: true,
  run: ownWay,
};
const getResult: Instead = {
  title: "`getTaskResult(taskId)`",
  because: pollFailed,
  noticed: true,
  run: ownWay,
};

function ownWay({ client, seen }: LostCall): Promise<ToolAnswer> {
  if (client.recover === undefined) throw new Error("This client has no way of its own to go on.");
  return client.recover(seen);
}

interface CallCase {
  readonly client: ClientKind;
  readonly over: Over;
  /** What helps when the call does not end right by itself; without it, it has to. */
  readonly instead?: Instead;
  readonly inTests?: true;
}

const cases: readonly CallCase[] = [
  ...(["HTTP", "stdio"] as const).flatMap((over): readonly CallCase[] => [
    { client: stockClients.old, over, inTests: true },
    { client: stockClients.middle, over },
    { client: stockClients.new, over, inTests: true },
    { client: stockTasks, over, ...(over === "HTTP" ? { instead: getResult } : {}) },
    { client: nextClients.era2025, over, inTests: true },
    { client: nextClients.auto, over, ...(over === "HTTP" ? { instead: sameCall } : {}) },
    { client: nextClients.pinned, over, inTests: true, ...(over === "HTTP" ? { instead: sameCall } : {}) },
    { client: extTasksClients.stock, over, inTests: true, ...(over === "HTTP" ? { instead: resumeTask } : {}) },
    { client: extTasksClients.era2025, over, ...(over === "HTTP" ? { instead: resumeTask } : {}) },
    { client: extTasksClients.era2026, over, inTests: true, ...(over === "HTTP" ? { instead: resumeTask } : {}) },
    { client: extTasksClients.patient, over },
    { client: inspectorClients.era2025, over },
    { client: inspectorClients.auto, over, ...(over === "HTTP" ? { instead: sameCallAfterPoll } : {}) },
    { client: inspectorClients.era2026, over, ...(over === "HTTP" ? { instead: sameCallAfterPoll } : {}) },
  ]),
  { client: nextClients.pinned, over: "HTTP", instead: list },
  { client: nextClients.pinned, over: "HTTP", instead: resource },
];

/** Each client, with one call in flight when the server is killed. */
export const callRows: readonly Row[] = cases.map((one) => ({
  table: "calls",
  inTests: one.inTests ?? false,
  head: [one.client.name, one.over, one.instead === undefined ? "the call" : `the call, then ${one.instead.title}`],
  run: (server) => runCall(server, one),
}));

let count = 0;

async function runCall(server: ServerUnderTest, { client: kind, instead }: CallCase): Promise<Measured> {
  count += 1;
  const { place, journals } = server;
  const seen = new Seen();
  const client = await kind.open(place);
  const call: LostCall = { client, place, input: { n: goal, label: `call ${count}` }, seen };
  try {
    const answer = await callThroughKill(server, call, instead);
    const helped = answer ?? (await instead?.run(call));
    const facts = await journals.facts(call.input.label);
    const help = answer === undefined && instead !== undefined ? { after: instead.title, note: instead.because } : {};
    // Who was helped made another request, which begins where the task was by then.
    const missing = answer !== undefined && kind.tellsProgress === true ? seen.missing(goal) : [];
    return { problems: [...problemsOf(call, helped, facts), ...missing], saw: seen.inWords(), facts, ...help };
  } finally {
    await client.close();
  }
}

/** Makes the call and kills the server under it; `undefined` when the client got an error, which it has seen. */
async function callThroughKill(
  { journals, kill }: ServerUnderTest,
  { client, input, seen }: LostCall,
  instead: Instead | undefined,
): Promise<ToolAnswer | undefined> {
  const ending = client
    .call(tool, input, seen, instead?.patienceMs)
    .catch((error: unknown) => void seen.error(error))
    .then((answer) => answer ?? undefined);
  const pid = await journals.untilItems(input.label, killAfterItems);
  await kill(pid, async () => {
    if (instead?.noticed === true) await ending;
  });
  return ending;
}

function problemsOf({ input, seen }: LostCall, answer: ToolAnswer | undefined, facts: JournalFacts): readonly string[] {
  return [
    ...resultProblems(answer, { counted: input.n, label: input.label }),
    ...seen.problems(),
    ...journalProblems(
      facts,
      Array.from({ length: input.n }, (_, index) => index + 1),
    ),
  ];
}
