import type { Question, QuestionAnswer } from "@resumable-mcp/client";
import { type ReactNode, useMemo } from "react";
import type { ScreenProps } from "../screen-props.js";
import { Form } from "./form.js";
import type { FormButton, FormOutcome } from "./form-state.js";

/** What MCP lets a user do with a question; Esc leaves it for later. */
const buttons: readonly FormButton[] = [
  { id: "accept", label: "Answer", sends: true },
  { id: "decline", label: "Decline", sends: false },
  { id: "cancel", label: "Cancel", sends: false },
];

/** The form for a task's question. */
export function AnswerScreen(props: ScreenProps & { readonly taskId: string; readonly question: Question }): ReactNode {
  const { taskId, question, state, columns, rows } = props;
  const shape = useMemo(() => ({ schema: question.schema, buttons }), [question]);
  const tool = state.tasks.get(taskId)?.info.tool;
  return (
    <Form
      title={tool === undefined ? question.message : `${tool} asks: ${question.message}`}
      shape={shape}
      columns={columns}
      rows={rows}
      onOutcome={(outcome) => answer(props, outcome)}
    />
  );
}

function answer(props: ScreenProps & { readonly taskId: string; readonly question: Question }, outcome: FormOutcome) {
  const { taskId, question, board, go } = props;
  go({ type: "back" });
  if (outcome.type === "back") return;
  const { button, values } = outcome;
  const given: QuestionAnswer | undefined =
    button === "decline" || button === "cancel" ? { action: button } : undefined;
  void board.answer(taskId, question.key, given ?? { action: "accept", content: values });
}
