import type { QuestionAnswer, TaskQuestion } from "@resumable-mcp/protocol";
import { type FormEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { findError, initialValues, readFields, readForm } from "../../model/form.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel } from "../panel-context.js";
import { LongText } from "../parts/long-text.js";
import { QuestionField } from "./question-field.js";

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
  const form = useRef<HTMLFormElement>(null);
  const fields = useMemo(() => readFields(question.schema), [question.schema]);
  const [values, setValues] = useState(() => initialValues(fields));
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const { content, errors } = useMemo(() => readForm(fields, values), [fields, values]);
  const send = async (answer: QuestionAnswer) => {
    setSending(true);
    await model.answer(taskId, question, answer);
    setSending(false);
  };
  const accept = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const wrong = fields.findIndex(({ key }) => findError(errors, key) !== undefined);
    if (wrong < 0) void send({ action: "accept", content });
    else form.current?.querySelectorAll<HTMLElement>("[data-field]")[wrong]?.focus();
  };
  const expires = question.expiresAt === undefined ? undefined : new Date(question.expiresAt);
  return (
    <form className="question" ref={form} onSubmit={accept} aria-labelledby={id} noValidate>
      <h2 id={id} className="question-title">
        {texts.question}
      </h2>
      <LongText text={question.message} className="question-text" />
      {fields.map((field) => (
        <QuestionField
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          error={tried ? findError(errors, field.key) : undefined}
          onChange={(value) => setValues((last) => ({ ...last, [field.key]: value }))}
        />
      ))}
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
