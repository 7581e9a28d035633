import { type Client, type ClientEvent, openClient, type TaskResult } from "@resumable-mcp/client";
import { runCommand } from "@resumable-mcp/command-line";
import { parseFlags } from "@resumable-mcp/command-line/options";
import { z } from "zod";
import { packageVersion } from "./package-version.js";
import { type ClientLine, countRecords, expectedIds, job, jobArguments, readRecords } from "./story/job.js";
import { digestRecords } from "./tools/processed-record.js";

const flags = { url: { type: "string" }, state: { type: "string" }, "delay-ms": { type: "string" } } as const;
const places = z.object({ url: z.string(), state: z.string(), "delay-ms": z.coerce.number() });

await runCommand("story-client", async () => {
  const { values } = parseFlags(process.argv.slice(2), flags);
  const { url, state, "delay-ms": delayMs } = places.parse(values);
  const client = await openClient({
    servers: [{ url }],
    stateFile: state,
    clientInfo: { name: "resumable-mcp-demo", version: packageVersion },
  });
  try {
    const { id, events, result } = await findOrStart(client, delayMs);
    for await (const event of events) tell(event);
    await count(client, id, await result());
  } finally {
    await client.close();
  }
});

/** A client that was killed finds its task again; one that was not begins it. */
async function findOrStart({ unfinished, task, call }: Client, delayMs: number) {
  const found = (await unfinished()).find(({ tool }) => tool === job.tool);
  if (found !== undefined) {
    say({ kind: "found", taskId: found.id, percent: found.percent ?? 0 });
    const handle = task(found.id);
    return { id: found.id, events: handle.follow(), result: () => handle.result() };
  }
  const started = await call(job.tool, jobArguments(delayMs));
  if (started.taskId === undefined) throw new Error("The server answered without a task.");
  say({ kind: "started", taskId: started.taskId });
  return { id: started.taskId, events: started.events(), result: () => started.result() };
}

function tell(event: ClientEvent): void {
  if (event.type === "reconnecting") say({ kind: "disconnected", reason: event.reason });
  if (event.type === "reconnected") say({ kind: "connected" });
  if (event.type === "log" && event.level !== "debug") say({ kind: "log", text: String(event.data) });
  if (event.type === "progress") {
    const { progress, total = job.total, message = "" } = event;
    say({ kind: "progress", progress, total, message });
  }
}

async function count(client: Client, id: string, result: TaskResult): Promise<void> {
  if (result.isError) throw new Error(result.text);
  const records = await readRecords(client, id);
  const ids = records.map((record) => record.record_id);
  const { digest: reportedDigest } = z.object({ digest: z.string() }).parse(result.structuredContent);
  say({ kind: "finished", count: countRecords(ids, expectedIds), digest: digestRecords(records), reportedDigest });
}

function say(line: ClientLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
