import type { JsonObject, ToolInfo } from "@resumable-mcp/client";
import { type ReactNode, useMemo } from "react";
import { serverLabelAt } from "../../display/server-label.js";
import { taskName, titleOf } from "../../display/task-status.js";
import type { PropsOf, ScreenProps } from "../navigation.js";
import { Form } from "./form.js";
import { initialDraft, readForm } from "./form-draft.js";
import type { FormButton, FormOutcome } from "./form-state.js";

/** What MCP lets a user do with a question; Esc leaves it for later. */
const answerButtons: readonly FormButton[] = [
  { id: "accept", label: "Answer", sends: true },
  { id: "decline", label: "Decline", sends: false },
  { id: "cancel", label: "Cancel", sends: false },
];

/** The form for a task's question. */
export function AnswerScreen({ screen, state, board, go, columns, rows }: PropsOf<"answer">): ReactNode {
  const { taskId, question } = screen;
  const shape = useMemo(() => ({ schema: question.schema, buttons: answerButtons }), [question]);
  const info = state.tasks.get(taskId)?.info;
  const title = info === undefined ? question.message : `${taskName(info)} asks: ${question.message}`;
  const onOutcome = (outcome: FormOutcome) => {
    go({ type: "back" });
    if (outcome.type === "back") return;
    const { button, values: content } = outcome;
    const refuses = button === "decline" || button === "cancel";
    void board.answer(taskId, question.key, refuses ? { action: button } : { action: "accept", content });
  };
  return <Form {...{ title, shape, columns, rows, onOutcome }} />;
}

const callButtons: readonly FormButton[] = [
  { id: "run", label: "Run and watch", sends: true },
  { id: "detach", label: "Run in background", sends: true },
];

/** The form for a tool's arguments, with those of the last time. */
export function CallScreen({ screen, client, board, state, go, columns, rows }: PropsOf<"call">): ReactNode {
  const { name, server, description, inputSchema } = screen.tool;
  const shape = useMemo(() => ({ schema: inputSchema, buttons: callButtons }), [inputSchema]);
  const { given } = screen;
  const before = useMemo(() => given ?? client.lastArguments(name), [given, name, client]);
  const place = `${titleOf(screen.tool)} at ${serverLabelAt(server, state.servers)}`;
  const title = description === undefined ? place : `${place}: ${description}`;
  const onOutcome = (outcome: FormOutcome) => {
    go({ type: "back" });
    if (outcome.type === "back") return;
    void callTool({ board, go }, screen.tool, outcome.values, outcome.button === "detach");
  };
  return <Form {...{ title, shape, before, columns, rows, onOutcome }} />;
}

async function callTool(
  { board, go }: Pick<ScreenProps, "board" | "go">,
  tool: ToolInfo,
  values: JsonObject,
  detached: boolean,
): Promise<void> {
  board.notice("info", `Calling ${titleOf(tool)}…`);
  const taskId = await board.call(tool, values, detached);
  if (taskId === undefined) return;
  board.dismiss();
  if (detached) board.notice("info", `${titleOf(tool)} runs in the background: 2 in the menu lists it.`);
  else go({ type: "open", screen: { name: "detail", taskId } });
}

/**
 * Calls the tool of the newest task, or the only one, with the arguments of the last time or the defaults. What is missing is
 * asked for: the arguments by the form, the tool by the list.
 */
export async function callLast({ client, board, state, go }: ScreenProps): Promise<void> {
  const tools = (await client.tools()).filter(({ control }) => !control);
  const tool = lastTool(tools, state) ?? (tools.length === 1 ? tools[0] : undefined);
  if (tool === undefined) return go({ type: "open", screen: { name: "tools" } });
  const { inputSchema, name } = tool;
  const { values, errors } = readForm(inputSchema, initialDraft(inputSchema, client.lastArguments(name)));
  if (Object.keys(errors).length > 0) return go({ type: "open", screen: { name: "call", tool } });
  await callTool({ board, go }, tool, values, false);
}

function lastTool(tools: readonly ToolInfo[], { tasks }: ScreenProps["state"]): ToolInfo | undefined {
  const infos = [...tasks.values()].map(({ info }) => info);
  const newest = infos.sort((left, right) => (right.createdAt ?? "").localeCompare(left.createdAt ?? ""));
  const called = newest.map(({ tool, server }) => tools.find((one) => one.name === tool && one.server === server));
  return called.find((tool) => tool !== undefined);
}
