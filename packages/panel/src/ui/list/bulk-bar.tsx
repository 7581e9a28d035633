import { isFinal } from "@resumable-mcp/protocol";
import { canDo } from "@resumable-mcp/protocol/display";
import { type ReactNode, useState } from "react";
import type { BulkVerb } from "../../model/panel-model.js";
import type { PanelTask } from "../../model/panel-task.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel } from "../panel-context.js";
import { Confirm } from "../parts/confirm.js";

const verbs = ["pause", "resume", "cancel", "delete"] as const;

/** Whether a request makes sense for a task; only finished tasks can be deleted. */
function applies(verb: BulkVerb, task: PanelTask): boolean {
  return verb === "delete" ? isFinal(task.info.status) && task.away === undefined : canDo(verb as "pause", task);
}

/** What can be asked of the tasks that are selected. */
export function BulkBar({
  tasks,
  onClear,
}: {
  readonly tasks: readonly PanelTask[];
  readonly onClear: () => void;
}): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const [asked, setAsked] = useState<{ readonly verb: "cancel" | "delete"; readonly ids: readonly string[] }>();
  const idsFor = (verb: BulkVerb) => tasks.filter((task) => applies(verb, task)).map(({ info }) => info.id);
  const start = (verb: (typeof verbs)[number]) => {
    const ids = idsFor(verb);
    if (verb === "cancel" || verb === "delete") setAsked({ verb, ids });
    else void model.steer(verb, ids).then(onClear);
  };
  return (
    <div className="bulk" role="group" aria-label={texts.selected(tasks.length)}>
      <strong>{texts.selected(tasks.length)}</strong>
      {verbs.map((verb) => {
        const count = idsFor(verb).length;
        return (
          <button key={verb} type="button" disabled={count === 0} onClick={() => start(verb)}>
            {texts.verbs[verb]}
            {count > 0 && count < tasks.length && <span className="count">{count}</span>}
          </button>
        );
      })}
      <button type="button" className="quiet" onClick={onClear}>
        {texts.clearSelection}
      </button>
      {asked !== undefined && (
        <Confirm
          text={texts.confirm[asked.verb](asked.ids.length)}
          label={texts.verbs[asked.verb]}
          onDone={(confirmed) => {
            setAsked(undefined);
            if (confirmed) void model.steer(asked.verb, asked.ids).then(onClear);
          }}
        />
      )}
    </div>
  );
}
