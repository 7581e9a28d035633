import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, defineTool, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { build } from "tsup";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { withWebhook } from "../src/webhook/with-webhook.js";
import { databaseUrl, newDatabase, usePostgres } from "./database.js";
import type { WebhookChild } from "./webhook-child.js";
import { secret, startReceiver } from "./webhook-receiver.js";

usePostgres();

// Below the package: what is not bundled is found from there.
const outDir = mkdtempSync(join(import.meta.dirname, "..", "node_modules", ".webhook-"));
const folders = mkdtempSync(join(tmpdir(), "webhook-"));

beforeAll(async () => {
  const migrations = "../../store-postgres/src/database/migrations";
  await cp(join(import.meta.dirname, migrations), join(outDir, "migrations"), { recursive: true });
  await build({
    entry: [join(import.meta.dirname, "webhook-child.ts")],
    outDir,
    config: false,
    format: "esm",
    target: "node20",
    platform: "node",
    noExternal: [/^(?!pg$)/],
    external: ["pg"],
    silent: true,
    outExtension: () => ({ js: ".mjs" }),
    esbuildOptions(options) {
      options.conditions = ["@resumable-mcp/source"];
    },
  });
});

afterAll(async () => {
  for (const folder of [outDir, folders]) await rm(folder, { recursive: true, force: true });
});

/** Runs the child to its end. @returns what ended it, and what it printed. */
async function runChild(given: WebhookChild) {
  const child = spawn(process.execPath, [join(outDir, "webhook-child.mjs"), JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code, signal]: unknown[] = await once(child, "close");
  return { end: signal ?? code, output };
}

const stores = {
  "a folder": () => ({ folder: mkdtempSync(join(folders, "store-")) }),
  PostgreSQL: () => ({ database: { connectionString: databaseUrl(), schema: newDatabase().at(-1) ?? "" } }),
};

const points = (["putDocument", "commit", "deleteDocument"] as const).flatMap((method) =>
  [false, true].flatMap((after) => [1, 2].map((nth) => ({ method, after, nth }))),
);

/** Opens what the child opens, in this process. */
function openPlace({ folder, database }: Pick<WebhookChild, "folder" | "database">): Store {
  if (folder !== undefined) return createFsStore({ directory: folder, durability: "process" });
  return createPostgresStore({ ...database });
}

const add = defineTool({
  name: "add",
  description: "Adds one.",
  input: z.object({ n: z.number() }),
  run: async ({ n }) => ({ sum: n + 1 }),
});

describe.each(Object.entries(stores))("on %s", (_, place) => {
  test("two servers that share the store, and look for messages all the time, send each once", async () => {
    const { url, received } = await startReceiver();
    const given = place();
    const said: string[] = [];
    const engines = [0, 1].map(() => {
      const options = { url, keys: [Buffer.from(secret.slice("whsec_".length), "base64")], limits: { lookEveryMs: 5 } };
      const store = withWebhook(openPlace(given), { ...options, onProblem: (sentence) => said.push(sentence) });
      const engine = createEngine({ store, tools: [add] });
      onTestFinished(() => engine.close());
      return engine;
    });
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_each, n) => {
        const tasks = engines[n % 2]?.forOwner("sub:alice");
        const started = await tasks?.start({ tool: "add", input: { n } });
        await tasks?.wait(started?.record.id ?? "");
        return started?.record.id;
      }),
    );
    const idleSinceMs = 8.64e15;
    const left = () => engines[0]?.documents.listIdleDocuments({ kind: "webhook", idleSinceMs, limit: 1 });
    await expect.poll(left).toEqual([]);
    expect(received.map(({ body }) => JSON.parse(body).id).sort()).toEqual([...ids].sort());
    expect(said).toEqual([]);
  });

  test.each(points)("SIGKILL at $method (after it: $after), the time $nth, loses no message (G1.3)", async (killAt) => {
    const { url, received } = await startReceiver();
    const key = secret.slice("whsec_".length);
    const given = { ...place(), url: url.href, key };
    expect((await runChild({ ...given, killAt, aheadMs: 0 })).end).toBe("SIGKILL");
    const { end, output } = await runChild({ ...given, aheadMs: 120_000 });
    expect(end).toBe(0);
    const id = output.trim().split(" ").at(-1);
    const messages = new Map(received.map((message) => [message.id, message.body]));
    const bodies = [...messages.values()].map((body) => JSON.parse(body));
    expect(bodies.map(({ status }) => status).sort()).toEqual(["completed", "input_required"]);
    expect(bodies.map((body) => body.id)).toEqual([id, id]);
    // A repetition has the id and the body of what it repeats.
    for (const message of received) expect(message).toMatchObject({ isSigned: true, body: messages.get(message.id) });
  });
});
