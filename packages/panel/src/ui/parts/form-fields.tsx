import type { JsonObject } from "@resumable-mcp/protocol";
import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import {
  type FieldError,
  type FormField,
  type FormValues,
  findError,
  initialValues,
  readFields,
  readForm,
} from "../../model/form.js";
import type { Texts } from "../../texts/texts.js";
import { useTexts } from "../../texts/texts.js";

/** A form that is made from a schema, as far as it is filled in. */
export interface SchemaForm {
  readonly fields: ReactNode;
  readonly element: React.RefObject<HTMLFormElement | null>;
  /** What it says, if all of it fits; else what is wrong is shown, and its first field gets the focus. */
  check(): JsonObject | undefined;
}

/** Makes a form from a schema, which stays the same as long as the form is shown. */
export function useSchemaForm(schema: JsonObject, given?: JsonObject): SchemaForm {
  const element = useRef<HTMLFormElement>(null);
  const fields = useMemo(() => readFields(schema), [schema]);
  const [values, setValues] = useState<FormValues>(() => initialValues(fields, given));
  const [tried, setTried] = useState(false);
  const { content, errors } = useMemo(() => readForm(fields, values), [fields, values]);
  return {
    element,
    fields: fields.map((field) => (
      <Field
        key={field.key}
        field={field}
        value={values[field.key] ?? ""}
        error={tried ? findError(errors, field.key) : undefined}
        onChange={(value) => setValues((last) => ({ ...last, [field.key]: value }))}
      />
    )),
    check() {
      setTried(true);
      const wrong = fields.findIndex(({ key }) => findError(errors, key) !== undefined);
      if (wrong < 0) return content;
      element.current?.querySelectorAll<HTMLElement>("[data-field]")[wrong]?.focus();
      return undefined;
    },
  };
}

type FieldValue = string | readonly string[];

interface FieldProps {
  readonly field: FormField;
  readonly value: FieldValue;
  readonly error: FieldError | undefined;
  readonly onChange: (value: FieldValue) => void;
}

/** Options up to this count are shown at once. */
const mostOpenOptions = 5;

/** One field of a form, with what is wrong with it. */
function Field({ field, value, error, onChange }: FieldProps): ReactNode {
  const texts = useTexts();
  const id = useId();
  const { label, description, required } = field;
  const described = [description && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const isGroup = field.kind === "many" || field.kind === "boolean" || hasOpenOptions(field);
  const control = {
    field,
    value,
    id,
    required,
    onChange,
    "aria-invalid": error !== undefined,
    "aria-describedby": described,
  };
  const name = (
    <>
      {label}
      {required && <span className="muted"> ({texts.required})</span>}
    </>
  );
  const more = (
    <>
      {description !== undefined && (
        <p id={`${id}-help`} className="muted">
          {description}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          {label} {errorText(error, texts)}
        </p>
      )}
    </>
  );
  if (isGroup)
    return (
      <fieldset className="field" aria-describedby={described}>
        <legend>{name}</legend>
        <Options {...control} />
        {more}
      </fieldset>
    );
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <Control {...control} />
      {more}
    </div>
  );
}

function hasOpenOptions({ kind, options }: FormField): boolean {
  return kind === "choice" && options.length <= mostOpenOptions;
}

function errorText({ name, limit }: FieldError, texts: Texts): string {
  const text = texts.fieldErrors[name];
  return typeof text === "string" ? text : text(limit);
}

interface ControlProps extends Omit<FieldProps, "error"> {
  readonly id: string;
  readonly required: boolean;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

const inputTypes: ReadonlyMap<string, string> = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
]);

function Control({ field, value, onChange, ...more }: ControlProps): ReactNode {
  const texts = useTexts();
  const { kind, options, schema } = field;
  const text = typeof value === "string" ? value : "";
  const common = { ...more, value: text, "data-field": "" };
  if (kind === "choice")
    return (
      <select {...common} onChange={(event) => onChange(event.target.value)}>
        <option value="">{texts.none}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  const isLong = kind === "json" || (kind === "text" && typeof schema.maxLength === "number" && schema.maxLength > 200);
  if (isLong) return <textarea {...common} rows={4} onChange={(event) => onChange(event.target.value)} />;
  const isNumber = kind === "number" || kind === "integer";
  const type = kind === "text" ? (inputTypes.get(String(schema.format)) ?? "text") : "text";
  return (
    <input
      {...common}
      type={type}
      inputMode={isNumber ? (kind === "integer" ? "numeric" : "decimal") : undefined}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Choices that are all seen at once: of one value, or of several. */
function Options({ field, value, id, onChange }: ControlProps): ReactNode {
  const texts = useTexts();
  const { kind, required } = field;
  const booleans = [
    { value: "true", label: texts.yes },
    { value: "false", label: texts.no },
  ];
  const given = kind === "boolean" ? booleans : field.options;
  const isMany = kind === "many";
  const chosen: readonly string[] = typeof value === "string" ? [value] : value;
  const options = isMany || required ? given : [...given, { value: "", label: texts.none }];
  const choose = (option: string, isChosen: boolean) =>
    onChange(isMany ? [...chosen.filter((one) => one !== option), ...(isChosen ? [option] : [])] : option);
  return (
    <div className="options">
      {options.map((option, index) => (
        <label key={option.value}>
          <input
            type={isMany ? "checkbox" : "radio"}
            name={id}
            value={option.value}
            checked={chosen.includes(option.value)}
            {...(index === 0 && { "data-field": "" })}
            onChange={(event) => choose(option.value, event.target.checked)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
