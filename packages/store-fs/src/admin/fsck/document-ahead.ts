import { isFinal } from "@resumable-mcp/core";
import { quarantineTask } from "../../disk/quarantine.js";
import { readFrom } from "../../disk/whole-file.js";
import { lostEnd, newestView } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import { parseTaskDocument } from "../../task/task-documents.js";
import { moveAside } from "./move-aside.js";
import type { Problem, Remedy } from "./problem.js";
import { refuseIfHeld } from "./task-holder.js";

/**
 * A document that shows a later event than the journal holds: the journal lost its end, or the folder was copied while a
 * server ran. A task that had finished must not run again; any other goes on from what its journal holds.
 */
export function documentAhead(store: OpenStore, taskId: string, path: string): readonly Problem[] {
  const { context } = store;
  const text = readFrom(context.disk, path)?.toString("utf8");
  const document = text === undefined ? undefined : parseTaskDocument(text);
  // Read after the document: a journal only grows.
  const view = newestView(context, taskId);
  if (document === undefined || view === undefined || document.birth !== view.header.birth) return [];
  const [shown, held] = [document.record.lastSeq, view.record.lastSeq];
  if (shown <= held) return [];
  const message = `shows event ${shown}, and the journal ends with event ${held}: the journal lost its end, or the folder was copied while a server ran`;
  const goOn: Remedy = {
    ...moveAside(path, message, { name: `${taskId}.task.json`, taskId }),
    says: `keep it in quarantine/, and let the task go on from event ${held}`,
  };
  const setAside: Remedy = {
    says: `move the task to quarantine/${taskId}`,
    apply: async (repairing) => {
      refuseIfHeld(repairing, taskId);
      quarantineTask(repairing.context, taskId, lostEnd(view, shown));
    },
  };
  const remedy = isFinal(document.record.status) ? setAside : goOn;
  return [{ kind: "lost_end", severity: "damage", taskId, path, message, remedy }];
}
