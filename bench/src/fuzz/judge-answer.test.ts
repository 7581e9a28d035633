import { expect, test } from "vitest";
import type { DrawnRequest } from "./draw-request.js";
import { judgeAnswer, judgeCount } from "./judge-answer.js";
import { RawResponse } from "./raw-connection.js";
import { createCaller } from "./traffic/pools.js";

const request = (body: string): DrawnRequest => ({
  ...{
    index: 0,
    caller: createCaller(3, "token"),
    method: "POST",
    body,
    exact: true,
    session: undefined,
    mutations: [],
  },
  bytes: Buffer.from(body),
  delivery: { pieces: [], pipelined: false, onNewConnection: false, leaves: "never" },
});

function answer(status: number, type: string, text: string, complete = true): RawResponse {
  const response = new RawResponse(false);
  response.onHead({ status, headers: new Map([["content-type", type]]) });
  response.onBody(Buffer.from(text));
  if (complete) response.onEnd();
  return response;
}

const ping = request('{"jsonrpc":"2.0","id":1,"method":"ping"}');
const json = "application/json";
const stream = "text/event-stream";
const result = '{"jsonrpc":"2.0","id":1,"result":{}}';

test.each([
  [answer(200, json, result), undefined],
  [answer(503, json, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Later."}}'), undefined],
  [answer(200, stream, `: hello\n\nid: a.1\ndata: ${result}\n\n`), undefined],
  [answer(200, stream, 'data: {"jsonrpc":"2.0","method":"x","params":{"text":"\u2028"}}\n\n', false), undefined],
  [answer(200, json, '{"jsonrpc":"2.0","id":1,"result":"canary-03-7"}'), undefined],
  [answer(503, json, ""), /^status 503/],
  [answer(500, json, result), /^status 500/],
  [answer(200, json, "{"), /not a message/],
  [answer(200, stream, "data: [1]\n\n"), /not a message/],
  [answer(200, json, '{"jsonrpc":"2.0","id":1,"result":"canary-04-7"}'), /what another caller sent: canary-04-/],
  [answer(200, json, '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"open /tmp/x"}}'), /shows the machine/],
  [
    answer(200, json, '{"jsonrpc":"2.0","id":1,"result":{"stack":"at run (file:///tmp/x.js:1:2)"}}'),
    /shows the machine/,
  ],
  [answer(200, json, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Invalid URL"}}'), /internal error/],
])("an answer is judged by itself: %#", (response, wrong) => {
  const found = judgeAnswer(ping, response, true);
  if (wrong === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(wrong);
});

test.each([
  [ping, answer(200, json, result), undefined],
  [ping, answer(200, stream, "", false), undefined],
  [ping, answer(404, json, result), undefined],
  [request('{"jsonrpc":"2.0","method":"ping"}'), answer(202, json, ""), undefined],
  [ping, answer(202, json, ""), "a request with an id is answered as a notification (202)"],
  [ping, answer(200, stream, `data: ${result}\n\ndata: ${result}\n\n`), "2 answers to one request: [1,1]"],
  [ping, answer(200, stream, ": bye\n\n"), "the stream ended without an answer ([])"],
  [ping, answer(200, json, '{"jsonrpc":"2.0","id":2,"result":{}}'), "the stream ended without an answer ([2])"],
])("the answers to a request are counted: %#", (sent, response, wrong) => {
  expect(judgeCount(sent, response)).toBe(wrong);
});

test("the user of the machine may see where a tool threw, and nothing else of the machine", () => {
  const stack = String.raw`{"text":"{\"stack\":\"at run (file:///tmp/x.js:1:2)\"}","stack":"at run (/tmp/x.js:1:2)"}`;
  const shown = (more: string) => answer(200, json, `{"jsonrpc":"2.0","id":1,"result":{"event":${stack}${more}}}`);
  expect(judgeAnswer(ping, shown(""), false)).toBeUndefined();
  expect(judgeAnswer(ping, shown(',"file":"/tmp/x.js"'), false)).toMatch(/shows the machine/);
});
