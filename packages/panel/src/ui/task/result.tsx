import { isFinal } from "@resumable-mcp/protocol";
import { type ReactNode, useMemo } from "react";
import { readStructured, textOfResult } from "../../connection/connection.js";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { CopyButton } from "../parts/copy-button.js";
import { JsonTree } from "../parts/json-tree.js";
import { LongText } from "../parts/long-text.js";

/** What the call of a task returned: its data, else its text. */
export function Result({ task: { result, info } }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const content = useMemo(() => (result === undefined ? undefined : readStructured(result)), [result]);
  if (result === undefined) return <p className="muted">{isFinal(info.status) ? texts.loading : texts.noResult}</p>;
  return (
    <>
      {result.isError === true && <p className="field-error">{texts.isError}</p>}
      {content === undefined ? <LongText text={textOfResult(result)} /> : <JsonTree value={content} />}
      <CopyButton text={() => (content === undefined ? textOfResult(result) : JSON.stringify(content, null, 2))} />
    </>
  );
}
