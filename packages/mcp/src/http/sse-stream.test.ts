import { expect, onTestFinished, test, vi } from "vitest";
import { sessionLimits } from "../limits.js";
import { webBody } from "./http-answer.js";
import { SseStream } from "./sse-stream.js";

const small = { ...sessionLimits, maxStreamBytes: 64 };

test("G11 a writer waits when its reader does not read, and continues when it does", async () => {
  const stream = new SseStream(small);
  const reader = webBody(stream).getReader();
  let written = false;
  const writing = stream.write({ id: "a.1", data: "x".repeat(100) }).then(() => {
    written = true;
  });
  await Promise.resolve();
  expect(written).toBe(false);
  const { value } = await reader.read();
  await writing;
  expect(new TextDecoder().decode(value)).toBe(`event: message\nid: a.1\ndata: ${"x".repeat(100)}\n\n`);
});

test("a reader that reads nothing for too long is cut off", async () => {
  const stream = new SseStream({ ...small, maxStallMs: 1 });
  await stream.write({ data: "x".repeat(100) });
  expect(stream.closed).toBe(true);
});

test("a reader that goes away is noticed, and later writes are dropped", async () => {
  const stream = new SseStream(small);
  let closed = 0;
  stream.acquire(() => {
    closed += 1;
  });
  await webBody(stream).cancel();
  await stream.write({ data: "late" });
  expect(closed).toBe(1);
});

test("a shared stream ends when the last of its users is done", () => {
  const stream = new SseStream(small);
  const [one, other] = [stream.acquire(() => {}), stream.acquire(() => {})];
  one();
  one();
  expect(stream.closed).toBe(false);
  other();
  expect(stream.closed).toBe(true);
});

test("a prime is an event without data, which tells the cursor and when to come back", async () => {
  const stream = new SseStream(small);
  await stream.write({ id: "a.0", data: "", retryMs: 1500 });
  stream.close();
  expect(await new Response(webBody(stream)).text()).toBe("id: a.0\nretry: 1500\ndata: \n\n");
});

test("a stream that is silent gets a comment at the set pace, so that no proxy takes it for dead", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stream = new SseStream(sessionLimits);
  const reader = webBody(stream).getReader();
  const comments: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const reading = reader.read().then(({ value }) => comments.push(new TextDecoder().decode(value)));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(comments).toHaveLength(count);
    await vi.advanceTimersByTimeAsync(1);
    await reading;
  }
  expect(comments).toEqual([": keep-alive\n\n", ": keep-alive\n\n"]);
  stream.close();
});
