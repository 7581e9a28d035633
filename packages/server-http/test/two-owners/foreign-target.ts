import { defineTool, type Engine, type JsonObject, type TaskStatus } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { randomToken } from "@resumable-mcp/mcp/stdio";
import { z } from "zod";
import type { RawCaller } from "./raw-caller.js";

/** What a route tries to reach: something of another owner's, or something that was never there. */
export interface Target {
  /** Of a task. */
  readonly id: string;
  /** What the task's call had as its argument. */
  readonly label: string;
  readonly subject: string;
  /** Of an event of a stream. */
  readonly cursor: string;
  readonly session: string;
  /** Of a call that was asked for input. */
  readonly requestState: string;
}

/** In what state the target is: a task, or a stream. */
export type TargetKind = "running" | "asking" | "paused" | "done" | "stream" | "once" | "standalone" | "state";

const form = { message: "Which name?", schema: z.object({ name: z.string() }) };

const releases = new Map<string, () => void>();

/** Checkpoints once; `hold` keeps it from ending. */
const gated = defineTool({
  name: "gated",
  description: "Stands at a checkpoint.",
  input: z.object({ label: z.string(), hold: z.boolean() }),
  state: {},
  async *run({ label, hold }, task) {
    await task.artifact("secret.txt", label);
    yield { progress: 1, total: 2, append: [label] };
    if (hold) {
      await new Promise<void>((resolve, reject) => {
        releases.set(label, resolve);
        task.signal.addEventListener("abort", reject);
      });
      yield { progress: 1, total: 2 };
    }
    return { label };
  },
});

const asking = defineTool({
  name: "asking",
  description: "Asks its user.",
  input: z.object({ label: z.string(), hold: z.boolean() }),
  state: {},
  async *run({ label }, task) {
    yield { progress: 1, total: 2, append: [label] };
    const answer = await task.ask("name", form);
    return { label, answer: answer.action };
  },
});

/** The server that everybody calls. */
export const definition = defineServer({
  name: "two-owners",
  version: "1.0.0",
  tools: [gated, asking],
  panel: "<!doctype html><html><head></head><body></body></html>",
  setup(server) {
    server.registerTool("ordinary", { description: "Never ends.", inputSchema: { label: z.string() } }, () => {
      return new Promise(() => {});
    });
  },
});

/** Lets a held task go on. */
export function release({ label }: Pick<Target, "label">): void {
  releases.get(label)?.();
}

/** Makes a target for its owner, and waits until it stands still. */
export async function makeTarget(kind: TargetKind, owner: RawCaller, engine: Engine): Promise<Target> {
  const target = { ...unknownTarget(kind), subject: owner.subject };
  if (kind === "once" || kind === "standalone" || kind === "stream") return openStream(kind, owner, target);
  if (kind === "state") return askForInput(owner, target);
  const tasks = engine.forOwner(await owner.owner());
  const tool = kind === "asking" ? "asking" : "gated";
  const input = { label: target.label, hold: kind !== "done" };
  const { record } = await tasks.start({ tool, input, detached: true });
  const { id } = record;
  const wanted: TaskStatus = standing[kind];
  for await (const _event of tasks.follow(id)) {
    const view = await tasks.get(id);
    if (view.record.progress < 1) continue;
    // The requested state is reached, and no request is open.
    if (view.status === wanted && (await engine.readTask(id))?.signals.length === 0) break;
    if (kind !== "paused" || view.status !== "running" || view.requested === "pause") continue;
    await tasks.pause(id);
    release(target);
  }
  return { ...target, id };
}

const standing = { running: "running", asking: "input_required", paused: "paused", done: "completed" } as const;

async function openStream(kind: "stream" | "once" | "standalone", owner: RawCaller, target: Target): Promise<Target> {
  const { session } = await owner.initialize();
  const inSession = { "mcp-session-id": session };
  const name = kind === "once" ? "ordinary" : "gated";
  const params = { name, arguments: { label: target.label, hold: true }, _meta: { progressToken: 1 } };
  const message: JsonObject = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const read = await owner.stream(kind === "standalone" ? undefined : message, inSession);
  const text = await read((sofar) => sofar.includes(kind === "stream" ? '"progress":1' : "\n\n"));
  const cursor = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  return { ...target, session, cursor, id: kind === "stream" ? (cursor.split(".")[0] ?? "") : target.id };
}

async function askForInput(owner: RawCaller, target: Target): Promise<Target> {
  const call = { name: "asking", arguments: { label: target.label, hold: true } };
  const { body } = await owner.send2026("tools/call", call, { plain: true });
  const requestState = /"requestState":"([^"]+)"/.exec(body)?.[1] ?? "";
  const roundTrip: { task: string } = JSON.parse(Buffer.from(requestState.split(".")[1] ?? "", "base64url").toString());
  return { ...target, requestState, id: roundTrip.task };
}

/** What no caller owns, in the same shape. */
export function unknownTarget(kind: TargetKind): Target {
  const id = randomToken(22);
  const roundTrip = { task: id, seq: 4, until: Date.now() + 1_000_000 };
  const fact = Buffer.from(JSON.stringify([7, "tools/call", "ordinary"])).toString("base64url");
  const streams = { once: `once_${randomToken(16)}_${fact}.0`, standalone: `all_${randomToken(9)}.0` };
  return {
    id,
    label: `label-${randomToken(8)}`,
    subject: `unknown-${randomToken(8)}`,
    cursor: kind === "once" || kind === "standalone" ? streams[kind] : `${id}.3`,
    session: randomToken(32),
    requestState: `rmcp1.${Buffer.from(JSON.stringify(roundTrip)).toString("base64url")}.${randomToken(43)}`,
  };
}
