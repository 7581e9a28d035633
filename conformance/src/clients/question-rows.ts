import { z } from "zod";
import type { ClientKind, OpenClient, ToolAnswer, UserAnswer } from "./client-kind.js";
import { extTasksClients } from "./ext-tasks-client.js";
import { inspectorClients } from "./inspector.js";
import { nextClients } from "./next-client.js";
import { journalProblems, type Measured, type Row, resultProblems } from "./row.js";
import { Seen } from "./seen.js";
import type { Over, ServerUnderTest } from "./server-under-test.js";
import { stockClients, stockTasks } from "./stock-client.js";

const tool = "ask_name";
/** As long as the SDKs wait by themselves. */
const patienceMs = 60_000;
const given: UserAnswer = { action: "accept", content: { name: "a name" } };

/** How a question is asked, and when its answer is given. */
interface QuestionCase {
  readonly client: ClientKind;
  readonly over: Over;
  readonly way: string;
  /** When the user answers: `back` a while after the restart, when the client has returned; else at once after it. */
  readonly answered?: "down" | "back";
  /** How often the user may be asked at most; once, where nothing else is said. */
  readonly asks?: number;
  readonly inTests?: true;
}

type ShownCase = Pick<QuestionCase, "client" | "over" | "way" | "inTests">;

const byElicitation = "2025, `elicitation/create`";
const byTask = "2025-11-25 tasks, `input_required`, `elicitation/create` on `tasks/result`";
const byRoundTrips = "2026, `input_required` and `inputResponses`";
const byUpdate = "2026 tasks, `inputRequests` and `tasks/update`";
const overs = ["HTTP", "stdio"] as const;

/** After this time a client has come back to its streams, in milliseconds: the server asks for 1.5 s. */
const thinkingMs = 4_000;
const late = "answered when the client is back";
const down = "answered while the server is down";

const asking: readonly QuestionCase[] = overs.flatMap((over): readonly QuestionCase[] => [
  { client: stockClients.middle, over, way: byElicitation },
  { client: stockClients.new, over, way: byElicitation },
  { client: nextClients.era2025, over, way: byElicitation },
  { client: stockClients.new, over, way: `${byElicitation}, ${late}`, answered: "back", inTests: true },
  over === "HTTP"
    ? { client: stockClients.new, over, way: `${byElicitation}, ${down}`, answered: "down", asks: 2 }
    : { client: stockClients.new, over, way: `${byElicitation}, ${down}`, answered: "down", inTests: true },
  { client: stockTasks, over, way: byTask },
  { client: stockTasks, over, way: `${byTask}, ${late}`, answered: "back", inTests: true },
  { client: nextClients.auto, over, way: byRoundTrips },
  { client: nextClients.pinned, over, way: byRoundTrips, inTests: true },
  { client: extTasksClients.patient, over, way: byUpdate, inTests: true },
]);

const byTool = "`answer_task`";
const telling: readonly ShownCase[] = [
  ...overs.flatMap((over) => [
    { client: stockClients.old, over, way: `2025, ${byTool}`, inTests: true as const },
    { client: nextClients.pinned, over, way: `2026, ${byTool}` },
  ]),
  { client: inspectorClients.era2025, over: "HTTP", way: `2025, ${byTool}` },
];

const waiting: readonly ShownCase[] = overs.map((over) => ({
  client: extTasksClients.era2025,
  over,
  way: `2025-11-25 tasks, ${byTool}`,
}));

/** Each way to be asked, with the question open when the server is killed. */
export const questionRows: readonly Row[] = [
  ...asking.map((one) => rowOf(one, (server) => askThrough(server, one))),
  ...waiting.map((one) => rowOf(one, (server) => answerWhileWaiting(server, one.client))),
  ...telling.map((one) => rowOf(one, (server) => answerByTool(server, one.client))),
];

function rowOf({ client, over, way, inTests }: ShownCase, run: Row["run"]): Row {
  return { table: "questions", inTests: inTests ?? false, head: [client.name, over, way], run };
}

let count = 0;
const nextLabel = (): string => {
  count += 1;
  return `question ${count}`;
};

