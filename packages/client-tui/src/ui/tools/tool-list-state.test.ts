import type { ToolInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { serverLabelAt } from "../../display/server-label.js";
import { matchingTools, reduceToolList } from "./tool-list.js";

const serverAt = (address: string) => serverLabelAt(address, [{ address: "http://b.example.com/mcp", name: "work" }]);

describe("the list of tools", () => {
  const tools: readonly ToolInfo[] = ["count", "confirm"].map((name) => ({
    name,
    server: "s",
    inputSchema: {},
    control: false,
  }));

  it("searches as one types", () => {
    const found = reduceToolList({ cursor: 1, search: "" }, typed("conf"), tools, serverAt);
    expect(reduceToolList(found.state, named("enter"), tools, serverAt).outcome).toEqual({
      type: "choose",
      tool: tools[1],
    });
    expect(reduceToolList(found.state, named("escape"), tools, serverAt).state.search).toBe("");
  });

  it("finds by name, server, title and description, whatever the case", () => {
    const named_ = (name: string, more: Partial<ToolInfo> = {}): ToolInfo => ({
      name,
      server: "http://127.0.0.1:8001/mcp",
      inputSchema: {},
      control: false,
      ...more,
    });
    const all = [
      named_("zip"),
      named_("count", { title: "Lexicon", description: "Counts THE words" }),
      named_("far", { server: "http://example.com/mcp" }),
      named_("near", { server: "http://b.example.com/mcp" }),
    ];
    const found = ["ZIP", "the words", "lexi", "example", "work", ""].map((search) =>
      matchingTools(all, search, serverAt).map(({ name }) => name),
    );
    expect(found).toEqual([["zip"], ["count"], ["count"], ["far"], ["near"], ["zip", "count", "far", "near"]]);
  });

  it("takes a paste as text to search for, and Backspace takes the last character back", () => {
    const start = { cursor: 1, search: "" };
    const search = reduceToolList(start, pasted("confx"), tools, serverAt).state;
    expect(reduceToolList(search, named("backspace"), tools, serverAt)).toEqual({
      state: { cursor: 0, search: "conf" },
    });
  });

  it("takes back one whole character by Backspace, also of those that are two to the machine", () => {
    const { state } = reduceToolList({ cursor: 0, search: "a🎉" }, named("backspace"), tools, serverAt);
    expect(state.search).toBe("a");
  });

  it("moves among what was found, and chooses nothing where nothing was", () => {
    const start = { cursor: 0, search: "co" };
    expect(reduceToolList(start, named("down"), tools, serverAt)).toEqual({ state: { cursor: 1, search: "co" } });
    expect(reduceToolList({ cursor: 0, search: "zz" }, named("enter"), tools, serverAt).outcome).toBeUndefined();
  });

  it("is left by Escape once nothing is searched for", () => {
    expect(reduceToolList({ cursor: 0, search: "" }, named("escape"), tools, serverAt).outcome).toEqual({
      type: "back",
    });
  });
});
