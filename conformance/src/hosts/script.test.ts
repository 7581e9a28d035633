import { describe, expect, test } from "vitest";
import { openaiChat } from "./dialects/openai-chat.js";
import { openaiResponses } from "./dialects/openai-responses.js";
import { decide, type Heard, nextCall, promptFor } from "./script.js";

const prompt = promptFor("ask_name", { label: "one" }, { name: "Ada" });
const presented = (name: string) => ({ name: `resumable_${name}`, characters: 1 });
const tools = ["ask_name", "answer_task", "wait_for_task"].map(presented);
const afterResults = (...results: readonly string[]): Heard => ({
  tools,
  said: [
    { from: "user", text: "Call the tool other with {}." },
    { from: "tool", text: "the result of before" },
    { from: "user", text: prompt },
    ...results.map((text) => ({ from: "tool", text }) as const),
  ],
});

describe("the scripted model", () => {
  test("calls the tool of the newest prompt by the name that the host gives it", () => {
    expect(decide(afterResults())).toEqual({ kind: "call", tool: presented("ask_name"), input: { label: "one" } });
  });

  test("answers the question that a result names, and then says the result", () => {
    const question =
      'Task ab12 (ask_name) waits for an answer: "Whose?" (key name). Then call answer_task with the key.';
    const input = { task_id: "ab12", key: "name", action: "accept", content: { name: "Ada" } };
    expect(decide(afterResults(question))).toEqual({ kind: "call", tool: presented("answer_task"), input });
    const result = '{"name":"Ada"}';
    expect(decide(afterResults(question, result))).toEqual({ kind: "text", text: `The result is: ${result}` });
  });

  test("calls a tool whose name alone is shown by the host's tool for that", () => {
    const said = [{ from: "user", text: `Hidden: "mcp__resumable__ask_name".\n${prompt}` } as const];
    const tool = { name: "tool_call", characters: 1 };
    const input = { name: "mcp__resumable__ask_name", arguments: { label: "one" } };
    expect(decide({ said, tools: [tool] })).toEqual({ kind: "call", tool, input });
  });

  test("names a tool that the host does not offer", () => {
    expect(decide({ ...afterResults(), tools: [] })).toMatchObject({ kind: "text" });
  });
});

test.each([
  ["data", '{"status":"running","task_id":"ab12","next_tool":"wait_for_task"}'],
  ["data among words", 'Output:\n{"status":"running","task_id":"ab12","next_tool":"wait_for_task"}\nEnd.'],
  ["data in a text in data", JSON.stringify([{ text: '{"task_id":"ab12","next_tool":"wait_for_task"}' }])],
  ["a sentence", 'Still running: 3/6. Do not call it again. Call wait_for_task with {"task_id":"ab12"} now.'],
  ["a sentence in data", JSON.stringify({ text: 'Call wait_for_task with {"task_id":"ab12"} now.' })],
])("the next call is found as %s", (_how, result) => {
  expect(nextCall(result)).toEqual({ tool: "wait_for_task", input: { task_id: "ab12" } });
});

const tool = { name: "ask_name", characters: expect.any(Number) };
const said = [
  { from: "user", text: prompt },
  { from: "tool", text: "42" },
];

test("chat completions are heard and responded to", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: prompt }] },
    { role: "assistant", content: null, tool_calls: [] },
    { role: "tool", tool_call_id: "1", content: "42" },
  ];
  const heard = openaiChat.hear({ messages, tools: [{ type: "function", function: { name: "ask_name" } }] });
  expect(heard).toEqual({ tools: [tool], said });
  const [first, , last] = openaiChat.respond({ kind: "call", tool: presented("ask_name"), input: { a: 1 } }, "7");
  expect(first?.data).toContain(
    '"tool_calls":[{"index":0,"id":"call_7","type":"function","function":{"name":"resumable_ask_name","arguments":"{\\"a\\":1}"}}]',
  );
  expect(last).toEqual({ data: "[DONE]" });
});

test("responses are heard and responded to, with the namespace of a server", () => {
  const input = [
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
    { type: "function_call", name: "ask_name", arguments: "{}" },
    { type: "function_call_output", call_id: "1", output: "42" },
  ];
  const space = { type: "namespace", name: "mcp__resumable", tools: [{ type: "function", name: "ask_name" }] };
  const heard = openaiResponses.hear({ input, tools: [{ type: "web_search" }, space] });
  const inSpace = { ...tool, namespace: "mcp__resumable" };
  expect(heard).toEqual({ tools: [{ ...tool, name: "" }, inSpace], said });
  const events = openaiResponses.respond({ kind: "call", tool: inSpace, input: {} }, "7");
  expect(events.map(({ event }) => event)).toEqual([
    "response.created",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(events[1]?.data).toContain('"call_id":"call_7"');
  expect(events[1]?.data).toContain('"name":"ask_name","namespace":"mcp__resumable","arguments":"{}"');
});
