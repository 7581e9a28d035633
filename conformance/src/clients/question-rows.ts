import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { ClientKind, OpenClient, ToolAnswer, UserAnswer } from "./client-kind.js";
import { extTasksClients } from "./ext-tasks-client.js";
import { genkitClient } from "./genkit.js";
import { inspectorClients } from "./inspector.js";
import { nextClients } from "./next-client.js";
import { judge, type Measured, newLabel, type Row, withClient } from "./row.js";
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
  readonly way: string;
  readonly over?: Over;
  /** When the user answers: `back` a while after the restart, when the client has returned; else at once after it. */
  readonly answered?: "down" | "back";
  readonly inTests?: true;
}

const byElicitation = "2025, `elicitation/create`";
const byTask = "2025-11-25 tasks, `input_required`, `elicitation/create` on `tasks/result`";
const byRoundTrips = "2026, `input_required` and `inputResponses`";
const byUpdate = "2026 tasks, `inputRequests` and `tasks/update`";
const byTool = "`answer_task`";

/** After this time a client has come back to its streams, in milliseconds: the server asks for 1.5 s. */
const thinkingMs = 4_000;
const late = "answered when the client is back";
const down = "answered while the server is down";

const asking = (over: Over): readonly QuestionCase[] => [
  { client: stockClients.middle, way: byElicitation },
  { client: stockClients.new, way: byElicitation },
  { client: nextClients.era2025, way: byElicitation },
  { client: stockClients.new, way: `${byElicitation}, ${late}`, answered: "back", inTests: true },
  {
    client: stockClients.new,
    way: `${byElicitation}, ${down}`,
    answered: "down",
    // Over HTTP it takes as long as the server waits until it asks again.
    inTests: over === "stdio" ? true : undefined,
  },
  { client: stockTasks, way: byTask },
  { client: stockTasks, way: `${byTask}, ${late}`, answered: "back", inTests: true },
  { client: nextClients.auto, way: byRoundTrips },
  { client: nextClients.pinned, way: byRoundTrips, inTests: true },
  { client: extTasksClients.patient, way: byUpdate, inTests: true },
];
const waiting: readonly QuestionCase[] = [{ client: extTasksClients.era2025, way: `2025-11-25 tasks, ${byTool}` }];
const telling: readonly QuestionCase[] = [
  { client: stockClients.old, way: `2025, ${byTool}`, inTests: true },
  { client: nextClients.pinned, way: `2026, ${byTool}` },
];

/** Each way to be asked, with the question open when the server is killed. */
export const questionRows: readonly Row[] = [
  ...rowsOf(asking, askThrough),
  ...rowsOf(() => waiting, answerWhileWaiting),
  ...rowsOf(() => telling, answerByTool),
  ...[inspectorClients.era2025, genkitClient].map((client) =>
    rowOf({ client, way: `2025, ${byTool}` }, "HTTP", answerByTool),
  ),
];

type Run = (server: ServerUnderTest, question: QuestionCase) => Promise<Measured>;

function rowsOf(cases: (over: Over) => readonly QuestionCase[], run: Run): readonly Row[] {
  return (["HTTP", "stdio"] as const).flatMap((over) => cases(over).map((one) => rowOf(one, over, run)));
}

function rowOf(one: QuestionCase, over: Over, run: Run): Row {
  const { client, way, inTests = false } = one;
  return { table: "questions", inTests, head: [client.name, over, way], run: (server) => run(server, one) };
}

/** The client asks its user, who answers when the server is back, or while it is away. */
async function askThrough(server: ServerUnderTest, { client: kind, answered }: QuestionCase): Promise<Measured> {
  const label = newLabel();
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
    if (answered === "back") await pause(thinkingMs);
    return given;
  };
  const use = async (client: OpenClient): Promise<Measured> => {
    const answer = await callOrError(client, label, seen);
    await restarted;
    // An answer that met the downtime is lost over HTTP, and the user is asked again.
    const mostAsks = answered === "down" && server.over === "HTTP" ? 2 : 1;
    const measured = await measure(server, label, answer, seen, asked, mostAsks);
    return asked > 1 ? { ...measured, note: askedAgain } : measured;
  };
  return withClient(kind, server, use, { onQuestion });
}

const askedAgain =
  "the client does not repeat an answer whose POST met the downtime, so the server never heard it, and asks again under the same id after `askAgainMs` (30 s)";
const neverAsks =
  "this library polls the task and asks for its result only at the end, so the question never reaches it; 2025-11-25 sends questions on `tasks/result`";
const waitingTasks = z.object({
  tasks: z.array(z.object({ task_id: z.string(), questions: z.array(z.object({ key: z.string() })) })),
});

/** The client waits for a task that waits for an answer: its user finds the question, and gives the answer to a tool. */
function answerWhileWaiting(server: ServerUnderTest, { client: kind }: QuestionCase): Promise<Measured> {
  return withClient(kind, server, async (client) => {
    const label = newLabel();
    const seen = new Seen();
    const ending = callOrError(client, label, seen);
    await server.kill(await server.journals.untilAsked(label));
    const query = { task_name: tool, status: ["input_required"] };
    const listed = await client.call("list_session_tasks", query, seen);
    const [task] = waitingTasks.parse(listed.structuredContent).tasks;
    const question = { task_id: task?.task_id ?? "", key: task?.questions[0]?.key ?? "" };
    await client.call("answer_task", { ...question, ...given }, seen);
    const answer = (await ending) ?? (await client.recover?.(seen));
    return { ...(await measure(server, label, answer, seen, task?.questions.length ?? 0)), note: neverAsks };
  });
}

const questionShown = z.object({
  status: z.literal("input_required"),
  task_id: z.string(),
  next_tool: z.literal("answer_task"),
  questions: z.array(z.object({ key: z.string() })),
});

/** A result names the question; a tool takes the answer after the kill. */
function answerByTool(server: ServerUnderTest, { client: kind }: QuestionCase): Promise<Measured> {
  return withClient(kind, server, async (client) => {
    const label = newLabel();
    const seen = new Seen();
    const first = await client.call(tool, { label }, seen);
    const { task_id, questions } = questionShown.parse(first.structuredContent);
    await server.kill(await server.journals.untilAsked(label));
    await client.call("answer_task", { task_id, key: questions[0]?.key ?? "", ...given }, seen);
    const answer = await client.call("wait_for_task", { task_id }, seen);
    return measure(server, label, answer, seen, questions.length);
  });
}

/** Makes the call; `undefined` when the client got an error, which it has seen. */
async function callOrError(client: OpenClient, label: string, seen: Seen): Promise<ToolAnswer | undefined> {
  try {
    return await client.call(tool, { label }, seen, patienceMs);
  } catch (error) {
    seen.error(error);
    return undefined;
  }
}

async function measure(
  server: ServerUnderTest,
  label: string,
  answer: ToolAnswer | undefined,
  seen: Seen,
  asked: number,
  mostAsks = 1,
): Promise<Measured> {
  const expected = { label, result: { name: given.content.name }, items: [1, 2] };
  const measured = await judge(server, expected, answer, seen);
  const isRight = asked >= 1 && asked <= mostAsks;
  return {
    ...measured,
    asked,
    problems: [...measured.problems, ...(isRight ? [] : [`the user was asked ${asked} times`])],
  };
}
