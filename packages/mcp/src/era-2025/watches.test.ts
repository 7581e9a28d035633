import { expect, it, vi } from "vitest";
import type { Call } from "../call/call.js";
import { Watches } from "./watches.js";

it("tells of the statuses of many tasks by one listener on the signal of their connection, and of none when that is closed", async () => {
  const connection = new AbortController();
  const listen = vi.spyOn(connection.signal, "addEventListener");
  const tell = vi.fn(async () => {});
  const watches = new Watches({ tell, closed: () => connection.signal });
  const followed: AbortSignal[] = [];
  const follow = (_taskId: string, { signal }: { readonly signal: AbortSignal }) => {
    followed.push(signal);
    return { async *[Symbol.asyncIterator]() {} };
  };
  const call = { meta: { progressToken: 7 }, tasks: { follow } } as unknown as Call;
  for (let n = 0; n < 20; n += 1) watches.tellStatus(call, `task-${n}`);
  expect([followed.length, listen.mock.calls.length, watches.tokenOf("task-19")]).toEqual([20, 1, 7]);
  connection.abort();
  expect(followed.every(({ aborted }) => aborted)).toBe(true);
});
