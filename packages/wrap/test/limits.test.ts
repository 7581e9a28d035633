import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@resumable-mcp/core";
import { expect, it, onTestFinished } from "vitest";
import { wrapLimits } from "../src/limits.js";
import { type OpenWire, Peer, type WireListener } from "../src/upstream/peer.js";
import { lowerLimit, openWrapped } from "./open-wrapped.js";

const program = fileURLToPath(new URL("chatty-server.js", import.meta.url));

/** What becomes of a call during which its server says something. */
async function say(input: JsonObject) {
  const { tasks } = await openWrapped({ command: "node", args: [program] });
  const { record } = await tasks.start({ tool: "say", input });
  const { output, status, error } = (await tasks.wait(record.id)).record;
  return { status, output, error };
}

const fine = { status: "completed", output: { result: { content: [] } }, error: undefined };

it.each([
  ["letters", "a"],
  ["characters of three bytes", "漢"],
  ["characters that JSON writes as six", "\u0001"],
])("a state of 1 MiB of %s is kept", async (_name, character) => {
  expect(await say({ character, times: 2 ** 20 })).toEqual(fine);
});

it("a state that is longer is ignored, and the call continues", async () => {
  expect(await say({ character: "a", times: 2 ** 20 + 1 })).toEqual(fine);
});

it("a checkpoint that appends something other than content is ignored", async () => {
  expect(await say({ append: [{ type: "text", text: "ignored" }, 1, null] })).toEqual(fine);
});

it("a call that appends too much in all ends at once, and says so", async () => {
  lowerLimit("maxAppendedBytes", 2 ** 20);
  const { output } = await say({ character: "漢", times: 2 ** 17, appends: true, rounds: 12, hangs: true });
  expect(JSON.stringify(output)).toMatch(/say appends more than 1048576 bytes.*maxAppendedBytes.*LIMIT_EXCEEDED/);
});

it("a log message beyond the limit of a task costs neither the call nor its server", async () => {
  expect(await say({ log: true, character: "漢", times: 200_000 })).toEqual(fine);
});

it("a call that waits for its server is paused like any other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wrap-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  // It starts once.
  const once = '[ -e "$0" ] && exit 1; touch "$0"; exec "$@"';
  const words = [once, join(folder, "started"), process.execPath, program];
  const { tasks } = await openWrapped({ command: "sh", args: ["-c", ...words] });
  const { record: last } = await tasks.start({ tool: "say", input: { dies: true } });
  await tasks.wait(last.id);
  const { record } = await tasks.start({ tool: "say", input: {} });
  await expect.poll(async () => (await tasks.get(record.id)).record.message).toBe("waits for its server");
  await tasks.pause(record.id);
  await expect.poll(async () => (await tasks.get(record.id)).status).not.toBe("running");
  expect((await tasks.get(record.id)).status).toBe("paused");
});

it("a server that asks too much at once gets an error for what is too much (G11)", async () => {
  const sent: JsonObject[] = [];
  const heard: WireListener[] = [];
  const open: OpenWire = (listener) => {
    heard.push(listener);
    return { hasSession: true, send: (message) => void sent.push(message), close: async () => {} };
  };
  const request = () => new Promise<never>(() => {});
  new Peer(open, { request, notification: () => {} });
  for (let id = 0; id <= wrapLimits.maxAsked; id += 1) heard[0]?.message({ jsonrpc: "2.0", id, method: "ping" });
  await expect
    .poll(() => sent)
    .toMatchObject([{ id: wrapLimits.maxAsked, error: { message: expect.stringContaining("maxAsked") } }]);
});
