import { expect, test } from "vitest";
import { newSchema, testPostgres } from "./database.js";
import { runToEnd, startServer, toolsModule } from "./server-process.js";

const database = testPostgres({ settings: { fsync: "off" } });

test("a server that keeps less than was asked for is refused, and serves where that is asked for", async () => {
  const args = [toolsModule, "--port", "0", "--store", database.url(), "--store-schema", newSchema()];
  const refused = await runToEnd(args);
  expect(refused.stderr).toMatch(/: The server cannot keep commits through a loss of power: fsync is off\. Turn it on/);
  expect(refused.stderr).not.toMatch(/\n\s+at /);
  expect(refused.code).toBe(1);
  await startServer(args, { RESUMABLE_MCP_STORE_DURABILITY: "process" });
});
