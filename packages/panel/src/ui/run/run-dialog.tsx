import type { JsonObject } from "@resumable-mcp/protocol";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { RunnableTool } from "../../model/runnable-tool.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, useToolTitle } from "../panel-context.js";
import { useSchemaForm } from "../parts/form-fields.js";
import { LongText } from "../parts/long-text.js";
import { Notices } from "../parts/notices.js";

interface RunDialogProps {
  /** The finished task that is run once more; else the user chooses a tool. */
  readonly again?: { readonly taskId: string; readonly tool: string; readonly arguments: JsonObject };
  readonly onDone: () => void;
}

/** Asks which tool is to be run, and with which arguments. */
export function RunDialog({ again, onDone }: RunDialogProps): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const titleOf = useToolTitle();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [tools, setTools] = useState<readonly RunnableTool[]>();
  const [tool, setTool] = useState<RunnableTool>();
  useEffect(() => dialog.current?.showModal(), []);
  const choose = async (name: string) => setTool((await model.tools(name))?.[0]);
  const only = again?.tool;
  useEffect(() => {
    const load = async () => {
      const found = await model.tools(only);
      // What went wrong is said behind the dialog.
      if (found === undefined) onDone();
      setTools(found);
      if (only !== undefined) setTool(found?.[0]);
    };
    void load();
  }, [model, only, onDone]);
  return (
    <dialog ref={dialog} className="confirm run" aria-labelledby={id} onClose={onDone}>
      <h2 id={id}>{again === undefined ? texts.runTool : `${texts.verbs.restart}: ${titleOf(again.tool)}`}</h2>
      {again === undefined && tools !== undefined && tools.length > 0 && (
        <div className="field">
          <label htmlFor={`${id}-tool`}>{texts.serverFields.tool}</label>
          <select id={`${id}-tool`} value={tool?.name ?? ""} onChange={({ target }) => void choose(target.value)}>
            <option value="" disabled>
              {texts.chooseTool}
            </option>
            {tools.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </div>
      )}
      {tools === undefined && <p className="muted">{texts.loading}</p>}
      {tools?.length === 0 && <p className="muted">{texts.noTools}</p>}
      {tool === undefined ? (
        <div className="actions">
          <button type="button" onClick={onDone}>
            {texts.close}
          </button>
        </div>
      ) : (
        <RunForm key={tool.name} tool={tool} again={again} onDone={onDone} />
      )}
    </dialog>
  );
}

/** The arguments for which the form has no field. */
function withoutFields(args: JsonObject, { properties }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !Object.hasOwn(Object(properties), key)));
}

function RunForm({ tool, again, onDone }: RunDialogProps & { readonly tool: RunnableTool }): ReactNode {
  const texts = useTexts();
  const { model, go } = usePanel();
  const [schema] = useState(() => tool.schema ?? {});
  const { fields, element, check } = useSchemaForm(schema, again?.arguments);
  const [sending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const content = check();
    if (content === undefined) return;
    setSending(true);
    const taskId = await (again === undefined
      ? model.run(tool.name, content)
      : model.restart(again.taskId, { ...withoutFields(again.arguments, schema), ...content }));
    setSending(false);
    if (taskId === undefined) return;
    onDone();
    go({ name: "task", taskId });
  };
  return (
    <form className="run-form" ref={element} noValidate onSubmit={(event) => void submit(event)}>
      <LongText text={tool.description} className="muted" />
      {fields}
      <Notices />
      <div className="actions">
        <button type="button" onClick={onDone}>
          {texts.close}
        </button>
        <button type="submit" className="strong" disabled={sending}>
          {again === undefined ? texts.run : texts.verbs.restart}
        </button>
      </div>
    </form>
  );
}
