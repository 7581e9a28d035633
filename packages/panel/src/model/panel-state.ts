import type { JsonObject, TaskFacts, TaskJournal } from "@resumable-mcp/protocol";
import { type Away, plainText } from "@resumable-mcp/protocol/display";
import { awayTask, leftTask, type PanelTask, seenAlone, seenTask, withEvents } from "./panel-task.js";

/** How the panel stands with its server. */
export type Link =
  | { readonly name: "connecting" | "live" | "signed_out" }
  /** The server is away: since when, why, and when it is tried again, in milliseconds since 1970. */
  | { readonly name: "reconnecting"; readonly sinceMs: number; readonly reason: string; readonly retryAtMs: number };

/** What the user should know, once. */
export interface Notice {
  readonly kind: "info" | "error";
  readonly text: string;
}

/** In a host: the task of the call for which the view was opened. */
export type Opened =
  | { readonly name: "unknown" | "looking" | "list" | "none" }
  | { readonly name: "found"; readonly taskId: string };

/** Everything that the views show, as one value that is replaced and never changed. */
export interface PanelState {
  readonly tasks: ReadonlyMap<string, PanelTask>;
  /** Ids that the server does not know, or that belong to another user: it does not say which. */
  readonly unknown: ReadonlySet<string>;
  /** The ids of the list, newest first; `undefined` before the first answer. */
  readonly listed?: readonly string[];
  /** How many tasks the caller has, of which the list shows the newest. */
  readonly total: number;
  readonly counts?: Readonly<Record<string, number>>;
  /** Of all owners: failed tasks, by tool. */
  readonly failedByTool?: Readonly<Record<string, number>> | undefined;
  /** An operator looks at the tasks of all owners. */
  readonly allOwners: boolean;
  readonly link: Link;
  /** What people call the tools that the caller may run, by their names. */
  readonly titles?: ReadonlyMap<string, string>;
  /** What the server tells operators; `denied` for other callers. */
  readonly server?: JsonObject | "denied";
  readonly opened: Opened;
  readonly notice?: Notice;
}

/** What happens to the panel. */
export type PanelAction =
  | { readonly type: "listed"; readonly tasks: readonly TaskFacts[]; readonly total: number; readonly atMs: number }
  | ({ readonly type: "counted"; readonly counts: Readonly<Record<string, number>> } & Pick<PanelState, "failedByTool">)
  /** The list is of all owners from now on, or of the caller alone. */
  | { readonly type: "owners"; readonly allOwners: boolean }
  | { readonly type: "seen"; readonly task: TaskFacts; readonly atMs: number }
  | { readonly type: "journal"; readonly taskId: string; readonly journal: TaskJournal }
  | { readonly type: "result"; readonly taskId: string; readonly result: JsonObject }
  | { readonly type: "gone" | "removed"; readonly taskId: string }
  | { readonly type: "requested"; readonly taskId: string; readonly verb: PanelTask["requested"] }
  /** Another view: only the task that it shows keeps what no list shows. */
  | { readonly type: "looked"; readonly taskId: string | undefined }
  | { readonly type: "server"; readonly server: JsonObject | "denied" }
  | { readonly type: "titles"; readonly titles: ReadonlyMap<string, string> }
  | { readonly type: "opened"; readonly opened: Opened }
  | { readonly type: "connecting" | "live" }
  | { readonly type: "away"; readonly reason: string; readonly atMs: number; readonly retryAtMs: number }
  | { readonly type: "signed_out" }
  | { readonly type: "notice"; readonly notice: Notice | undefined };

/** The panel before anything is known. */
export const initialState: PanelState = {
  tasks: new Map(),
  unknown: new Set(),
  total: 0,
  allOwners: false,
  link: { name: "connecting" },
  opened: { name: "unknown" },
};

type Reduce<Type> = (state: PanelState, action: Extract<PanelAction, { readonly type: Type }>) => PanelState;

