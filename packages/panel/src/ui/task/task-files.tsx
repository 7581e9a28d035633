import { type ReactNode, useState } from "react";
import { lineText } from "../../model/bounded.js";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel } from "../panel-context.js";
import { bytesText } from "../parts/bytes-text.js";

/** The files that a task made. A host cannot save them, and shows their names. */
export function TaskFiles({ task: { info } }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { connection } = usePanel().model;
  const [problem, setProblem] = useState<string>();
  const { id, artifacts = [] } = info;
  if (artifacts.length === 0) return null;
  const save = (name: string) => {
    setProblem(undefined);
    connection.file?.(id, name).then(
      (file) => saveAs(file, name),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <section className="family" aria-labelledby="files">
      <h2 id="files">{texts.files}</h2>
      {problem !== undefined && <p className="field-error">{problem}</p>}
      <ul className="children">
        {artifacts.map(({ name, bytes }) => (
          <li key={name}>
            {lineText(name)} <span className="muted">{bytesText(bytes)}</span>{" "}
            {connection.file !== undefined && (
              <button type="button" aria-label={`${texts.save} ${lineText(name)}`} onClick={() => save(name)}>
                {texts.save}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Hands a file to the browser's downloads, under a name without folders and invisible characters. */
export function saveAs(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name.replace(/[/\\\p{C}\p{Zl}\p{Zp}]/gu, "_");
  link.click();
  URL.revokeObjectURL(link.href);
}
