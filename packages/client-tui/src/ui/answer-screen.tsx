import type { Question } from "@resumable-mcp/client";
import { type ReactNode, useMemo } from "react";
import { Form } from "./form/form.js";
import { formFields } from "./form/form-field.js";
import type { ScreenProps } from "./screen-props.js";

/** The form for a task's question. */
export function AnswerScreen(props: ScreenProps & { readonly taskId: string; readonly question: Question }): ReactNode {
  const { taskId, question, board, go, columns, rows } = props;
  const fields = useMemo(() => formFields(question.schema), [question]);
  return (
    <Form
      title={question.message}
      fields={fields}
      columns={columns}
      rows={rows}
      onOutcome={(outcome) => {
        go({ type: "back" });
        if (outcome.type === "back") return;
        void board.answer(taskId, question.key, { action: "accept", content: outcome.values });
      }}
    />
  );
}
