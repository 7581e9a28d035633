import { expect, it, vi } from "vitest";
import { limits } from "../limits.js";
import { ReturningClient } from "./returning-client.js";

const { signal } = new AbortController();
const ask = (client: ReturningClient, key: string, of = signal) => client.request("roots/list", {}, of, key);

it("keeps what it is asked for until it has answered all of it", async () => {
  const client = new ReturningClient({}, () => {});
  const answers = Promise.all([ask(client, "a"), ask(client, "b"), ask(client, "a")]);
  expect(Object.keys(client.inputRequests)).toEqual(["a", "b", "a-3"]);
  client.answer({ a: { n: 1 }, b: "no result", c: {} });
  expect(client.asked.aborted).toBe(true);
  client.answer({ b: { n: 2 }, "a-3": { n: 3 } });
  expect(client.asked.aborted).toBe(false);
  expect(await answers).toEqual([{ result: { n: 1 } }, { result: { n: 2 } }, { result: { n: 3 } }]);
});

it("is asked for no more than its limit at once, and for nothing that was cancelled (G11)", async () => {
  const client = new ReturningClient({}, () => {});
  const stop = new AbortController();
  const own = () => AbortSignal.any([stop.signal]);
  const asked = Array.from({ length: limits.maxPassedRequests }, (_, n) => ask(client, String(n), own()));
  expect(await ask(client, "more")).toHaveProperty("error");
  stop.abort();
  expect((await Promise.all(asked)).every((answer) => "error" in answer)).toBe(true);
  expect(client.inputRequests).toEqual({});
});

it("has left when it does not return in time, and what it was asked for fails", async () => {
  vi.useFakeTimers();
  const ended = vi.fn();
  const client = new ReturningClient({}, ended);
  const leave = client.arrive();
  const asked = ask(client, "a");
  await vi.advanceTimersByTimeAsync(2 * limits.clientReturnsMs);
  leave();
  const again = client.arrive();
  await vi.advanceTimersByTimeAsync(2 * limits.clientReturnsMs);
  expect(ended).not.toHaveBeenCalled();
  again();
  await vi.advanceTimersByTimeAsync(limits.clientReturnsMs);
  expect(ended).toHaveBeenCalledOnce();
  expect(await asked).toHaveProperty("error");
  vi.useRealTimers();
});
