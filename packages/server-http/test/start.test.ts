import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createMemoryStore, defineTool, ResumableError, type Store } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type ServeOptions, serve } from "../src/index.js";
import { startProgram, testFolder, toolsModule } from "./server-process.js";

const echo = defineTool({
  name: "echo",
  description: "Gives back what it is given.",
  input: z.object({ text: z.string() }),
  run: async ({ text }) => ({ text }),
});
const away = new ResumableError("STORE_READ_FAILED", "The database is away.", {
  details: { path: "task", reason: "gone" },
});
const definition = { name: "start", version: "1.0.0", tools: [echo] };

/** A store that fails once at each read that a start makes, with an error that the test chooses. */
function failingStore(errors: { readonly [Method in "open" | "heartbeat" | "listOffers" | "listTasks"]?: unknown }) {
  const memory = createMemoryStore();
  const left = new Map(Object.entries(errors));
  const once =
    <Parameters extends readonly unknown[], Result>(name: string, method: (...of: Parameters) => Promise<Result>) =>
    async (...of: Parameters): Promise<Result> => {
      const error = left.get(name);
      if (!left.delete(name)) return method(...of);
      throw error;
    };
  const store: Store = {
    ...memory,
    open: once("open", memory.open),
    heartbeat: once("heartbeat", memory.heartbeat),
    listOffers: once("listOffers", memory.listOffers),
    listTasks: once("listTasks", memory.listTasks),
  };
  return { store, left };
}

test("a start waits for a database that goes away at any of the start's reads (G12)", async () => {
  const { store, left } = failingStore({ open: away, heartbeat: away, listOffers: away, listTasks: away });
  const said: string[] = [];
  const server = await serve({
    definition,
    store,
    storeWait: { waitMs: 600_000, isServerAway: (error) => error === away, pauseMs: 1 },
    port: 0,
    log: (_level, message) => said.push(message),
  });
  onTestFinished(() => server.close());
  expect([[...left.keys()], said]).toEqual([[], ["The database is away. Waiting for it up to 600 s."]]);
  expect((await fetch(new URL("/readyz", server.url))).status).toBe(200);
});

test("a wrong address of a proxy ends the start before it opens the store", async () => {
  const { store, left } = failingStore({ open: away });
  await expect(serve({ definition, store, port: 0, trustedProxies: ["proxy.example"] })).rejects.toThrow(
    '--trusted-proxy: "proxy.example" is not an address or a network',
  );
  expect(left.size).toBe(1);
});

test("a start that fails leaves nothing open: neither at a port that is in use, nor at bans that cannot be read", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === "object" ? address?.port : 0;
  const closed: string[] = [];
  const start = (name: string, options: Partial<ServeOptions>) => {
    const memory = createMemoryStore();
    const close = async () => {
      closed.push(name);
      await memory.close();
    };
    const listIdleDocuments: Store["listIdleDocuments"] = (request) =>
      request.kind === "ban" ? Promise.reject(away) : memory.listIdleDocuments(request);
    return serve({ definition, store: { ...memory, close, listIdleDocuments }, port: 0, ...options });
  };
  await expect(start("port", { port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  await expect(start("bans", { verifyToken: () => undefined })).rejects.toBe(away);
  expect(closed).toEqual(["port", "bans"]);
});

test("SIGHUP ends a server that has nothing to read again, as the end of its terminal does, of which it hears nothing more", async () => {
  const { child, said } = startProgram([toolsModule, "--port", "0", "--store", await testFolder()]);
  await said(/^listening on /);
  child.stderr?.destroy();
  child.kill("SIGHUP");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("SIGHUP reads the token file again while the start waits for its database", async () => {
  const tokens = join(await testFolder(), "tokens");
  await writeFile(tokens, "abcdefghijkl0123456789 alice\n", { mode: 0o600 });
  const store = ["--store", "postgres://app@127.0.0.1:1/app"];
  const { child, said } = startProgram([toolsModule, ...store, "--token-file", tokens]);
  await said(/Waiting for it up to 30 s/);
  await writeFile(tokens, "broken\n");
  child.kill("SIGHUP");
  await said(/The tokens of before stay/);
});

test("SIGHUP opens another audit log where the one of before was moved away, and stops nothing", async () => {
  const folder = await testFolder();
  const [file, moved] = [join(folder, "audit.jsonl"), join(folder, "audit.1.jsonl")];
  const args = [toolsModule, "--port", "0", "--store", await testFolder(), "--audit-log", file];
  const { child, said } = startProgram(args);
  const url = await said(/^listening on (\S+)$/);
  await rename(file, moved);
  child.kill("SIGHUP");
  await expect.poll(() => existsSync(file)).toBe(true);
  const answer = await fetch(url, { method: "PUT" });
  expect([answer.status, await answer.text()]).toEqual([405, expect.any(String)]);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ log: "audit", http: "PUT", status: 405 });
  expect(await readFile(moved, "utf8")).toBe("");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a start that meets anything else, or that may not wait, ends at once", async () => {
  const refused = new ResumableError("STORE_READ_FAILED", "Permission denied.", {
    details: { path: "task", reason: "42501" },
  });
  const isServerAway = (error: unknown) => error === away;
  const start = (error: unknown, waitMs: number) =>
    serve({
      definition,
      store: failingStore({ listTasks: error }).store,
      storeWait: { waitMs, isServerAway },
      port: 0,
    });
  await expect(start(refused, 600_000)).rejects.toBe(refused);
  await expect(start(away, 0)).rejects.toBe(away);
});
