import { describe, expect, it } from "vitest";
import { commandNames } from "../command-table.js";
import { type CompletionSource, complete } from "./complete.js";

const source: CompletionSource = {
  tasks: async (unfinished) => (unfinished ? ["t-running"] : ["t-running", "t-done"]),
  tools: async () => ["count", "confirm"],
  servers: async () => ["work", "http://127.0.0.1:8001/mcp"],
  argumentsOf: async (tool) => (tool === "count" ? ["to", "delay_ms"] : []),
};

describe("what the Tab key offers", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["the subcommands", ["re"], ["result", "resume"]],
    ["every subcommand at first", [""], [...commandNames].toSorted()],
    ["tools to call", ["call", "co"], ["confirm", "count"]],
    ["the arguments of the tool that is named", ["call", "count", ""], ["delay_ms=", "to="]],
    ["unfinished tasks to pause", ["pause", "t-"], ["t-running"]],
    ["more tasks behind the first", ["pause", "t-1", ""], ["t-running"]],
    ["all tasks to look at", ["show", ""], ["t-done", "t-running"]],
    ["the options of a command", ["watch", "--f"], ["--from-start"]],
    ["no option that means nothing to it", ["stats", "--det"], []],
    ["the values of an option", ["call", "count", "--on-interrupt", ""], ["cancel", "detach", "pause"]],
    ["nothing for a value that anything can be", ["call", "count", "--timeout", ""], []],
    ["the words behind an option with a value", ["--state", "x", "call", "--timeout", "5s", "cou"], ["count"]],
    ["known servers for an option", ["tasks", "--server", "w"], ["work"]],
    ["what can be done with servers", ["servers", "t"], ["test"]],
    ["known servers to remove", ["servers", "remove", "w"], ["work"]],
    ["hosts to import from", ["servers", "import", "cl"], ["claude-code", "claude-desktop"]],
    ["shells", ["completion", ""], ["bash", "fish", "zsh"]],
    ["nothing behind a command that is none", ["nonsense", ""], []],
  ])("%s", async (_name, words, expected) => {
    expect(await complete(words, source)).toEqual(expected);
  });
});
