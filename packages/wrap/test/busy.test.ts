import { createEngine, createMemoryStore, type JsonObject } from "@resumable-mcp/core";
import { expect, it, onTestFinished } from "vitest";
import { wrapLimits } from "../src/limits.js";
import { CallerEras } from "../src/upstream/caller-eras.js";
import type { OpenWire } from "../src/upstream/peer.js";
import { WrappedServer } from "../src/upstream/wrapped-server.js";

const question = {
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: {} } },
};
const task = { taskId: "t", pollIntervalMs: 1_000 };
/** What a server of the 2026 era answers, by method. */
const answers: Readonly<Record<string, JsonObject>> = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
  "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
  "tasks/get": { ...task, status: "working", statusMessage: "polled" },
};

it.each([
  ["its server works on a task of it", { resultType: "task", ...task }, "polled"],
  ["its user is asked", { resultType: "input_required", inputRequests: { it: question } }, undefined],
])(
  "a server is not ended for another owner's while a call has no request open, since %s",
  async (_what, answer, said) => {
    let closed = 0;
    const open: OpenWire = (listener) => ({
      hasSession: true,
      send({ id = null, method }) {
        const result = method === "tools/call" ? answer : answers[String(method)];
        queueMicrotask(() => listener.message({ jsonrpc: "2.0", id, ...(result && { result }) }));
      },
      async close() {
        closed += 1;
        listener.closed("It was closed.");
      },
    });
    const upstream = new WrappedServer({
      ...{
        name: "busy",
        open,
        shared: false,
        trustAnnotations: false,
        repeat: {},
        onNote: () => {},
        onCall: () => {},
        passes: [],
      },
      eras: new CallerEras(),
    });
    await upstream.start();
    const limits = { maxRunning: wrapLimits.maxServers + 1 };
    const engine = createEngine({ store: createMemoryStore(), tools: upstream.tools, limits });
    onTestFinished(async () => {
      await engine.close();
      await upstream.close();
    });
    const start = async (owner: string) => {
      const tasks = engine.forOwner(owner);
      const { record } = await tasks.start({ tool: "work", input: {} });
      return { tasks, id: record.id };
    };
    for (let count = 0; count < wrapLimits.maxServers; count += 1) {
      const { tasks, id } = await start(`sub:${count}`);
      if (said === undefined) await expect.poll(async () => (await tasks.get(id)).questions).toHaveLength(1);
      else await expect.poll(async () => (await tasks.get(id)).record.message).toBe(said);
    }
    const { tasks, id } = await start("sub:last");
    const ended = await tasks.wait(id);
    expect(JSON.stringify(ended.record.output ?? ended.record.error)).toContain("busy for other owners");
    expect(closed).toBe(0);
  },
);
