import { taskId as asTaskId } from "@modelcontextprotocol/ext-tasks/core";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { type ClientKind, callTimeoutMs, type ToolAnswer, type UserAnswer } from "./client-kind.js";
import { nextSession } from "./ext-tasks-client.js";
import { findQuestion } from "./lost-id.js";
import { connectNext, nextClients } from "./next-client.js";
import { itemsTo, judge, type Measured, newLabel, type Row } from "./row.js";
import { Seen } from "./seen.js";
import type { Over, Place, ServerUnderTest } from "./server-under-test.js";
import { connectStock, stockClients } from "./stock-client.js";

const given: UserAnswer = { action: "accept", content: { name: "a name" } };
const goal = 30;

/** How a task of one era comes into the other. */
interface Crossing {
  readonly clients: string;
  readonly how: string;
  readonly tool: "ask_name" | "count_to";
  /** Begins the task, and leaves when `kill` has resolved: the server was killed in the middle, and is back. */
  begin(place: Place, input: Input, kill: () => Promise<void>): Promise<void>;
  /** Another client finds the task without knowing its id, and finishes it. */
  finish(place: Place, input: Input, seen: Seen): Promise<ToolAnswer>;
}

type Input = { readonly label: string } | { readonly label: string; readonly n: number };

const stock = stockClients.new;
const next = nextClients.auto;

const oldTaskInNewEra: Crossing = {
  clients: `${stock.name}; then \`ext-tasks\` on ${next.name}`,
  how: "a 2025-11-25 task, found among the resources, read by `tasks/get`, answered by `tasks/update`",
  tool: "ask_name",
  async begin(place, input, kill) {
    const client = await connectStock(place);
    const params = { name: "ask_name", arguments: input, task: {} };
    await client.request({ method: "tools/call", params }, CreateTaskResultSchema);
    await kill();
    await client.close();
  },
  async finish(place, { label }, seen) {
    const client = await connectNext(place, "auto", { onQuestion: async () => given });
    const session = nextSession(client, {}, true);
    const { taskId, key } = await findQuestion(client, label);
    const task = session.task(asTaskId(taskId));
    seen.status(await task.snapshot());
    await task.updateJson({ [key]: given });
    for (let view = await task.snapshot(); view.status !== "completed"; view = await task.snapshot()) seen.status(view);
    const outcome = await task.result();
    seen.status(outcome);
    await session.close();
    await client.close();
    if (outcome.status !== "completed") throw new Error(`The task is ${outcome.status}.`);
    return { structuredContent: Reflect.get(outcome.result, "structuredContent") };
  },
};

const listedTask = z.looseObject({ questions: z.array(z.object({ message: z.string() })) });

const newTaskInOldEra: Crossing = {
  clients: `\`ext-tasks\` on ${next.name}; then ${stock.name}`,
  how: "a 2026 task, found by `tasks/list`, read as `task://…`, asked and answered on `tasks/result`",
  tool: "ask_name",
  async begin(place, input, kill) {
    const client = await connectNext(place, "auto");
    const session = nextSession(client, {}, true);
    const execution = await session.callTool("ask_name", { ...input });
    await kill();
    await execution.detach();
    await session.close();
    await client.close();
  },
  async finish(place, { label }, seen) {
    const client = await connectStock(place, { onQuestion: async () => given });
    const { tasks } = client.experimental;
    const page = await tasks.listTasks();
    const open = page.tasks.filter(({ status }) => status === "input_required");
    for (const { taskId } of open) {
      const { contents } = await client.readResource({ uri: `task://${taskId}` });
      const { questions } = listedTask.parse(JSON.parse(String(Reflect.get(Object(contents[0]), "text"))));
      if (!questions.some(({ message }) => message.includes(label))) continue;
      seen.status(await tasks.getTask(taskId));
      const result = await tasks.getTaskResult(taskId, CallToolResultSchema, { timeout: callTimeoutMs });
      seen.status(await tasks.getTask(taskId));
      await client.close();
      return result;
    }
    throw new Error(`Of ${open.length} tasks that ask, none is the one that was begun.`);
  },
};

/** A plain call whose client goes away; a client of the other era makes the same call. */
function sameCall(first: ClientKind, second: ClientKind): Crossing {
  return {
    clients: `${first.name}; then ${second.name}`,
    how: "a plain call, found by making the same call",
    tool: "count_to",
    async begin(place, input, kill) {
      const client = await first.open(place);
      const abandoned = client.call("count_to", { ...input }, new Seen()).catch(() => {});
      await kill();
      await client.close();
      await abandoned;
    },
    async finish(place, input, seen) {
      const client = await second.open(place);
      const answer = await client.call("count_to", { ...input }, seen);
      await client.close();
      return answer;
    },
  };
}

const crossings = [oldTaskInNewEra, newTaskInOldEra, sameCall(stock, next), sameCall(next, stock)];

/** Each direction between the eras, with the server killed in between. */
export const eraRows: readonly Row[] = (["HTTP", "stdio"] as const).flatMap((over: Over) =>
  crossings.map(
    (crossing): Row => ({
      table: "eras",
      inTests: crossing.tool === "ask_name",
      head: [crossing.clients, over, crossing.how],
      run: (server) => cross(server, crossing),
    }),
  ),
);

async function cross(server: ServerUnderTest, { tool, begin, finish }: Crossing): Promise<Measured> {
  const { place, journals, kill } = server;
  const label = newLabel();
  const seen = new Seen();
  const asks = tool === "ask_name";
  const input = asks ? { label } : { label, n: goal };
  const killed = async () => kill(await (asks ? journals.untilAsked(label) : journals.untilItems(label, 10)));
  await begin(place, input, killed);
  const answer = await finish(place, input, seen);
  const result = asks ? { name: given.content.name } : { counted: goal };
  return judge(server, { label, result, items: itemsTo(asks ? 2 : goal) }, answer, seen);
}
