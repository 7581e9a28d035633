import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import pg from "pg";
import { expect, test } from "vitest";
import { networkTo, newSchema, testPostgres } from "./database.js";
import { afterwards, runToEnd, startServer, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";
import { rawCaller } from "./two-owners/raw-caller.js";

const timeoutMs = 240_000;
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
const database = testPostgres();
const storeProgram = join(
  dirname(fileURLToPath(import.meta.resolve("@resumable-mcp/command-line/package.json"))),
  "dist",
  "store",
  "cli.js",
);

/** The arguments of a server on the tests' database. */
function argumentsFor(schema: string, port = 0, url = database.url()): readonly string[] {
  return [toolsModule, "--port", String(port), "--store", url, "--store-schema", schema];
}

async function runSql(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: database.url() });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

/** The database's URL with other parts. */
function urlWith(parts: Partial<Pick<URL, "username" | "password" | "pathname" | "port">>): string {
  return Object.assign(new URL(database.url()), parts).href;
}

async function ready(server: { readonly url: string }): Promise<readonly [number, string]> {
  const answer = await fetch(new URL("/readyz", server.url));
  return [answer.status, await answer.text()];
}

test("G5 calls in flight survive SIGKILL of a server whose tasks are in PostgreSQL: each item once, in both eras", async () => {
  const schema = newSchema();
  const start = (port = 0) => startServer(argumentsFor(schema, port), { RESUMABLE_MCP_RETRY: "4s" });
  let server = await start();
  const { client } = await connectStock(server.url);
  const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
  const identity = { subject: "raw", owner: `client:local/${clientId}`, headers: {}, clientId };
  const raw = rawCaller(server.url, identity);
  afterwards(async () => raw.close());
  // The specification ends a plain call of 2026 with its stream; the same call joins its task.
  const call2026 = async (): Promise<string> => {
    for (;;) {
      const answer = await raw
        .send2026("tools/call", { name: "count_to", arguments: { n: 41 } }, { plain: true })
        .catch(() => undefined);
      if (answer?.body.includes('"result"')) return answer.body;
    }
  };
  const seen: number[] = [];
  let restarted: Promise<void> | undefined;
  const restart = async () => {
    await server.kill();
    server = await start(server.port);
  };
  const onprogress = ({ progress }: Progress) => {
    seen.push(progress);
    if (progress === 5) restarted ??= restart();
  };
  const other = call2026();
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, {
    onprogress,
    timeout: timeoutMs,
  });
  await restarted;
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect(seen).toEqual(count(40));
  const items = await client.callTool({
    name: "get_task_items",
    arguments: { task_id: result._meta?.["resumable-mcp/task_id"] },
  });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
  const [, taskId] = /"resumable-mcp\/task_id":"([^"]+)"/.exec(await other) ?? [];
  const { body } = await raw.send2026("tools/call", { name: "get_task_items", arguments: { task_id: taskId ?? "" } });
  const texts = body.split("\n").map((line) => line.replace(/^data: /, ""));
  const message = texts.find((text) => text.startsWith("{")) ?? "{}";
  expect(JSON.parse(message)).toMatchObject({ result: { structuredContent: { items: count(41), total: 41 } } });
});

test("a call moves with its session from a folder to PostgreSQL: drain, export, import, start (G5)", async () => {
  const folder = await testFolder();
  const [directory, file, schema] = [join(folder, "store"), join(folder, "tasks.jsonl"), newSchema()];
  const place = ["--store", database.url(), "--store-schema", schema];
  const operate = (...args: string[]) => promisify(execFile)(process.execPath, [storeProgram, ...args]);
  const first = await startServer([toolsModule, "--port", "0", "--store", directory], {
    RESUMABLE_MCP_DRAIN_RETRY: "8s",
  });
  const { client } = await connectStock(first.url);
  const seen: number[] = [];
  let moved: Promise<void> | undefined;
  const move = async () => {
    await first.stop("SIGTERM");
    await operate("export", "--store", directory, "--to", file);
    await operate("import", file, ...place);
    await startServer(argumentsFor(schema, first.port));
  };
  const onprogress = ({ progress }: Progress) => {
    seen.push(progress);
    if (progress === 5) moved ??= move();
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, {
    onprogress,
    timeout: timeoutMs,
  });
  await moved;
  expect([result.structuredContent, seen]).toEqual([{ counted: 40 }, count(40)]);
  const task_id = result._meta?.["resumable-mcp/task_id"];
  const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
  await operate("check", ...place);
});

