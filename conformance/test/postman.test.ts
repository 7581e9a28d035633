import { expect, test } from "vitest";
import { runPostmanCollection, sendCollection } from "../src/postman/run-collection.js";
import { startDemoServer } from "../src/servers.js";

const timeoutMs = 90_000;

test("the collection gets its answer though the server is killed while it waits (feature 36)", {
  timeout: timeoutMs,
}, async () => {
  const { problems, outcomes } = await runPostmanCollection();
  expect(problems).toEqual([]);
  expect(outcomes.map(({ passed }) => passed)).toEqual([3]);
});

test("the collection says so when nothing dropped the connection", { timeout: timeoutMs }, async () => {
  const server = await startDemoServer();
  const { code, output } = await sendCollection(server.url).finally(() => server.close());
  expect(code).toBe(1);
  expect(output).toContain("answered: send it again, and stop the server sooner");
});
