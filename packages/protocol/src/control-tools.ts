import type { JsonObject } from "@resumable-mcp/core";
import { finalStatuses, unfinishedStatuses } from "@resumable-mcp/core/store";
import { answerActions } from "./elicitation.js";
import type { InputSchema } from "./input-schema.js";
import { JsonFields } from "./json-fields.js";
import { metaKeys } from "./meta-keys.js";

// A model reads all that is listed: an annotation whose default says the same is left out. Source: MCP, Tools, "Tool Annotations".
const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
/** A repeated call changes nothing more: a deleted task stays deleted. */
const destructive = { idempotentHint: true, openWorldHint: false } as const;
const idempotent = { ...destructive, destructiveHint: false } as const;

const task_id = { type: "string", minLength: 1, maxLength: 256 } as const;
const oneTask = { type: "object", properties: { task_id }, required: ["task_id"] } as const;
const noArguments = { type: "object", properties: {} } as const;

/** The longest wait of one `wait_for_task`, in seconds. */
const maxWaitSeconds = 45;

/** What is listed of a control tool. */
export interface ControlToolFacts {
  readonly title: string;
  readonly description: string;
  /** Source: MCP, Tools, "Tool Annotations". */
  readonly annotations: JsonObject;
  /** Its arguments. */
  readonly input: InputSchema;
}

/** What is listed of the control tools; docs/control-tools.md. */
export const controlToolFacts = {
  get_task: {
    title: "Get a task",
    description: 'Tells how far a long-running task is, and with include: ["result"] what it returned.',
    annotations: readOnly,
    input: {
      type: "object",
      properties: { task_id, include: { type: "array", items: { type: "string", enum: ["result"] } } },
      required: ["task_id"],
    },
  },
  wait_for_task: {
    title: "Wait for a task",
    description:
      "Waits for a task that an earlier result names, and gives the tool's result. While the status is not completed, call it again.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        task_id,
        timeout_seconds: { type: "number", minimum: 0, maximum: maxWaitSeconds, default: maxWaitSeconds },
      },
      required: ["task_id"],
    },
  },
  pause_task: {
    title: "Pause a task",
    description: "Stops a running task at its next checkpoint. Nothing is lost: it continues when it is resumed.",
    annotations: idempotent,
    input: oneTask,
  },
  resume_task: {
    title: "Resume a task",
    description: "Continues a paused, interrupted or failed task from its last checkpoint.",
    annotations: idempotent,
    input: oneTask,
  },
  cancel_task: {
    title: "Cancel a task",
    description: "Ends an unfinished task for good.",
    annotations: destructive,
    input: oneTask,
  },
  answer_task: {
    title: "Answer a task's question",
    description: "Passes the user's answer on to a task that asks. Ask the user; never answer for them.",
    annotations: idempotent,
    input: {
      type: "object",
      properties: {
        task_id,
        key: { type: "string", minLength: 1, maxLength: 256 },
        action: { type: "string", enum: answerActions },
        content: { type: "object" },
      },
      required: ["task_id", "key", "action"],
    },
  },
  delete_task: {
    title: "Delete a task",
    description: "Deletes a finished task and what it produced.",
    annotations: destructive,
    input: oneTask,
  },
  get_task_items: {
    title: "Get a task's items",
    description: "Reads what a task has produced so far, page by page.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        task_id,
        after: { type: "integer", minimum: 0, default: 0, description: "`next` of the page before." },
        limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      },
      required: ["task_id"],
    },
  },
  list_session_tasks: {
    title: "List tasks",
    description: "Lists the caller's long-running tasks, newest first, finished and unfinished.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        status: { type: "array", items: { type: "string", enum: [...unfinishedStatuses, ...finalStatuses] } },
        task_name: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: 200, default: 50 },
        cursor: { type: "string" },
      },
    },
  },
  get_checkpoint_stats: {
    title: "Count tasks",
    description: "Counts the caller's tasks by status.",
    annotations: readOnly,
    input: noArguments,
  },
  get_session_info: {
    title: "Describe the session",
    description: "Tells the ids of this session, this request and this client.",
    annotations: readOnly,
    input: noArguments,
  },
} as const satisfies { readonly [name: string]: ControlToolFacts };

/** The name of a control tool, without a prefix. */
export type ControlToolName = keyof typeof controlToolFacts;

/** Tells whether a name is that of a control tool without a prefix. */
export function isControlToolName(name: string): name is ControlToolName {
  return Object.hasOwn(controlToolFacts, name);
}

/** Which control tools `tools/list` shows: `none`: the server has none. The others can all be called, listed or not. */
export const controlToolModes = ["all", "minimal", "none"] as const;

/** One of the modes. */
export type ControlToolMode = (typeof controlToolModes)[number];

/**
 * What `minimal` lists: the control tools that texts tell a model to call, since hosts refuse a model's call of a tool that
 * they did not see listed.
 */
const minimalControlTools: readonly ControlToolName[] = [
  "wait_for_task",
  "resume_task",
  "cancel_task",
  "answer_task",
  "list_session_tasks",
];

/** The control tools that `tools/list` shows, without their prefix. Pure. */
export function listedControlTools(mode: ControlToolMode = "minimal"): readonly ControlToolName[] {
  return mode === "none"
    ? []
    : mode === "minimal"
      ? minimalControlTools
      : Object.keys(controlToolFacts).filter(isControlToolName);
}

/** What a server says of its control tools. */
export interface ControlToolsOffer {
  readonly listed: ControlToolMode;
  /** Stands before the name of each of them. */
  readonly prefix: string;
}

/**
 * Reads from a result of `tools/list` which control tools the server has: all of them, or none. `undefined` where it says
 * nothing, as servers of other makers do. Pure.
 */
export function readControlTools(list: unknown): ControlToolsOffer | undefined {
  const offer = JsonFields.of(list)?.object("_meta")?.[metaKeys.controlTools];
  const fields = JsonFields.of(offer);
  const listed = controlToolModes.find((mode) => mode === fields?.text("listed"));
  return listed === undefined ? undefined : { listed, prefix: fields?.text("prefix") ?? "" };
}

/** The `_meta` of a listed control tool: a call of one that only reads may be sent again from the journal. */
export function controlToolMeta(name: ControlToolName): JsonObject {
  const { readOnlyHint }: JsonObject = controlToolFacts[name].annotations;
  return { [metaKeys.clientId]: "argument", ...(readOnlyHint === true ? { [metaKeys.durable]: "journal" } : {}) };
}

/** What a list would say of each control tool that a server has, also of those that it does not show. Pure. */
export function offeredControlTools({ listed, prefix }: ControlToolsOffer): readonly ControlToolEntry[] {
  const names = listed === "none" ? [] : Object.keys(controlToolFacts).filter(isControlToolName);
  return names.map((name) => ({
    name: `${prefix}${name}`,
    annotations: controlToolFacts[name].annotations,
    _meta: controlToolMeta(name),
  }));
}

/** The part of a listed tool that says how its calls are treated. */
export interface ControlToolEntry {
  readonly name: string;
  readonly annotations: JsonObject;
  readonly _meta: JsonObject;
}

/** The control tool that a name means on a server with this prefix. */
export function findControlTool(name: string, { listed, prefix }: ControlToolsOffer): ControlToolName | undefined {
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return listed !== "none" && isControlToolName(own) ? own : undefined;
}
