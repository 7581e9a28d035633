import type { Json } from "@resumable-mcp/protocol";
import { type ReactNode, useEffect, useState } from "react";
import { useTexts } from "../../texts/texts.js";
import { usePanel } from "../panel-context.js";
import { JsonTree } from "../parts/json-tree.js";

/** Items on one page. */
const pageSize = 25;

/** What a task has made so far, page by page. */
export function Items({ taskId, count }: { readonly taskId: string; readonly count: number }): ReactNode {
  const texts = useTexts();
  const [after, setAfter] = useState(0);
  // Only the last page changes while a task makes more.
  const isLast = count <= after + pageSize;
  const { items, problem } = usePage(taskId, after, isLast ? count : -1);
  if (count === 0) return <p className="muted">{texts.noItems}</p>;
  const last = Math.max(0, Math.floor((count - 1) / pageSize) * pageSize);
  const steps = [
    { label: texts.firstPage, to: 0, off: after === 0 },
    { label: texts.previousPage, to: Math.max(0, after - pageSize), off: after === 0 },
    { label: texts.nextPage, to: after + pageSize, off: isLast },
    { label: texts.lastPage, to: last, off: isLast },
  ];
  return (
    <>
      <nav className="pages" aria-label={texts.parts.items}>
        {steps.map(({ label, to, off }) => (
          <button key={label} type="button" disabled={off} onClick={() => setAfter(to)}>
            {label}
          </button>
        ))}
        <span className="muted" role="status">
          {texts.pageOf(after + 1, Math.min(count, after + pageSize), count)}
        </span>
      </nav>
      {problem !== undefined && <p className="field-error">{problem}</p>}
      <ol className="items" start={after + 1}>
        {items?.map((item, index) => (
          <li key={after + index}>
            <span className="item-number">{after + index + 1}</span>
            <JsonTree value={item} depth={2} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Reads a page, and reads it again when `change` changes. */
function usePage(taskId: string, after: number, change: number) {
  const { model } = usePanel();
  const [found, setFound] = useState<{ readonly items?: readonly Json[]; readonly problem?: string }>({});
  useEffect(() => {
    let isCurrent = true;
    model.items(taskId, after, pageSize).then(
      (items) => isCurrent && setFound({ items }),
      (error: unknown) => isCurrent && setFound({ problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [model, taskId, after, change]);
  return found;
}
