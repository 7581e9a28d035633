import { type ReactNode, useMemo } from "react";
import { serverLabelAt } from "../../display/server-label.js";
import { taskName } from "../../display/task-status.js";
import type { PropsOf } from "../navigation.js";
import { Form } from "./form.js";
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
  const { name, server, description, inputSchema, title: toolTitle = name } = screen.tool;
  const shape = useMemo(() => ({ schema: inputSchema, buttons: callButtons }), [inputSchema]);
  const before = useMemo(() => client.lastArguments(name), [name, client]);
  const place = `${toolTitle} at ${serverLabelAt(server, state.servers)}`;
  const title = description === undefined ? place : `${place}: ${description}`;
  const onOutcome = (outcome: FormOutcome) => {
    go({ type: "back" });
    if (outcome.type === "back") return;
    const detached = outcome.button === "detach";
    board.notice("info", `Calling ${name}…`);
    void board.call(name, outcome.values, { server, detached }).then((taskId) => {
      if (taskId === undefined) return;
      board.dismiss();
      if (detached) board.notice("info", `${name} runs in the background: 2 in the menu lists it.`);
      else go({ type: "open", screen: { name: "detail", taskId } });
    });
  };
  return <Form {...{ title, shape, before, columns, rows, onOutcome }} />;
}
