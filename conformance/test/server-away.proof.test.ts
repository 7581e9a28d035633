import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "sdk-1-12/client/index.js";
import { StdioClientTransport } from "sdk-1-12/client/stdio.js";
import { StreamableHTTPClientTransport } from "sdk-1-12/client/streamableHttp.js";
import { test } from "vitest";
import { type ClientKind, transportTo } from "../src/clients/client-kind.js";
import { nextClients } from "../src/clients/next-client.js";
import { Seen } from "../src/clients/seen.js";
import { type ServerUnderTest, startServer } from "../src/clients/server-under-test.js";
import { stockClients } from "../src/clients/stock-client.js";

const awayTimeoutMs = 240_000;
const goal = 12;
/** The kill comes when so many items of every call are in the journal. */
const killAfterItems = 3;
const count = Array.from({ length: goal }, (_, index) => index + 1);

/** Clients that read the `retry` field of an event stream. */
const reading = [stockClients.new, nextClients.era2025];
const cases = [
  { awayMs: 1_000, kinds: [...reading, stockClients.middle, stockClients.old] },
  { awayMs: 5_000, kinds: reading },
  { awayMs: 12_000, kinds: reading },
];

/** Makes one call; gives what it resolved with and what the journal says of its task. */
async function callOnce({ place, journals }: ServerUnderTest, kind: ClientKind) {
  const client = await kind.open(place);
  try {
    const { structuredContent } = await client.call("count_to", { n: goal, label: kind.name }, new Seen());
    const { tasks, items } = await journals.facts(kind.name);
    return { structuredContent, tasks, items };
  } finally {
    await client.close();
  }
}

test.concurrent.for(cases)(
  "G5 a stock client's call resolves with its result after the server was away for $awayMs ms",
  { timeout: awayTimeoutMs },
  async ({ awayMs, kinds }, { expect, onTestFinished }) => {
    const server = await startServer("HTTP", {});
    onTestFinished(() => server.close());
    const calls = Promise.all(kinds.map((kind) => callOnce(server, kind)));
    const [pid = 0] = await Promise.all(kinds.map(({ name }) => server.journals.untilItems(name, killAfterItems)));
    await server.kill(pid, () => sleep(awayMs));
    const once = ({ name }: ClientKind) => ({
      structuredContent: { counted: goal, label: name },
      tasks: 1,
      items: count,
    });
    expect(await calls).toEqual(kinds.map(once));
  },
);

test("G5 a client of an old SDK, whose server dies before its call has reported anything, comes back for the result", {
  timeout: awayTimeoutMs,
}, async ({ expect, onTestFinished }) => {
  const server = await startServer("HTTP");
  onTestFinished(() => server.close());
  const client = new Client({ name: "old", version: "1" });
  await client.connect(transportTo(server.place, StreamableHTTPClientTransport, StdioClientTransport));
  onTestFinished(() => client.close());
  await client.callTool({ name: "count_to", arguments: { n: 1, label: "first" } });
  const pid = await server.journals.untilItems("first", 1);
  const label = "cut off";
  const progress: number[] = [];
  let reported: readonly number[] | undefined;
  let restarted: Promise<void> | undefined;
  const kill = async () => {
    ({ items: reported } = await server.journals.facts(label));
    await server.kill(pid);
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 2, label, pace_ms: 3_000 } }, undefined, {
    onprogress: (step) => void progress.push(step.progress),
    onresumptiontoken: () => {
      restarted ??= kill();
    },
  });
  await restarted;
  expect(result).toMatchObject({ structuredContent: { counted: 2 } });
  expect([reported, progress]).toEqual([[], [1, 2]]);
  expect(await server.journals.facts(label)).toMatchObject({ tasks: 1, items: [1, 2] });
});
