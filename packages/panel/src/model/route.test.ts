import { describe, expect, it } from "vitest";
import { listRoute, type Route, readRoute, writeRoute } from "./route.js";

describe("a route in the panel", () => {
  it.each<[string, Route]>([
    ["#/", listRoute],
    ["#/?q=two+words&show=failed", { ...listRoute, words: "two words", show: "failed" }],
    ["#/?range=hour&tool=count+words", { ...listRoute, range: "hour", tool: "count words" }],
    ["#/?sort=progress", { ...listRoute, order: "progress" }],
    ["#/?sort=status&reverse=yes", { ...listRoute, order: "status", reversed: true }],
    ["#/tasks/a_b-1", { name: "task", taskId: "a_b-1", part: undefined }],
    ["#/tasks/a/items", { name: "task", taskId: "a", part: "items" }],
    ["#/server", { name: "server" }],
  ])("is written as %s, and read again", (hash, route) => {
    expect([writeRoute(route), readRoute(hash)]).toEqual([hash, route]);
  });

  it.each(["", "#", "#/nowhere", "#/tasks/", "#/?show=strange", "#/%E0%A4%A"])(
    "is the list where %j says nothing else",
    (hash) => {
      expect(readRoute(hash)).toEqual(listRoute);
    },
  );

  it("keeps the id of a task as one part of the address", () => {
    const route = { name: "task", taskId: "../a?b#c/%", part: undefined } as const;
    expect(readRoute(writeRoute(route))).toEqual(route);
  });
});
