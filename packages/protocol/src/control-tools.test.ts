import { expect, test } from "vitest";
import { controlToolFacts, findControlTool, offeredControlTools, readControlTools } from "./control-tools.js";
import { checkInput } from "./input-schema.js";
import { readClientArgument, readRepeatable } from "./meta-keys.js";

test("arguments that fit come with the defaults, without what the schema does not name", () => {
  expect(checkInput(controlToolFacts.get_task_items.input, { task_id: "t", client_id: "c" })).toEqual({
    input: { task_id: "t", after: 0, limit: 100 },
  });
  const answer = { task_id: "t", key: "k", action: "accept", content: { a: [1] } };
  expect(checkInput(controlToolFacts.answer_task.input, answer)).toEqual({ input: answer });
  const list = { status: ["paused"], limit: 1 };
  expect(checkInput(controlToolFacts.list_session_tasks.input, list)).toEqual({ input: list });
});

test.each([
  [undefined, ["expected an object"]],
  [{}, ["task_id: missing"]],
  [{ task_id: 7 }, ["task_id: expected string"]],
  [{ task_id: "" }, ["task_id: expected 1 to 256 characters"]],
  [{ task_id: "t", after: 0.5, limit: 0 }, ["after: expected integer", "limit: expected at least 1"]],
  [{ task_id: "t", limit: 1_001 }, ["limit: expected at most 1000"]],
  [{ task_id: "t", limit: null }, ["limit: expected integer"]],
])("the arguments %j of get_task_items do not fit", (value, problems) => {
  expect(checkInput(controlToolFacts.get_task_items.input, value)).toEqual({ problems });
});

test("a list and its words are checked", () => {
  const task_id = "t";
  expect(checkInput(controlToolFacts.get_task.input, { task_id, include: "result" })).toEqual({
    problems: ["include: expected array"],
  });
  expect(checkInput(controlToolFacts.get_task.input, { task_id, include: ["result", "all"] })).toEqual({
    problems: ["include.1: expected one of result"],
  });
  const content = { task_id, key: "k", action: "accept", content: [] };
  expect(checkInput(controlToolFacts.answer_task.input, content)).toEqual({ problems: ["content: expected object"] });
});

test("a list says which control tools its server has, or nothing of any", () => {
  const key = "resumable-mcp/control_tools";
  const offers = [
    { _meta: { [key]: { listed: "minimal", prefix: "x_" } } },
    { _meta: { [key]: { listed: "none" } } },
    { _meta: { [key]: { listed: "some", prefix: "" } } },
    { _meta: { [key]: "all" }, tools: [{ name: "wait_for_task" }] },
    {},
    undefined,
  ].map(readControlTools);
  expect(offers).toEqual([
    { listed: "minimal", prefix: "x_" },
    { listed: "none", prefix: "" },
    ...[undefined, undefined, undefined, undefined],
  ]);
});

test("a name means a control tool only with the prefix of its server, and where the server has any", () => {
  const offer = { listed: "minimal", prefix: "x_" } as const;
  const names = ["x_get_task", "get_task", "x_count"];
  expect(names.map((name) => findControlTool(name, offer))).toEqual(["get_task", undefined, undefined]);
  expect(findControlTool("get_task", { listed: "none", prefix: "" })).toBeUndefined();
  expect(offeredControlTools(offer).map(({ name }) => name)).toContain("x_get_session_info");
  expect(offeredControlTools({ listed: "none", prefix: "" })).toEqual([]);
});

test("a listed tool says whether its call may be repeated, and whether client_id names its caller", () => {
  const tools = [
    { _meta: { "resumable-mcp/durable": "journal", "resumable-mcp/client_id": "argument" } },
    { annotations: { readOnlyHint: true }, _meta: { "resumable-mcp/client_id": "data" } },
    { annotations: { idempotentHint: true }, _meta: null },
    { annotations: { idempotentHint: false } },
    {},
  ];
  expect(tools.map(readRepeatable)).toEqual(["journal", "again", "again", "once", "once"]);
  expect(tools.map(readClientArgument)).toEqual(["argument", "data", undefined, undefined, undefined]);
});
