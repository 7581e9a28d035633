import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { newSchema, testPostgres } from "./database.js";
import {
  type CountingCall,
  callAsTask2026,
  callPlain2026,
  callStock2025,
  callStock2026,
  countTasks,
} from "./replica-clients.js";
import { type Replicas, startReplicas } from "./round-robin.js";
import { testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const total = 40;
const gatedTools = fileURLToPath(new URL("gated-tools-module.js", import.meta.url));
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const database = testPostgres();

/** Where replicas keep their tasks, and how many there are. */
const places = [
  { place: "a folder", replicas: 2, store: async () => ["--store", await testFolder()] },
  {
    place: "PostgreSQL",
    replicas: 3,
    store: async () => ["--store", database.url(), "--store-schema", newSchema()],
  },
];

const clients = 3;

/**
 * Replaces one replica after the other: the next one when all calls have come to 10, 20, 30. None continues from there before the signal
 * is sent, so that each is in flight each time.
 */
async function replaceInMidCall({ replace }: Replicas, replicas: number, signal: "SIGKILL" | "SIGTERM") {
  const gates = await testFolder();
  const seen = new Map<string, number>();
  let next = 0;
  let replaced = Promise.resolve();
  const open = (gate: number) => writeFile(join(gates, String(gate)), "");
  const note = () => {
    const gate = 10 * (next + 1);
    if (seen.size < clients || [...seen.values()].some((progress) => progress < gate)) return;
    const index = next++;
    replaced = replaced.then(async () => {
      const replacing = index < replicas ? replace(index, signal) : undefined;
      await open(gate);
      await replacing;
    });
  };
  return {
    call: (client: string): CountingCall => ({
      name: "count_gated",
      arguments: { gates, client },
      onProgress: (progress) => {
        seen.set(client, Math.max(progress, seen.get(client) ?? 0));
        note();
      },
    }),
    /** Resolves to how many were replaced. */
    done: async () => {
      await replaced;
      return Math.min(next, replicas);
    },
  };
}

const counted = { structuredContent: { counted: total } };
const everyItem = { structuredContent: { items: count(total), total } };

test.each(places)(
  "clients of 2025, of 2026, and of the tasks extension get their results from $place while each of $replicas replicas is killed (G1, G6, G7)",
  async ({ replicas, store }) => {
    const started = await startReplicas(replicas, [gatedTools, ...(await store()), "--owner", "single-user"]);
    const { call, done } = await replaceInMidCall(started, replicas, "SIGKILL");
    const [stock, task, plain] = await Promise.all([
      callStock2025(started.url, call("stock 2025")),
      callAsTask2026(started.url, call("task 2026")),
      callPlain2026(started.url, call("plain 2026")),
    ]);
    expect([stock.result, task.result, plain.result]).toMatchObject([counted, counted, counted]);
    expect(stock.seen).toEqual(count(total));
    expect(stock.items).toMatchObject(everyItem);
    expect(task.statuses).toEqual(["working", "completed"]);
    expect(plain.calls).toBeGreaterThan(1);
    expect(await done()).toBe(replicas);
    expect(await countTasks(started.url)).toBe(3);
  },
);

test.each(places)(
  "they see no error while each of $replicas replicas on $place is stopped by SIGTERM (G1, G6, G7)",
  async ({ replicas, store }) => {
    const started = await startReplicas(replicas, [gatedTools, ...(await store()), "--owner", "single-user"]);
    const { call, done } = await replaceInMidCall(started, replicas, "SIGTERM");
    const [stock, task, next] = await Promise.all([
      callStock2025(started.url, call("stock 2025")),
      callAsTask2026(started.url, call("task 2026")),
      callStock2026(started.url, call("stock 2026")),
    ]);
    expect([stock.result, task.result, next.result]).toMatchObject([counted, counted, counted]);
    expect(stock.seen).toEqual(count(total));
    expect(stock.items).toMatchObject(everyItem);
    expect(task.statuses).toEqual(["working", "completed"]);
    expect([stock.errors, task.errors, next.errors]).toEqual([[], [], []]);
    expect(await done()).toBe(replicas);
    expect(await countTasks(started.url)).toBe(3);
  },
);

test.each(places)(
  "a client of 2025 is asked once, though each of $replicas replicas on $place is killed before it answers (G1, G6, G9)",
  async ({ replicas, store }) => {
    const started = await startReplicas(replicas, [toolsModule, ...(await store()), "--owner", "single-user"]);
    const { client } = await connectStock(started.url, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params: { message } }) => {
      asked.push(message);
      for (let index = 0; index < replicas; index++) await started.replace(index, "SIGKILL");
      return { action: "accept", content: { name: "Ada" } };
    });
    const seen: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => void seen.push(progress);
    const call = { name: "ask_name", arguments: {} };
    const result = await client.callTool(call, undefined, { onprogress, timeout: 120_000 });
    expect(result).toMatchObject({ content: [{ text: "Ada" }] });
    expect({ asked, seen }).toEqual({ asked: ["Your name?"], seen: [1, 2] });
    expect(await countTasks(started.url)).toBe(1);
  },
);
