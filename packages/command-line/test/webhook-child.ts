import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { systemClock } from "@resumable-mcp/core/internal";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { createFsStore } from "@resumable-mcp/store-fs";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { z } from "zod";
import { withWebhook } from "../src/webhook/with-webhook.js";

/** What the process does, as its argument. */
export interface WebhookChild {
  readonly folder?: string;
  readonly database?: { readonly connectionString: string; readonly schema: string };
  readonly url: string;
  readonly key: string;
  /** The process kills itself before or after the nth of these calls of its store that are about the webhook. */
  readonly killAt?: {
    readonly method: "putDocument" | "commit" | "deleteDocument";
    readonly after: boolean;
    readonly nth: number;
  };
  /** How far its clock is ahead: claims of the process before it are over. */
  readonly aheadMs: number;
}

/** Runs one task, which asks and completes, answers it, and says `done` when all messages were delivered. */
const given: WebhookChild = JSON.parse(process.argv[2] ?? "");
const { folder: directory, database, url, key, killAt, aheadMs } = given;
let left = killAt?.nth ?? 0;

function killIf(isPoint: boolean): void {
  if (!isPoint) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const plain: Store =
  directory === undefined ? createPostgresStore({ ...database }) : createFsStore({ directory, durability: "process" });

type Method = NonNullable<WebhookChild["killAt"]>["method"];

/** Makes a call, and dies before or after it. Calls that are not about the webhook pass by. */
async function dying<Result>(method: Method, isMeant: boolean, call: () => Promise<Result>): Promise<Result> {
  const isPoint = killAt?.method === method && isMeant;
  killIf(isPoint && !killAt.after);
  const result = await call();
  killIf(isPoint && killAt.after);
  return result;
}

const isSent = ({ type }: TaskEventBody) => type === "asked" || type === "completed";
const store: Store = {
  ...plain,
  putDocument: (request) => dying("putDocument", request.kind === "webhook", () => plain.putDocument(request)),
  deleteDocument: (kind, id) => dying("deleteDocument", kind === "webhook", () => plain.deleteDocument(kind, id)),
  commit: (request) => dying("commit", request.events.some(isSent), () => plain.commit(request)),
};

const ask = defineTool({
  name: "ask",
  description: "Asks.",
  input: z.object({}),
  state: {},
  async *run(_, task) {
    yield { progress: 1 };
    await task.ask("name", { message: "Who?", schema: z.object({ name: z.string() }) });
    return { done: true };
  },
});

const engine = createEngine({
  store: withWebhook(store, {
    url: new URL(url),
    keys: [Buffer.from(key, "base64")],
    clock: { ...systemClock, wallMs: () => Date.now() + aheadMs },
    limits: { lookEveryMs: 20, claimMs: 3_000, timeoutMs: 2_000 },
    onProblem: (sentence) => console.error(sentence),
  }),
  tools: [ask],
  limits: { leaseTtlMs: 2_000, heartbeatMs: 300, pollMs: 100, crashBackoffMs: 0 },
  onError: (error) => console.error(error),
});
const tasks = engine.forOwner("sub:alice");
const { record } = await tasks.start({ tool: "ask", input: {}, detached: true });
for (let status = record.status; status !== "completed"; status = (await tasks.get(record.id)).status) {
  const waited = await tasks.wait(record.id, { timeoutMs: 1_000 });
  if (waited.reason === "input_required")
    await tasks.answer(record.id, "name", { action: "accept", content: { name: "n" } });
}
const isDelivered = async () =>
  (await plain.listIdleDocuments({ kind: "webhook", idleSinceMs: 8.64e15, limit: 1 })).length === 0;
while (!(await isDelivered())) await new Promise((resolve) => setTimeout(resolve, 20));
console.log("done", record.id);
await engine.close();
