import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, defineTool, type Store } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serve } from "../src/index.js";

const echo = defineTool({
  name: "echo",
  description: "Gives back what it is given.",
  input: z.object({ text: z.string() }),
  run: async ({ text }) => ({ text }),
});

test("a server whose store is taken away is not ready and says why, until the store is back (G12)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ready-"));
  const directory = join(folder, "store");
  const server = await serve({
    definition: { name: "ready", version: "1.0.0", tools: [echo] },
    store: createFsStore({ directory }),
    port: 0,
  });
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const ask = async (path: string) => {
    const answer = await fetch(new URL(path, server.url));
    return [answer.status, await answer.text()] as const;
  };
  expect(await ask("/readyz")).toEqual([200, "ready\n"]);
  await rename(directory, join(folder, "away"));
  const [status, text] = await ask("/readyz");
  expect([status, text]).toEqual([503, expect.stringMatching(/^STORE_MISSING: The store's folder is not the one/)]);
  expect(text).not.toContain(folder);
  expect(await ask("/healthz")).toEqual([200, "ok\n"]);
  await rename(join(folder, "away"), directory);
  expect(await ask("/readyz")).toEqual([200, "ready\n"]);
});

test("a server whose store is silent is not ready and says so, without waiting for the store, which is asked once", async () => {
  const asked: (() => void)[] = [];
  const store: Store = {
    ...createMemoryStore(),
    checkHealth: () => new Promise((resolve) => asked.push(resolve)),
  };
  const server = await serve({
    definition: { name: "silent", version: "1.0.0", tools: [echo] },
    store,
    port: 0,
    limits: { readyTimeoutMs: 20 },
  });
  onTestFinished(() => server.close());
  const ask = async () => {
    const answer = await fetch(new URL("/readyz", server.url));
    return [answer.status, await answer.text()] as const;
  };
  const silent = [503, "The store has not answered within 0.02 s. Check that it runs and can be reached.\n"];
  expect([await ask(), await ask(), asked.length]).toEqual([silent, silent, 1]);
  for (const answer of asked) answer();
  store.checkHealth = async () => {};
  expect(await ask()).toEqual([200, "ready\n"]);
});

test("a limit that is given as undefined leaves its default", async () => {
  const server = await serve({
    definition: { name: "limits", version: "1.0.0", tools: [echo] },
    store: createMemoryStore(),
    port: 0,
    verifyToken: (token) => ({ token, clientId: "stock", scopes: [], extra: { sub: token } }),
    limits: { requestsPerSecond: undefined, requestBurst: undefined, requestTimeoutMs: undefined },
  });
  onTestFinished(() => server.close());
  const answer = await fetch(server.url, { method: "PUT", headers: { authorization: "Bearer ada" } });
  expect([answer.status, await answer.text()]).toEqual([405, expect.any(String)]);
});

test("a server that drains is not ready and says so, and lives all the same (G8)", async () => {
  const server = await serve({
    definition: { name: "draining", version: "1.0.0", tools: [echo] },
    store: createMemoryStore(),
    port: 0,
  });
  onTestFinished(() => server.close());
  await server.engine.drain();
  const ask = async (path: string) => {
    const answer = await fetch(new URL(path, server.url));
    return [answer.status, await answer.text()] as const;
  };
  expect([await ask("/readyz"), await ask("/healthz")]).toEqual([
    [503, "draining\n"],
    [200, "ok\n"],
  ]);
});
