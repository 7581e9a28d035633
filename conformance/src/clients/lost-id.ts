import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { callTimeoutMs, type ToolAnswer } from "./client-kind.js";
import { connectNext, pinnedVersion } from "./next-client.js";
import type { Place } from "./server-under-test.js";

const listed = z.object({ tasks: z.array(z.object({ task_id: z.string() })) });
const shown = z.object({ status: z.string() });
const unfinished = ["pending", "running", "paused", "input_required"];

/** Finds the one unfinished task of a tool by the control tools, as a client that knows no id, and waits for it. */
export async function findByList(place: Place, tool: string): Promise<ToolAnswer> {
  return withClient(place, async (client) => {
    const query = { task_name: tool, status: unfinished };
    const page = await client.callTool({ name: "list_session_tasks", arguments: query });
    const [task, ...others] = listed.parse(page.structuredContent).tasks;
    return waitFor(client, theOnly(task?.task_id, others.length));
  });
}

/** Finds it among the resources, lets it go on, and reads until it is finished. */
export async function findByResource(place: Place, tool: string): Promise<ToolAnswer> {
  return withClient(place, async (client) => {
    const { resources } = await client.listResources();
    const isOpen = (title = "") => unfinished.some((status) => title === `${tool} (${status})`);
    const [resource, ...others] = resources.filter(({ title }) => isOpen(title));
    const id = theOnly(resource?.name, others.length);
    await client.callTool({ name: "resume_task", arguments: { task_id: id } });
    await readUntil(client, `task://${id}`, "completed");
    return waitFor(client, id);
  });
}

const asked = z.object({ questions: z.array(z.object({ key: z.string(), message: z.string() })).default([]) });

/** Finds the task that asks about something, among the resources. */
export async function findQuestion(client: Client, about: string): Promise<{ taskId: string; key: string }> {
  const { resources } = await client.listResources();
  for (const { name, uri } of resources.filter(({ title }) => title?.includes("input_required"))) {
    const { questions } = asked.parse(await readTask(client, uri));
    const question = questions.find(({ message }) => message.includes(about));
    if (question !== undefined) return { taskId: name, key: question.key };
  }
  throw new Error(`No task among the resources asks about ${about}.`);
}

/** Reads a task as a resource until it has a status. */
async function readUntil(client: Client, uri: string, status: string): Promise<void> {
  for (;;) {
    if (shown.parse(await readTask(client, uri)).status === status) return;
    await sleep(100);
  }
}

async function readTask(client: Client, uri: string): Promise<unknown> {
  // What is fresh enough for the client's cache would be too old here.
  const { contents } = await client.readResource({ uri }, { cacheMode: "bypass" });
  return JSON.parse(String(Reflect.get(Object(contents[0]), "text")));
}

function waitFor(client: Client, id: string): Promise<ToolAnswer> {
  return client.callTool({ name: "wait_for_task", arguments: { task_id: id } }, { timeout: callTimeoutMs });
}

async function withClient<Value>(place: Place, use: (client: Client) => Promise<Value>): Promise<Value> {
  const client = await connectNext(place, { pin: pinnedVersion });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function theOnly(id: string | undefined, others: number): string {
  if (id === undefined || others > 0)
    throw new Error(`Expected one unfinished task, not ${id === undefined ? 0 : others + 1}.`);
  return id;
}