/** The client asks its user, who answers when the server is back, or while it is away. */
async function askThrough(
  server: ServerUnderTest,
  { client: kind, answered, asks = 1 }: QuestionCase,
): Promise<Measured> {
  const label = nextLabel();
  const seen = new Seen();
  let asked = 0;
  let restarted: Promise<void> | undefined;
  const onQuestion = async (): Promise<UserAnswer> => {
    asked += 1;
    if (asked > 1) return given;
    const pid = await server.journals.untilAsked(label);
    if (answered === "down") {
      await new Promise<void>((dead) => {
        restarted = server.kill(pid, async () => dead());
      });
      return given;
    }
    await server.kill(pid);
    if (answered === "back") await new Promise((resolve) => setTimeout(resolve, thinkingMs));
    return given;
  };
  const client = await kind.open(server.place, { onQuestion });
  try {
    const answer = await client
      .call(tool, { label }, seen, patienceMs)
      .catch((error: unknown) => void seen.error(error));
    await restarted;
    return await measured(server, label, { answer, seen, asked, asks });
  } finally {
    await client.close();
  }
}

const neverAsks =
  "this library polls the task and asks for its result only at the end, so the question never reaches it; 2025-11-25 sends questions on `tasks/result`";
const waitingTasks = z.object({
  tasks: z.array(z.object({ task_id: z.string(), questions: z.array(z.object({ key: z.string() })) })),
});

/** The client waits for a task that waits for an answer: its user finds the question, and gives the answer to a tool. */
async function answerWhileWaiting(server: ServerUnderTest, kind: ClientKind): Promise<Measured> {
  const label = nextLabel();
  const seen = new Seen();
  const client = await kind.open(server.place);
  try {
    const ending = client.call(tool, { label }, seen).catch((error: unknown) => void seen.error(error));
    await server.kill(await server.journals.untilAsked(label));
    const query = { task_name: tool, status: ["input_required"] };
    const listed = await client.call("list_session_tasks", query, seen);
    const [task] = waitingTasks.parse(listed.structuredContent).tasks;
    const question = { task_id: task?.task_id ?? "", key: task?.questions[0]?.key ?? "" };
    await client.call("answer_task", { ...question, ...given }, seen);
    const answer = (await ending) ?? (await client.recover?.(seen));
    const asked = task?.questions.length ?? 0;
    return { ...(await measured(server, label, { answer, seen, asked, asks: 1 })), note: neverAsks };
  } finally {
    await client.close();
  }
}

const questionShown = z.object({
  status: z.literal("input_required"),
  task_id: z.string(),
  next_tool: z.literal("answer_task"),
  questions: z.array(z.object({ key: z.string() })),
});

/** A result names the question; a tool takes the answer after the kill. */
async function answerByTool(server: ServerUnderTest, kind: ClientKind): Promise<Measured> {
  const label = nextLabel();
  const seen = new Seen();
  const client = await kind.open(server.place);
  try {
    const first = await client.call(tool, { label }, seen);
    const { task_id, questions } = questionShown.parse(first.structuredContent);
    await server.kill(await server.journals.untilAsked(label));
    const answer = await giveAnswer(client, { task_id, key: questions[0]?.key ?? "" }, seen);
    return await measured(server, label, { answer, seen, asked: questions.length, asks: 1 });
  } finally {
    await client.close();
  }
}

async function giveAnswer(
  client: OpenClient,
  question: { readonly task_id: string; readonly key: string },
  seen: Seen,
): Promise<ToolAnswer> {
  await client.call("answer_task", { ...question, ...given }, seen);
  return client.call("wait_for_task", { task_id: question.task_id }, seen);
}

const askedAgain =
  "the client does not repeat an answer whose POST met the downtime, so the server never heard it, and asks again under the same id after `askAgainMs` (30 s)";

interface Asked {
  readonly answer: ToolAnswer | undefined;
  readonly seen: Seen;
  readonly asked: number;
  readonly asks: number;
}

async function measured(
  server: ServerUnderTest,
  label: string,
  { answer, seen, asked, asks }: Asked,
): Promise<Measured> {
  const facts = await server.journals.facts(label);
  const problems = [
    ...resultProblems(answer, { name: given.content.name, label }),
    ...journalProblems(facts, [1, 2]),
    ...seen.problems(),
    ...(asked >= 1 && asked <= asks ? [] : [`the user was asked ${asked} times`]),
  ];
  const note = asked > 1 ? { note: askedAgain } : {};
  return { problems, saw: seen.inWords(), asked, facts, ...note };
}
