import { spawn } from "node:child_process";
import { once } from "node:events";
import { isFinal, type Store } from "@resumable-mcp/core";
import { describe, expect, test } from "vitest";
import { observerPoints } from "../src/disk/store-context.js";
import { builtProgram } from "./built-program.js";
import {
  artifactChunks,
  checkpoint,
  checkpoints,
  crashLimits,
  crashNow,
  crashTask,
  type Fact,
  longId,
  shortId,
  take,
} from "./crash-work.js";
import { emptyFolder, openStore } from "./scene.js";

const program = builtProgram("crash-child");

interface Death {
  readonly facts: readonly Fact[];
  /** It reached the point and died there. */
  readonly killed: boolean;
}

async function dieAt(directory: string, durability: string, point: string, nth: number): Promise<Death> {
  const child = spawn(process.execPath, [program, directory, durability, point, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code, signal]: unknown[] = await once(child, "close");
  if (signal !== "SIGKILL") expect(code).toBe(0);
  const facts = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Fact => JSON.parse(line));
  return { facts, killed: signal === "SIGKILL" };
}

function isKnown(facts: readonly Fact[], kind: Fact["kind"], id: string): boolean {
  return facts.some((fact) => fact.kind === kind && fact.id === id);
}

/** Nothing that was acknowledged is lost. */
async function expectKept(store: Store, facts: readonly Fact[]): Promise<void> {
  const long = (await store.getTask(longId))?.record;
  if (isKnown(facts, "created", longId)) expect(long).toBeDefined();
  const committed = facts.findLast((fact) => fact.kind === "committed");
  if (committed?.kind === "committed") {
    expect(long?.lastSeq).toBeGreaterThanOrEqual(committed.lastSeq);
    expect(long?.itemCount).toBeGreaterThanOrEqual(committed.items);
  }
  if (isKnown(facts, "answered", longId)) {
    const second = store.signal(longId, { kind: "answer", key: "go", answer: { action: "cancel" } });
    await expect(second).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
  }
  if (long?.remembered["data.bin"] !== undefined) {
    const chunks = await Promise.all(artifactChunks.map((_, index) => store.readChunk(longId, "1-1", index)));
    expect(chunks.map((chunk) => chunk && new Uint8Array(chunk))).toEqual(artifactChunks);
  }
  if (isKnown(facts, "finished", longId)) expect(long?.status).toBe("completed");
  const short = (await store.getTask(shortId))?.record;
  if (isKnown(facts, "deleted", shortId)) expect(short).toBeUndefined();
  else if (isKnown(facts, "restarted", shortId) && short !== undefined) expect(short.generation).toBe(2);
}

/** What is listed is what is there, each task once. */
async function expectListed(store: Store): Promise<void> {
  const there: string[] = [];
  for (const id of [longId, shortId]) if ((await store.getTask(id)) !== undefined) there.push(id);
  const listed = (await store.listTasks({ limit: 10 })).tasks.map(({ id }) => id);
  expect(listed.filter((id) => there.includes(id))).toEqual(listed);
  expect(new Set(listed).size).toBe(listed.length);
  expect((await store.countTasks({})).total).toBe(listed.length);
}

/** The same call comes again: the work continues where it was, nothing is missing and nothing is done twice. */
async function expectFinishable(store: Store): Promise<void> {
  const { snapshot } = await store.createTask({ task: crashTask(longId), reuseResultMs: 0, now: crashNow });
  let { lastSeq, itemCount } = snapshot.record;
  if (!isFinal(snapshot.record.status)) {
    const lease = await take(store, longId);
    for (; itemCount < checkpoints; itemCount += 1) {
      const events = [checkpoint(itemCount)];
      lastSeq = (await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now: crashNow })).record.lastSeq;
    }
    const events = [{ type: "completed", output: "done" }] as const;
    await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now: crashNow });
    await store.releaseLease(lease);
  }
  const { items } = await store.readItems(longId, { after: 0, limit: 1_000 });
  expect(items).toEqual(Array.from({ length: checkpoints }, (_, index) => index));
  await expectListed(store);
}

describe.each(["process", "machine"] as const)("durability %s", (durability) => {
  const outside = new Set(["store.quarantine.moved"]);

  test.each(observerPoints.filter((point) => !outside.has(point)))(
    "loses nothing that was acknowledged when the process dies at %s",
    async (point) => {
      for (const nth of [1, 2, 7]) {
        const directory = emptyFolder();
        const { facts, killed } = await dieAt(directory, durability, point, nth);
        if (nth === 1 && !(durability === "process" && point === "store.commit.synced")) expect(killed).toBe(true);
        const store = openStore(directory, { durability, limits: crashLimits });
        await expectKept(store, facts);
        await expectListed(store);
        await expectFinishable(store);
        await store.close();
        if (!killed) break;
      }
    },
  );
});
