import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { engineDefaults } from "@resumable-mcp/core/engine";
import { expect, test } from "vitest";
import { startServer, testFolder } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const module = fileURLToPath(new URL("./aborting-tools-module.js", import.meta.url));
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
/** How often it may kill: how often it does depends on whether the other tasks are at their beginning then. */
const { maxCrashesWithoutProgress, maxCrashesInCompany } = engineDefaults;

test("a tool that aborts its process ends as failed with CRASH_LOOP, and costs other tasks nothing but restarts (G12)", async () => {
  const store = await testFolder();
  const gate = join(store, "gate");
  const start = (port: number) =>
    startServer([module, "--port", String(port), "--store", store], { RESUMABLE_MCP_RETRY: "4s" });
  let server = await start(0);
  let deaths = 0;
  let over = false;
  const keepAlive = async () => {
    while (deaths < maxCrashesInCompany) {
      await server.died;
      if (over) return;
      deaths += 1;
      server = await start(server.port);
    }
  };
  const kept = keepAlive();
  try {
    const { client } = await connectStock(server.url, {
      transport: {
        reconnectionOptions: {
          initialReconnectionDelay: 50,
          maxReconnectionDelay: 500,
          reconnectionDelayGrowFactor: 1.5,
          maxRetries: 100,
        },
      },
    });
    const others = [100, 101].map((n) => {
      const progress = new EventEmitter();
      const onprogress = () => progress.emit("progress");
      const begun = once(progress, "progress");
      return { n, begun, result: client.callTool({ name: "count_to", arguments: { n } }, undefined, { onprogress }) };
    });
    const aborting = client.callTool({ name: "abort", arguments: { gate } });
    await Promise.all(others.map(({ begun }) => begun));
    const list = { name: "list_session_tasks", arguments: { task_name: "abort", status: ["running"] } };
    const running = { structuredContent: { tasks: [{ status: "running" }] } };
    await expect.poll(() => client.callTool(list)).toMatchObject(running);
    await writeFile(gate, "");

    expect(await aborting).toMatchObject({ isError: true, structuredContent: { error: { code: "CRASH_LOOP" } } });
    expect(deaths).toBeGreaterThanOrEqual(maxCrashesWithoutProgress);
    for (const { n, result } of others) {
      const ended = await result;
      expect(ended).toMatchObject({ structuredContent: { counted: n } });
      const task_id = ended._meta?.["resumable-mcp/task_id"];
      const items = await client.callTool({ name: "get_task_items", arguments: { task_id, limit: 1000 } });
      expect(items).toMatchObject({ structuredContent: { items: count(n), total: n } });
    }
  } finally {
    over = true;
    await server.kill();
    await kept;
  }
});
