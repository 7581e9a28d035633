import { readFile } from "node:fs/promises";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { childrenOf, connectHost, killServer, runToEnd, toolsModule } from "./stdio-host.js";

const timeoutMs = 240_000;
let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database?.stop());

const urlWith = (parts: Partial<Pick<URL, "password" | "port">>): string =>
  Object.assign(new URL(database.url), parts).href;

test("G5 a call survives SIGKILL of a server whose tasks are in PostgreSQL, and no list of processes shows the password", async () => {
  const { client, transport } = await connectHost([toolsModule, "--store", database.url, "--store-schema", "stdio"]);
  const seen: number[] = [];
  const args: string[] = [];
  const result = await client.callTool({ name: "count_to", arguments: { n: 20 } }, undefined, {
    timeout: timeoutMs,
    onprogress: async ({ progress }) => {
      seen.push(progress);
      if (progress !== 3) return;
      for (const pid of [transport.pid, ...(await childrenOf(transport.pid))]) {
        args.push(await readFile(`/proc/${pid}/cmdline`, "utf8"));
      }
      await killServer(transport.pid);
    },
  });
  expect(result).toMatchObject({ structuredContent: { counted: 20 } });
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  expect(args.map((text) => text.replaceAll("\0", ""))).toEqual(["resumable-mcp-stdio", "resumable-mcp-stdio"]);
  const task_id = result._meta?.["resumable-mcp/task_id"];
  const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
  expect(items).toMatchObject({ structuredContent: { total: 20 } });
});

test("a database that cannot be used is a call's error, in a sentence without the password", async () => {
  const cases: [string, RegExp][] = [
    [urlWith({ password: "not-shown" }), /28P01: password authentication failed .* Check user and password/],
    [urlWith({ port: "1" }), /ECONNREFUSED\)\. Check that the server runs/],
  ];
  for (const [url, sentence] of cases) {
    const { client, output } = await connectHost([toolsModule, "--store", url]);
    const answer = await client.callTool({ name: "count_to", arguments: { n: 1 } });
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { message: expect.stringMatching(sentence) } },
    });
    await client.close();
    expect(output.stderr).not.toMatch(/not-shown|\n\s+at /);
  }
});

test("a host's configuration gets the database's flags, and never a password", async () => {
  const bare = urlWith({ password: "" });
  const more = ["--store-schema", "mine"];
  const { stdout } = await runToEnd([toolsModule, "--print-config", "cursor", "--store", bare, ...more]);
  expect(JSON.parse(stdout).mcpServers["crash-tools"].args.slice(4)).toEqual(["--store", bare, ...more]);
  const refused = await runToEnd([toolsModule, "--print-config", "cursor", "--store", database.url]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/--store holds a password, which does not belong into a configuration file/);
});
