import { expect, test } from "vitest";
import { runPostmanCollection, sendCollection } from "../src/postman/run-collection.js";
import { startDemoServer } from "../src/servers.js";

const timeoutMs = 180_000;

test("the collection gets its answer, however its call is dropped (features 36 and 50)", {
  timeout: timeoutMs,
}, async () => {
  const { problems, outcomes } = await runPostmanCollection();
  expect(problems).toEqual([]);
  expect(outcomes.map(({ passed }) => passed)).toEqual([11]);
});

test("the collection says so when nothing dropped the connection", { timeout: timeoutMs }, async () => {
  const server = await startDemoServer();
  const runner = sendCollection(server.url);
  expect(await runner.ended.finally(() => server.close())).toBe(1);
  expect(runner.stdout()).toContain("answered: send it again, and stop the server sooner");
});
