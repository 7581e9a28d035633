import type { PanelServer } from "../server/panel-server.js";
import { connectClient } from "../server/start-task.js";

/** A state of the panel, by the address at which it is seen. */
export interface PanelState {
  readonly name: string;
  readonly path: string;
  /** A text that is there when it is seen. */
  readonly shows: RegExp;
}

/** Makes tasks in every status on a server of `panel` tools, whose gate is open to half of the records. */
export async function makeStates(server: PanelServer, gate: string): Promise<readonly PanelState[]> {
  const client = await connectClient(server);
  const start = (tool: string, name: string, args = {}) => client.start(tool, { name, to: 50, gate, ...args });
  const running = await start("count_records", "harbour log 1903");
  const asking = await start("review_records", "letters, second box");
  const failed = await start("fail_records", "card index", { to: 7 }).catch(() => undefined);
  const done = await start("count_records", "parish register", { to: 12 });
  const paused = await start("count_records", "photographs");
  await client.call("pause_task", { task_id: paused });
  const at = (id: string, part = ""): string => `/ui#/tasks/${id}${part === "" ? "" : `/${part}`}`;
  return [
    { name: "list", path: "/ui#/", shows: /parish register/ },
    { name: "running", path: at(running), shows: /running/ },
    { name: "asking", path: at(asking), shows: /Who reviews the second half/ },
    { name: "paused", path: at(paused), shows: /paused/ },
    { name: "completed", path: at(done), shows: /completed/ },
    ...(failed === undefined ? [] : [{ name: "failed", path: at(failed), shows: /no date/ }]),
    { name: "timeline", path: at(running, "timeline"), shows: /attempt/i },
    { name: "log", path: at(running, "log"), shows: /10 records are counted/ },
    { name: "steps", path: at(running, "steps"), shows: /open the archive/ },
    { name: "items", path: at(running, "items"), shows: /record/ },
    { name: "result", path: at(done, "result"), shows: /counted/ },
    { name: "activity", path: "/ui#/?range=hour", shows: /5 started, 1 ended, 1 failed/ },
    { name: "server", path: "/ui#/server", shows: /Replicas/ },
    { name: "unknown", path: at("0".repeat(32)), shows: /not found|no task/i },
  ];
}