const reducers: { readonly [Type in PanelAction["type"]]: Reduce<Type> } = {
  listed: (state, { tasks, total, atMs }) => {
    // What is neither listed nor the task of the view's own call is read again when it is looked at.
    const own = state.opened.name === "found" ? state.tasks.get(state.opened.taskId) : undefined;
    const all = new Map<string, PanelTask>(own === undefined ? [] : [[own.info.id, own]]);
    for (const info of tasks) all.set(info.id, seenTask(state.tasks.get(info.id), info, atMs));
    return { ...state, tasks: all, total, listed: sameOrder(state.listed, tasks) };
  },
  counted: (state, { counts, failedByTool }) => ({ ...state, counts, failedByTool }),
  owners: ({ link, titles, server, opened }, { allOwners }) => ({
    ...initialState,
    ...{ link, titles, server, opened, allOwners },
  }),
  seen: (state, { task, atMs }) => change(state, task.id, (known) => seenAlone(known, task, atMs)),
  journal: (state, { taskId, journal }) =>
    change(state, taskId, (task) => task && { ...task, journal: withEvents(task.journal, journal) }),
  result: (state, { taskId, result }) => change(state, taskId, (task) => task && { ...task, result }),
  gone: (state, { taskId }) => {
    const unknown = state.unknown.has(taskId) ? state.unknown : new Set([...state.unknown, taskId]);
    return change({ ...state, unknown }, taskId, (task) =>
      task?.gone === true ? task : task && { ...task, gone: true },
    );
  },
  removed: (state, { taskId }) => ({
    ...state,
    tasks: new Map([...state.tasks].filter(([id]) => id !== taskId)),
    listed: state.listed?.filter((id) => id !== taskId),
  }),
  requested: (state, { taskId, verb }) => change(state, taskId, (task) => task && { ...task, requested: verb }),
  looked: (state, { taskId }) => {
    const own = taskId ?? (state.opened.name === "found" ? state.opened.taskId : undefined);
    return { ...state, tasks: new Map([...state.tasks].map(([id, task]) => [id, id === own ? task : leftTask(task)])) };
  },
  server: (state, { server }) => ({ ...state, server }),
  titles: (state, { titles }) => ({ ...state, titles }),
  opened: (state, { opened }) => ({ ...state, opened }),
  connecting: (state) => ({ ...state, link: { name: "connecting" } }),
  live: (state) =>
    state.link.name === "live" ? state : { ...state, link: { name: "live" }, tasks: back(state.tasks) },
  away: (state, { reason, atMs, retryAtMs }) => {
    const sinceMs = state.link.name === "reconnecting" ? state.link.sinceMs : atMs;
    const away: Away = { reason: plainText(reason), sinceMs };
    const tasks = new Map([...state.tasks].map(([id, task]) => [id, awayTask(task, away)]));
    return { ...state, tasks, link: { name: "reconnecting", ...away, retryAtMs } };
  },
  // Another user may sign in: nothing of the last one stays.
  signed_out: () => ({ ...initialState, link: { name: "signed_out" } }),
  notice: (state, { notice }) => ({ ...state, notice: notice && { ...notice, text: plainText(notice.text) } }),
};

/** Decides what the panel shows next. */
export function reducePanel(state: PanelState, action: PanelAction): PanelState {
  // The function of a type takes the actions of that type.
  return (reducers[action.type] as Reduce<PanelAction["type"]>)(state, action);
}

function change(
  state: PanelState,
  taskId: string,
  apply: (task: PanelTask | undefined) => PanelTask | undefined,
): PanelState {
  const known = state.tasks.get(taskId);
  const next = apply(known);
  return next === undefined || next === known ? state : { ...state, tasks: new Map(state.tasks).set(taskId, next) };
}

/** A list in which nothing has moved stays the same value. */
function sameOrder(listed: readonly string[] | undefined, tasks: readonly TaskFacts[]): readonly string[] {
  const isSame = listed?.length === tasks.length && tasks.every(({ id }, index) => id === listed[index]);
  return isSame ? listed : tasks.map(({ id }) => id);
}

/** A server that answers again has its tasks back; what they are now, its answers say. */
function back(tasks: PanelState["tasks"]): PanelState["tasks"] {
  return new Map([...tasks].map(([id, task]) => [id, task.away === undefined ? task : { ...task, away: undefined }]));
}

/** What an operator may do with the tasks of all owners, as far as the server said. */
export function ownersReach({ server }: PanelState): "own" | "read" | "act" {
  const reach = server === undefined || server === "denied" ? undefined : server.all_owners;
  return reach === "read" || reach === "act" ? reach : "own";
}

/** Whether tasks may be changed that are shown. */
export function mayAct(state: PanelState): boolean {
  return !state.allOwners || ownersReach(state) === "act";
}
