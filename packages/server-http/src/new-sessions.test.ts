import { HttpAnswer, type HttpRequest, ofWebRequest, type RequestContext } from "@resumable-mcp/mcp";
import { expect, test } from "vitest";
import { NewSessions } from "./new-sessions.js";

/** An endpoint that opens a session for each POST without one, and a clock that the test sets. */
function scene({ used = [] as readonly string[] } = {}) {
  const ended: (string | undefined)[] = [];
  const timers: { atMs: number; run: () => void }[] = [];
  const clock = { nowMs: 0 };
  let count = 0;
  const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
    const id = request.header("mcp-session-id");
    if (request.method === "POST") await request.text(1_000);
    if (request.method === "DELETE") ended.push(id);
    return new HttpAnswer(200, id === undefined ? { "mcp-session-id": `s${++count}` } : {});
  };
  const sessions = new NewSessions({
    limits: { newSessionTtlMs: 1_000, maxNewSessionsPerAddress: 2, maxCallers: 3 },
    answer,
    wasUsed: async (id) => used.includes(id),
    nowMs: () => clock.nowMs,
    after: (ms, run) => timers.push({ atMs: clock.nowMs + ms, run }),
  });
  const send = async (network: string | undefined, init: RequestInit = {}, id?: string) => {
    const headers: Record<string, string> = id === undefined ? {} : { "mcp-session-id": id };
    const request = new Request("http://localhost/mcp", { method: "POST", headers, ...init });
    const context: RequestContext = { network };
    await sessions.pass(ofWebRequest(request), context);
  };
  const advance = async (ms: number) => {
    clock.nowMs += ms;
    for (const timer of timers.splice(0)) {
      if (timer.atMs <= clock.nowMs) timer.run();
      else timers.push(timer);
    }
    await new Promise(setImmediate);
    return ended.splice(0);
  };
  const message = (method: string) => ({ body: JSON.stringify({ jsonrpc: "2.0", method }) });
  return { send, advance, message };
}

test("a session that was never used ends after its time, and one that was does not (F5)", async () => {
  const { send, advance, message } = scene({ used: ["s3"] });
  await send("a");
  await send("b");
  await send("b");
  await send("a", message("notifications/initialized"), "s1");
  await send("a", message("ping"), "s1");
  await send("b", message("tools/list"), "s2");
  expect([await advance(999), await advance(1), await advance(5_000)]).toEqual([[], ["s1"], []]);
  await send("a");
  await send("a", { method: "GET" }, "s4");
  expect(await advance(5_000)).toEqual([]);
});

test("of too many new sessions of one network its oldest ends, of too many in all the oldest (F5)", async () => {
  const { send, advance } = scene();
  for (let times = 0; times < 3; times += 1) await send("a");
  await send("b");
  expect(await advance(0)).toEqual(["s1"]);
  await send("c");
  expect(await advance(0)).toEqual(["s2"]);
  expect(await advance(1_000)).toEqual(["s3", "s4", "s5"]);
});

test("sessions of known callers are left alone (F5)", async () => {
  const { send, advance } = scene();
  for (let times = 0; times < 5; times += 1) await send(undefined);
  expect(await advance(5_000)).toEqual([]);
});
