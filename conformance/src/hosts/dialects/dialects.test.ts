import { expect, test } from "vitest";
import type { Reply } from "../script.js";
import { anthropic } from "./anthropic.js";
import { gemini } from "./gemini.js";

const call: Reply = { kind: "call", tool: { name: "s__ask_name", characters: 1 }, input: { a: 1 } };
const heard = {
  tools: [{ name: "ask_name", characters: expect.any(Number) }],
  said: [
    { from: "user", text: "Call it." },
    { from: "tool", text: expect.stringContaining("42") },
  ],
};

test("messages of Anthropic are heard and responded to", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "Call it." }] },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "ask_name", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "42" }] }] },
  ];
  expect(anthropic.hear({ messages, tools: [{ name: "ask_name", input_schema: {} }] })).toEqual(heard);
  const events = anthropic.respond(call, "7");
  expect(events.map(({ event }) => event)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events[1]?.data).toContain('{"type":"tool_use","id":"toolu_7","name":"s__ask_name","input":{}}');
  expect(events[2]?.data).toContain('"partial_json":"{\\"a\\":1}"');
  expect(events[4]?.data).toContain('"stop_reason":"tool_use"');
});

test("contents of Gemini are heard and responded to", () => {
  const contents = [
    { role: "user", parts: [{ text: "Call it." }] },
    { role: "model", parts: [{ functionCall: { name: "ask_name", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "ask_name", response: { output: "42" } } }] },
  ];
  expect(gemini.hear({ contents, tools: [{ functionDeclarations: [{ name: "ask_name" }] }] })).toEqual(heard);
  const [event, ...more] = gemini.respond(call, "7");
  expect(more).toEqual([]);
  expect(event?.data).toContain('"parts":[{"functionCall":{"name":"s__ask_name","args":{"a":1}}}]');
});
