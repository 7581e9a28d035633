import { describe, expect, it } from "vitest";
import { named, pasted, typed } from "../../../test/key-presses.js";
import { reduceServers } from "./servers.js";

describe("keys on the servers", () => {
  it.each([
    ["a", { type: "add" }],
    ["i", { type: "import" }],
    ["q", { type: "back" }],
    ["?", { type: "keys" }],
    ["t", { type: "test", address: "one" }],
    ["d", { type: "remove", address: "one" }],
    ["l", { type: "login", address: "one" }],
    ["z", undefined],
  ])("%s", (text, outcome) => {
    expect(reduceServers({ cursor: 0 }, typed(text), ["one", "two"]).outcome).toEqual(outcome);
  });

  it("move the cursor, and mean the server at which it stands", () => {
    const { state } = reduceServers({ cursor: 0 }, named("down"), ["one", "two"]);
    expect(reduceServers(state, named("enter"), ["one", "two"])).toEqual({
      state: { cursor: 1 },
      outcome: { type: "test", address: "two" },
    });
  });

  it("mean nothing where there is no server, but to add one and to leave", () => {
    for (const press of [typed("d"), typed("l"), named("enter"), pasted("d")])
      expect(reduceServers({ cursor: 0 }, press, [])).toEqual({ state: { cursor: 0 } });
    expect(reduceServers({ cursor: 0 }, named("escape"), []).outcome).toEqual({ type: "back" });
  });
});
