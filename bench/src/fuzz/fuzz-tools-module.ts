import { setTimeout as pause } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";

const label = z.string();

/** What programs throw, right or wrong. */
const thrown: readonly (() => unknown)[] = [
  () => new Error("It failed."),
  () => new TypeError("x".repeat(100_000)),
  () => "a text",
  () => undefined,
  () => null,
  () => Symbol("odd"),
  () => Object.assign(new Error("odd"), { message: 7, stack: null, cause: "\ud800" }),
  () => Object.create(null),
];

const tools = [
  defineTool({
    name: "note",
    description: "Gives its label back, after a checkpoint.",
    input: z.object({ label }),
    state: {},
    async *run({ label: text }) {
      yield { progress: 1, total: 1, append: [text], message: text };
      return { label: text };
    },
  }),
  defineTool({
    name: "slow",
    description: "Takes some steps.",
    input: z.object({ label, steps: z.number().int().min(1).max(4), stepMs: z.number().min(0).max(30) }),
    state: { at: 0 },
    async *run({ label: text, steps, stepMs }, task) {
      for (let at = task.state.at; at < steps; at++) {
        await pause(stepMs, undefined, { signal: task.signal });
        task.log("info", `${text}: ${at}`);
        yield { progress: at + 1, total: steps, state: { at: at + 1 }, append: [text] };
      }
      return { label: text, steps };
    },
  }),
  defineTool({
    name: "question",
    description: "Asks for a name, for a second.",
    input: z.object({ label }),
    state: {},
    async *run({ label: text }, task) {
      yield { progress: 1, total: 2, append: [text] };
      const answer = await task.ask("name", {
        message: text,
        schema: z.object({ name: z.string() }),
        timeout: 1_000,
      });
      return { label: text, answer };
    },
  }),
  defineTool({
    name: "failing",
    description: "Throws.",
    input: z.object({ label, how: z.number().int().min(0).max(7) }),
    async run({ how }) {
      throw thrown[how]?.();
    },
  }),
  defineTool({
    name: "take",
    description: "Takes any value, and gives it back.",
    input: z.object({ label, value: z.json() }),
    run: async ({ value }) => ({ value }),
  }),
];

/** The server that is fuzzed. */
export default defineServer({
  name: "fuzz",
  version: "1.0.0",
  tools,
  panel: "<!doctype html><html><head><title>panel</title></head><body></body></html>",
  setup(server) {
    server.registerTool(
      "plain",
      { description: "Gives its label back.", inputSchema: { label } },
      ({ label: text }) => ({
        content: [{ type: "text", text }],
      }),
    );
    server.registerResource("text", "fuzz://text", {}, () => ({ contents: [{ uri: "fuzz://text", text: "text" }] }));
    server.registerPrompt("hello", { description: "Says hello.", argsSchema: { name: z.string() } }, ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Hello, ${name}!` } }],
    }));
  },
  setup2026(server) {
    server.registerTool(
      "plain",
      { description: "Gives its label back.", inputSchema: z.object({ label }) },
      ({ label: text }) => ({
        content: [{ type: "text", text }],
      }),
    );
    server.registerResource("text", "fuzz://text", {}, async () => ({
      contents: [{ uri: "fuzz://text", text: "text" }],
    }));
    server.registerPrompt(
      "hello",
      { description: "Says hello.", argsSchema: z.object({ name: z.string() }) },
      ({ name }) => ({
        messages: [{ role: "user", content: { type: "text", text: `Hello, ${name}!` } }],
      }),
    );
  },
});
