import type { ClientKind, OpenClient, ToolAnswer } from "./client-kind.js";
import { extTasksClients } from "./ext-tasks-client.js";
import { genkitClient } from "./genkit.js";
import { inspectorClients } from "./inspector.js";
import { findByList, findByResource } from "./lost-id.js";
import { nextClients } from "./next-client.js";
import { itemsTo, judge, type Measured, newLabel, type Row, withClient } from "./row.js";
import { Seen } from "./seen.js";
import type { Over, Place, ServerUnderTest } from "./server-under-test.js";
import { stockClients, stockTasks } from "./stock-client.js";

const tool = "count_to";
const goal = 30;
/** The kill comes when so many items are in the journal: early enough for a client to be in the middle. */
const killAfterItems = 10;

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

/** A client that cannot get its result any more waits for its own time limit; a short one here. */
const streamEnds = {
  because:
    "2026-07-28 has no resumable streams: the end of the stream is the end of the request, and this client waits for its time limit",
  patienceMs: 4_000,
};
const pollFails = {
  because: "a poll failed during the downtime, and this client then stops waiting; the task continues",
  noticed: true as const,
};
const again = {
  title: "the same call again",
  run: ({ client, input, seen }: LostCall) => client.call(tool, input, seen),
};
const ownWay = ({ client, seen }: LostCall): Promise<ToolAnswer> => {
  if (client.recover === undefined) throw new Error("This client has no way of its own to continue.");
  return client.recover(seen);
};

const sameCall: Instead = { ...again, ...streamEnds };
const list: Instead = {
  title: "`list_session_tasks`, then `wait_for_task`",
  ...streamEnds,
  run: ({ place }) => findByList(place, tool),
};
const resource: Instead = {
  title: "`resources/list`, `resume_task`, then reading `task://…` to its end",
  ...streamEnds,
  run: ({ place }) => findByResource(place, tool),
};
const sameCallAfterPoll: Instead = { ...again, ...pollFails };
const resumeTask: Instead = { title: "`resumeTask(reference)`", ...pollFails, run: ownWay };
const getResult: Instead = { title: "`getTaskResult(taskId)`", ...pollFails, run: ownWay };

interface CallCase {
  readonly client: ClientKind;
  readonly over: Over;
  /** What helps when the call does not end right by itself; without it, it has to. */
  readonly instead?: Instead;
  readonly inTests?: boolean;
}

/** The clients in the order of the table, and what helps over HTTP. */
const clients: readonly Omit<CallCase, "over">[] = [
  { client: stockClients.old, inTests: true },
  { client: stockClients.middle },
  { client: stockClients.new, inTests: true },
  { client: stockTasks, instead: getResult },
  { client: nextClients.era2025, inTests: true },
  { client: nextClients.auto, instead: sameCall },
  { client: nextClients.pinned, inTests: true, instead: sameCall },
  { client: extTasksClients.stock, inTests: true, instead: resumeTask },
  { client: extTasksClients.era2025, instead: resumeTask },
  { client: extTasksClients.era2026, inTests: true, instead: resumeTask },
  { client: extTasksClients.patient },
  { client: inspectorClients.era2025 },
  { client: inspectorClients.auto, instead: sameCallAfterPoll },
  { client: inspectorClients.era2026, instead: sameCallAfterPoll },
  { client: genkitClient },
];

const cases: readonly CallCase[] = [
  ...clients.map((one) => ({ ...one, over: "HTTP" as const })),
  ...clients.map(({ client, inTests }) => ({ client, inTests, over: "stdio" as const })),
  { client: nextClients.pinned, over: "HTTP", instead: list },
  { client: nextClients.pinned, over: "HTTP", instead: resource },
];

/** Each client, with one call in flight when the server is killed. */
export const callRows: readonly Row[] = cases.map(({ client, over, instead, inTests = false }) => ({
  table: "calls",
  inTests,
  head: [client.name, over, instead === undefined ? "the call" : `the call, then ${instead.title}`],
  run: (server) => withClient(client, server, (open) => runCall(server, client, open, instead)),
}));

async function runCall(
  server: ServerUnderTest,
  kind: ClientKind,
  client: OpenClient,
  instead: Instead | undefined,
): Promise<Measured> {
  const seen = new Seen();
  const label = newLabel();
  const call: LostCall = { client, place: server.place, input: { n: goal, label }, seen };
  const answer = await callThroughKill(server, call, instead);
  const helped = answer ?? (await instead?.run(call));
  const measured = await judge(server, { label, result: { counted: goal }, items: itemsTo(goal) }, helped, seen);
  if (answer === undefined) return { ...measured, after: instead?.title, note: instead?.because };
  // Who was helped made another request, which begins where the task was by then.
  const missing = kind.tellsProgress === true ? seen.missing(goal) : [];
  return { ...measured, problems: [...measured.problems, ...missing] };
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
