import { expect, test } from "vitest";
import { CallBoard } from "./call-board.js";

const caller = "control-0-0";

function boardOf(...events: readonly (readonly [kind: string, facts?: object])[]): CallBoard {
  const board = new CallBoard("control", "anonymous:storm", 1, 1);
  for (const [kind, facts] of [["client_calls"] as const, ...events]) board.hear({ atMs: 0, kind, caller, ...facts });
  return board;
}

test("the next process knows the task that a call found", () => {
  expect(boardOf(["called", { task: "a" }]).places()).toEqual([{ next: 1, open: { name: caller, task: "a" } }]);
});

test("the next process calls again when the answer to a call is lost, since it may have begun another task", () => {
  const board = boardOf(["called", { task: "a" }], ["client_sends"]);
  expect(board.places()).toEqual([{ next: 1, open: { name: caller } }]);
});

test("a call with a result is over", () => {
  expect(boardOf(["called", { task: "a" }], ["client_result"]).open).toEqual([]);
});
