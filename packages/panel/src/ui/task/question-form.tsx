import type { QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTexts } from "../../texts/texts.js";
import { usePanel } from "../panel-context.js";
import { useSchemaForm } from "../parts/form-fields.js";
import { LongText } from "../parts/long-text.js";

interface QuestionFormProps {
  readonly taskId: string;
  readonly question: TaskQuestion;
  readonly disabled: boolean;
}

/** What a task asks its user, as a form made from its schema. */
export function QuestionForm({ taskId, question, disabled }: QuestionFormProps): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const id = useId();
  const { fields, element, check } = useSchemaForm(question.schema);
  const [sending, setSending] = useState(false);
  const send = async (answer: QuestionAnswer) => {
    setSending(true);
    await model.answer(taskId, question, answer);
    setSending(false);
  };
  const accept = (event: FormEvent) => {
    event.preventDefault();
    const content = check();
    if (content !== undefined) void send({ action: "accept", content });
  };
  const expires = question.expiresAt === undefined ? undefined : new Date(question.expiresAt);
  return (
    <form className="question" ref={element} onSubmit={accept} aria-labelledby={id} noValidate>
      <h2 id={id} className="question-title">
        {texts.question}
      </h2>
      <LongText text={question.message} className="question-text" />
      {fields}
      {expires !== undefined && (
        <p className="muted">{texts.questionExpires(expires.toLocaleString(texts.language))}</p>
      )}
      <div className="actions">
        <button type="submit" className="strong" disabled={disabled || sending}>
          {texts.verbs.answer}
        </button>
        <button type="button" disabled={disabled || sending} onClick={() => void send({ action: "decline" })}>
          {texts.decline}
        </button>
        <button
          type="button"
          className="quiet"
          disabled={disabled || sending}
          onClick={() => void send({ action: "cancel" })}
        >
          {texts.cancelQuestion}
        </button>
      </div>
    </form>
  );
}