test("no password is shown: in the list of processes, in the banner, in the log; one may come from a file or PGPASSWORD", async () => {
  const { password, username } = new URL(database.url());
  const file = join(await testFolder(), "password");
  await writeFile(file, `${password}\n`);
  const bare = urlWith({ password: "" });
  const ways: [string, string[], Record<string, string>][] = [
    [database.url(), [], {}],
    [bare, ["--store-password-file", file], {}],
    [
      bare,
      [],
      { PGPASSWORD: password, RESUMABLE_MCP_STORE_CONNECTIONS: "3", RESUMABLE_MCP_STORE_DURABILITY: "process" },
    ],
  ];
  for (const [url, more, env] of ways) {
    const server = await startServer([...argumentsFor(newSchema(), 0, url), ...more], env);
    const { client } = await connectStock(server.url);
    expect(await client.callTool({ name: "count_to", arguments: { n: 1 } })).toMatchObject({
      structuredContent: { counted: 1 },
    });
    expect(await readFile(`/proc/${server.pid}/cmdline`, "utf8")).not.toContain(`${username}:${password}`);
    const { stderr } = await server.stop("SIGTERM");
    expect(stderr).not.toContain(password);
  }
});

test("a database that starts later is waited for; one that goes away makes the server unready until it is back", async () => {
  const network = await networkTo(database.url());
  const starting = startServer(argumentsFor(newSchema(), 0, network.url), {}, undefined, (line) => {
    if (line.includes("Waiting for it up to 30 s")) void network.up();
  });
  const server = await starting;
  expect(await ready(server)).toEqual([200, "ready\n"]);
  await network.down();
  const advice = "Check that the server runs and can be reached; the store connects again by itself.";
  const away = /^STORE_READ_FAILED: The store could not be read \((.*)\)\. (.*)\n$/.exec((await ready(server))[1]);
  expect(away?.[2]).toBe(advice);
  expect((await ready(server))[0]).toBe(503);
  await network.up();
  await expect.poll(() => ready(server)).toEqual([200, "ready\n"]);
  const { client } = await connectStock(server.url);
  expect(await client.callTool({ name: "count_to", arguments: { n: 2 } })).toMatchObject({
    structuredContent: { counted: 2 },
  });
});

test("a call waits while the database is away, or its disk is full, and continues with the next item", async () => {
  const schema = newSchema();
  const network = await networkTo(database.url());
  await network.up();
  const server = await startServer(argumentsFor(schema, 0, network.url), { RESUMABLE_MCP_RETRY: "4s" });
  const { client } = await connectStock(server.url);
  const seen: number[] = [];
  const troubles: Promise<unknown>[] = [];
  const outage = async () => {
    await network.down();
    await expect.poll(() => ready(server)).toEqual([503, expect.any(String)]);
    await network.up();
  };
  const fullDisk = async () => {
    await runSql(`CREATE FUNCTION ${schema}.full() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM nextval('${schema}.refusals'); RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE SEQUENCE ${schema}.refusals;
        CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.journal EXECUTE FUNCTION ${schema}.full()`);
    await expect.poll(() => runSql(`SELECT last_value FROM ${schema}.refusals WHERE is_called`)).toHaveLength(1);
    await runSql(`DROP TRIGGER full_disk ON ${schema}.journal`);
  };
  const onprogress = ({ progress }: Progress) => {
    seen.push(progress);
    if (progress === 5) troubles.push(outage());
    if (progress === 20) troubles.push(fullDisk());
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40, pace_ms: 100 } }, undefined, {
    onprogress,
    timeout: timeoutMs,
  });
  await Promise.all(troubles);
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect([seen, troubles.length]).toEqual([count(40), 2]);
  const task_id = result._meta?.["resumable-mcp/task_id"];
  const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
  expect(items).toMatchObject({ structuredContent: { items: count(40), total: 40 } });
});

