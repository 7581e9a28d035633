import { isFinal } from "@resumable-mcp/protocol";
import { canDo } from "@resumable-mcp/protocol/display";
import { type ReactNode, useCallback, useState } from "react";
import { mayAct } from "../../model/panel-state.js";
import { type PanelTask, wholeArguments } from "../../model/panel-task.js";
import { listRoute } from "../../model/route.js";
import { useTexts } from "../../texts/texts.js";
import { usePanel, usePanelState } from "../panel-context.js";
import { Confirm } from "../parts/confirm.js";
import { RunDialog } from "../run/run-dialog.js";

type Asked = "cancel" | "delete" | "restart";

/** What can be asked of one task as it is now. */
export function TaskActions({ task }: { readonly task: PanelTask }): ReactNode {
  const texts = useTexts();
  const { model, go } = usePanel();
  const [asked, setAsked] = useState<Asked>();
  const [isRunning, setRunning] = useState(false);
  const { id, status, tool } = task.info;
  const given = wholeArguments(task);
  const closeForm = useCallback(() => setRunning(false), []);
  const isSteerable = usePanelState(mayAct);
  const isForeign = usePanelState(({ allOwners }) => allOwners);
  const isOver = isFinal(status) && task.gone !== true;
  const confirmed = async (verb: Asked) => {
    if (verb !== "restart") {
      await model.steer(verb, [id]);
      if (verb === "delete" && !model.getSnapshot().tasks.has(id)) go(listRoute);
      return;
    }
    const taskId = await model.restart(id);
    if (taskId !== undefined) go({ name: "task", taskId });
  };
  if (!isSteerable) return null;
  return (
    <div className="actions">
      {canDo("pause", task) && (
        <button type="button" data-key="p" onClick={() => void model.steer("pause", [id])}>
          {texts.verbs.pause}
        </button>
      )}
      {canDo("resume", task) && (
        <button type="button" className="strong" data-key="r" onClick={() => void model.steer("resume", [id])}>
          {texts.verbs.resume}
        </button>
      )}
      {canDo("cancel", task) && (
        <button type="button" data-key="c" onClick={() => setAsked("cancel")}>
          {texts.verbs.cancel}
        </button>
      )}
      {isOver && (
        <>
          {!isForeign && (
            <button
              type="button"
              data-key="r"
              onClick={() => (given === undefined ? setAsked("restart") : setRunning(true))}
            >
              {texts.verbs.restart}
            </button>
          )}
          <button type="button" className="quiet" onClick={() => setAsked("delete")}>
            {texts.verbs.delete}
          </button>
        </>
      )}
      {isRunning && given !== undefined && (
        <RunDialog again={{ taskId: id, tool, arguments: given }} onDone={closeForm} />
      )}
      {asked !== undefined && (
        <Confirm
          text={texts.confirm[asked](1)}
          label={texts.verbs[asked]}
          onDone={(isConfirmed) => {
            setAsked(undefined);
            if (isConfirmed) void confirmed(asked);
          }}
        />
      )}
    </div>
  );
}
