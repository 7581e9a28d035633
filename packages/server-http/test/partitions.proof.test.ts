import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openClient } from "@resumable-mcp/client";
import { createFsStore } from "@resumable-mcp/store-fs";
import { startNetwork } from "@resumable-mcp/store-postgres/testing";
import { expect, test } from "vitest";
import { afterwards, startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const timeoutMs = 240_000;

const tools = fileURLToPath(new URL("gated-tools-module.js", import.meta.url));
const count = Array.from({ length: 40 }, (_, index) => index + 1);

/** Makes a call that sees each progress. @returns the items of its task. */
type Count = (gates: string, onProgress: (progress: number) => void) => Promise<readonly unknown[]>;

async function openStock(url: string): Promise<Count> {
  const { client } = await connectStock(url);
  return async (gates, onProgress) => {
    const onprogress = ({ progress }: { readonly progress: number }) => onProgress(progress);
    const options = { onprogress, timeout: timeoutMs };
    const result = await client.callTool(
      { name: "count_gated", arguments: { gates, client: "stock" } },
      undefined,
      options,
    );
    const task_id = result._meta?.["resumable-mcp/task_id"];
    const items = await client.callTool({ name: "get_task_items", arguments: { task_id } });
    const { structuredContent } = items as { structuredContent?: { items?: readonly unknown[] } };
    return structuredContent?.items ?? [];
  };
}

async function openToolkit(url: string, folder: string): Promise<Count> {
  const limits = { requestTimeoutMs: 1_000, waitSeconds: 1, reconnectMaxDelayMs: 500 };
  const client = await openClient({ servers: [{ url }], stateFile: join(folder, "state.json"), limits });
  afterwards(() => client.close());
  return async (gates, onProgress) => {
    const { taskId = "none", events, result } = await client.call("count_gated", { gates, client: "toolkit" });
    for await (const event of events()) if (event.type === "progress") onProgress(event.progress);
    expect(await result()).toMatchObject({ status: "completed" });
    const items: unknown[] = [];
    for await (const item of client.task(taskId).items()) items.push(item);
    return items;
  };
}

const troubles = [
  { delayMs: 20 },
  { bytesPerSecond: 20_000 },
  "reset",
  { hold: "both" },
  { hold: "to-server" },
  { hold: "to-client" },
] as const;

/** A client that polls merges what it has not asked for yet; the SDK's sees each event. It waits, while the other gives up and tries again. */
test.each([
  ["an unmodified client", openStock, { seesAll: true, heldAtLeast: 1 }],
  ["the toolkit's client", openToolkit, { seesAll: false, heldAtLeast: 3 }],
])(
  "calls of %s give their results, and each item once, by a network that is slow, narrow, reset, half-open, or deaf in one direction",
  async (_, open, { seesAll, heldAtLeast }) => {
    const folder = await testFolder();
    const directory = join(folder, "store");
    const server = await startServer([tools, "--port", "0", "--store", directory], { RESUMABLE_MCP_RETRY: "1s" });
    const network = await startNetwork(server.url);
    afterwards(() => network.close());
    const store = createFsStore({ directory });
    afterwards(() => store.close());
    const countAll = await open(network.url, folder);
    for (const [index, trouble] of troubles.entries()) {
      const gates = await testFolder();
      const seen: number[] = [];
      const items = countAll(gates, (progress) => {
        seen.push(progress);
        if (seen.length > 1) return;
        if (trouble === "reset") network.reset();
        else network.trouble(trouble);
        for (const gate of ["10", "20", "30"]) writeFileSync(join(gates, gate), "");
      });
      const statuses = async () => (await store.listTasks({ limit: 10 })).tasks.map(({ status }) => status);
      const all = troubles.slice(0, index + 1).map(() => "completed");
      await expect.poll(statuses).toEqual(all);
      const isHeld = typeof trouble === "object" && "hold" in trouble;
      const least = isHeld ? heldAtLeast : 0;
      await expect.poll(() => network.held).toBeGreaterThanOrEqual(least);
      network.heal();
      expect(await items).toEqual(count);
      expect(seesAll ? seen : [seen.at(-1), seen]).toEqual(
        seesAll ? count : [count.length, [...new Set(seen)].sort((a, b) => a - b)],
      );
    }
  },
);
