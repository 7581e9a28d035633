import { isJsonObject } from "@resumable-mcp/core";
import {
  type ControlToolFacts,
  type ControlToolName,
  type ControlToolsOffer,
  controlToolFacts,
} from "./control-tools.js";

/** The name of the extension. Source: MCP Apps 2026-01-26, "Extension Identifier". */
export const appsExtension = "io.modelcontextprotocol/ui";

/** The media type of a page. Source: MCP Apps 2026-01-26, "UI Resource Format". */
export const appMimeType = "text/html;profile=mcp-app";

/** The resource that holds the panel. */
export const panelUri = "ui://resumable-mcp/panel";

/** The longest part of a journal that one call gives, in events. */
const maxPanelEvents = 1_000;

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

const { task_id } = controlToolFacts.get_task.input.properties;

const tool = { type: "string", minLength: 1, maxLength: 256, description: "The name of the tool." } as const;
const callArguments = { type: "object", description: "The arguments of the call." } as const;
const oneCall = {
  type: "object",
  properties: { tool, arguments: callArguments },
  required: ["tool", "arguments"],
} as const;

/** It runs a tool that may be anything. */
const runsAnything = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

/**
 * What is listed of the panel's own tools; docs/control-tools.md, "The panel's tools". Only clients that show apps see them, and
 * only apps call them.
 */
export const panelToolFacts = {
  find_task: {
    title: "Find a call's task",
    description: "Finds the newest task that a call with these arguments made or would join.",
    annotations: readOnly,
    input: oneCall,
  },
  list_tools: {
    title: "List the tools that can be run",
    description: "Lists the resumable tools that the caller may call; of one tool, also the schema of its arguments.",
    annotations: readOnly,
    input: { type: "object", properties: { tool } },
  },
  get_task_journal: {
    title: "Get a task's journal",
    description: "Reads what happened to a task: progress, log, steps, questions and attempts.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        task_id,
        after: {
          type: "integer",
          minimum: 0,
          default: 0,
          description: "`next` of the part before; 0: the newest events.",
        },
        limit: { type: "integer", minimum: 1, maximum: maxPanelEvents, default: 200 },
      },
      required: ["task_id"],
    },
  },
  answer_question: {
    title: "Answer a task's question in the panel",
    description:
      "Passes on the answer that a user gave in the panel, also to a question that only the user may answer.",
    annotations: controlToolFacts.answer_task.annotations,
    input: controlToolFacts.answer_task.input,
  },
  run_tool: {
    title: "Run a tool",
    description: "Begins a task of a tool, which joins no other of the same call.",
    annotations: runsAnything,
    input: oneCall,
  },
  restart_task: {
    title: "Restart a task",
    description: "Begins another task with the tool of a finished one, and with its arguments unless others are given.",
    annotations: runsAnything,
    input: { type: "object", properties: { task_id, arguments: callArguments }, required: ["task_id"] },
  },
  get_server_info: {
    title: "Describe the server",
    description: "Tells operators which servers share the store, and how much is in it.",
    annotations: readOnly,
    input: { type: "object", properties: {} },
  },
} as const satisfies { readonly [name: string]: ControlToolFacts };

/** What operators may ask for all owners, by `_meta`: what only reads, and what changes tasks. */
export const allOwnersUses: { readonly [Name in ControlToolName | keyof typeof panelToolFacts]?: "read" | "act" } = {
  get_task: "read",
  get_task_items: "read",
  get_task_journal: "read",
  list_session_tasks: "read",
  get_checkpoint_stats: "read",
  pause_task: "act",
  resume_task: "act",
  cancel_task: "act",
  delete_task: "act",
};

/** The name of a tool of the panel, without a prefix. */
export type PanelToolName = keyof typeof panelToolFacts;

/** Tells whether a name is that of a tool of the panel without a prefix. */
export function isPanelToolName(name: string): name is PanelToolName {
  return Object.hasOwn(panelToolFacts, name);
}

/** The tool of the panel that a name means on a server with this prefix. */
export function findPanelTool(name: string, { prefix }: Pick<ControlToolsOffer, "prefix">): PanelToolName | undefined {
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return isPanelToolName(own) ? own : undefined;
}

/**
 * Whether a client's capabilities say that it shows the pages of MCP Apps. Pure.
 *
 * Source: MCP Apps 2026-01-26, "Client<>Server Capability Negotiation".
 */
export function showsApps(capabilities: unknown): boolean {
  const extensions = isJsonObject(capabilities) ? capabilities.extensions : undefined;
  const own = isJsonObject(extensions) && Object.hasOwn(extensions, appsExtension) ? extensions[appsExtension] : {};
  const types = isJsonObject(own) ? own.mimeTypes : undefined;
  return Array.isArray(types) && types.includes(appMimeType);
}
