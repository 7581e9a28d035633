// Tools of a server whose code throws where nothing catches it.
import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@resumable-mcp/core";

const throwLater = defineTool({
  name: "throw_later",
  description: "Ends its server by an exception in a timer.",
  input: { type: "object" },
  state: {},
  async *run() {
    setTimeout(() => {
      throw new Error("thrown by a timer");
    });
    await new Promise(() => {});
  },
});

const work = defineTool({
  name: "work",
  description: "Makes a checkpoint every few milliseconds, and never ends.",
  input: { type: "object" },
  state: { at: 0 },
  async *run(_input, { state }) {
    for (let at = state.at + 1; ; at += 1) {
      yield { progress: at, state: { at } };
      await delay(5);
    }
  },
});

// biome-ignore lint/style/noDefaultExport: a tools module has one.
export default [throwLater, work];
