import { describe, expect, it } from "vitest";
import { listPlace, type Place, readPlace, writePlace } from "./place.js";

describe("a place in the panel", () => {
  it.each<[string, Place]>([
    ["#/", listPlace],
    ["#/?q=two+words&show=failed", { name: "list", words: "two words", show: "failed" }],
    ["#/tasks/a_b-1", { name: "task", taskId: "a_b-1", part: undefined }],
    ["#/tasks/a/items", { name: "task", taskId: "a", part: "items" }],
    ["#/server", { name: "server" }],
  ])("is written as %s, and read again", (hash, place) => {
    expect([writePlace(place), readPlace(hash)]).toEqual([hash, place]);
  });

  it.each(["", "#", "#/nowhere", "#/tasks/", "#/?show=strange", "#/%E0%A4%A"])(
    "is the list where %j says nothing else",
    (hash) => {
      expect(readPlace(hash)).toEqual(listPlace);
    },
  );

  it("keeps the id of a task as one part of the address", () => {
    const place = { name: "task", taskId: "../a?b#c/%", part: undefined } as const;
    expect(readPlace(writePlace(place))).toEqual(place);
  });
});