test("a server whose tables are dropped, or whose database becomes read-only or newer, is not ready and says why", async () => {
  const schema = newSchema();
  const server = await startServer(argumentsFor(schema));
  await runSql(`UPDATE ${schema}.layout SET layout = 99, oldest_writer = 99`);
  expect(await ready(server)).toEqual([
    503,
    "STORE_LAYOUT: The store's schema has layout 99, and this version needs layout 1. A later version of the package made it: update this program.\n",
  ]);
  await runSql(`UPDATE ${schema}.layout SET layout = 1, oldest_writer = 1`);
  expect(await ready(server)).toEqual([200, "ready\n"]);
  await runSql("ALTER SYSTEM SET default_transaction_read_only = on");
  await runSql("SELECT pg_reload_conf()");
  await expect
    .poll(() => ready(server))
    .toEqual([
      503,
      "STORE_WRITE_FAILED: The store could not be written (25006: the server accepts no writes). The server is a standby or read-only: connect to the primary.\n",
    ]);
  await runSql("ALTER SYSTEM RESET default_transaction_read_only");
  await runSql("SELECT pg_reload_conf()");
  await expect.poll(() => ready(server)).toEqual([200, "ready\n"]);
  await runSql(`DROP TABLE ${schema}.journal`);
  expect(await ready(server)).toEqual([503, expect.stringMatching(/^STORE_MISSING: .* Restore it from a backup/)]);
});

test("says in a sentence what is wrong with a database, without a password or a stack", async () => {
  const newer = newSchema();
  await runSql(`CREATE SCHEMA ${newer}; CREATE TABLE ${newer}.layout (layout int, oldest_writer int);
      INSERT INTO ${newer}.layout VALUES (99, 99)`);
  const unprivileged = newSchema();
  await runSql(`CREATE ROLE ${unprivileged} LOGIN PASSWORD 'not-shown'`);
  const cases: [string[], number, RegExp][] = [
    [
      ["--store", urlWith({ password: "not-shown" })],
      1,
      /28P01: password authentication failed for user "postgres"\)\. Check user and password: .* PGPASSFILE\. \[127\.0\.0\.1:\d+\/postgres#resumable_mcp\]\n$/,
    ],
    [["--store", urlWith({ pathname: "/absent" })], 1, /database "absent" does not exist\)\. Create the database/],
    [["--store", urlWith({ username: unprivileged, password: "not-shown" })], 1, /42501: .* Grant the user the rights/],
    [["--store", urlWith({ port: "1" })], 1, /ECONNREFUSED\)\. Check that the server runs/],
    [["--store", database.url(), "--store-schema", newer], 1, /has layout 99, .* update this program\./],
    [["--store", database.url(), "--store-schema", "Two words"], 1, /schema must be 1 to 41 characters/],
    [["--store", database.url(), "--store-password-file", "/x"], 2, /--store has a password already/],
    [
      ["--store", "postgres://u@127.0.0.1/db", "--store-password-file", "/nowhere/x"],
      1,
      /\/nowhere\/x cannot be read \(ENOENT\)/,
    ],
    [["--store", "mysql://u:not-shown@127.0.0.1/db"], 2, /--store must be a folder, or a URL such as postgres:/],
    [["--store", "postgres://u:not-shown@h:port/db"], 1, /is not a URL as postgres:\/\/user@host/],
    [["--store", "folder", "--store-schema", "other"], 2, /--store-schema is for a database/],
  ];
  for (const [args, code, sentence] of cases) {
    const ended = await runToEnd([toolsModule, "--port", "0", ...args], { RESUMABLE_MCP_STORE_WAIT: "0s" });
    expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr).not.toMatch(/\n\s+at |not-shown/);
    expect(ended.code).toBe(code);
  }
});
