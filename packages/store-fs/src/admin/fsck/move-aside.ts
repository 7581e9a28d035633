import { basename } from "node:path";
import { hasCode } from "../../disk/disk.js";
import { quarantineFile } from "../../disk/quarantine.js";
import type { OpenStore } from "../../open-store.js";
import type { Remedy } from "./problem.js";
import { refuseIfHeld } from "./task-holder.js";

/** Moves something to `quarantine/` as it is, with a report that says where it was. */
export function moveAside(
  path: string,
  problem: string,
  { name = basename(path), taskId }: { readonly name?: string; readonly taskId?: string } = {},
): Remedy {
  return {
    says: `move it to quarantine/${name.replace(/^\.+/, "")}`,
    apply: async (store: OpenStore) => {
      if (taskId !== undefined) refuseIfHeld(store, taskId);
      try {
        quarantineFile(store.context, path, name.replace(/^\.+/, ""), problem);
      } catch (error) {
        // A server that met it was faster.
        if (!hasCode(error, "ENOENT")) throw error;
      }
    },
  };
}
