import type { JsonObject } from "@resumable-mcp/protocol";
import { parseJson } from "@resumable-mcp/protocol";
import { z } from "zod";
import { jsonObjectSchema } from "../json.js";

/** The version that this program writes; a higher one belongs to a newer program. */
export const stateVersion = 1;

/** What makes a file a state file of this client, and not the JSON of another program. */
export const stateFormat = "resumable-mcp-client";

const activeTask = z.object({
  task_id: z.string(),
  task_name: z.string(),
  server_url: z.string(),
  current_step: z.number(),
  total_steps: z.number().nullable(),
  last_message: z.string().nullable(),
  started_at: z.string(),
  last_update: z.string(),
});

const completedTask = z.object({
  task_id: z.string(),
  task_name: z.string(),
  server_url: z.string(),
  status: z.enum(["completed", "failed", "cancelled"]),
  finished_at: z.string(),
});

const knownServer = z.object({
  server_url: z.string(),
  /** The name that its user gave it. */
  name: z.string().optional(),
  /** Present for servers that are started by a command. */
  command: z.array(z.string()).optional(),
  session_id: z.string().nullable(),
  protocol_version: z.string().nullable(),
  /** It said that this client is local, which then does not name itself there. */
  local: z.boolean().optional(),
});

const pendingRun = z.object({
  run_id: z.string(),
  /** Tool, server and arguments, as one text. */
  call: z.string(),
  /** The process that sent it, to tell a crash from a neighbour at work. */
  pid: z.number(),
  created_at: z.string(),
});

/** By the name of the tool. */
const lastArguments: z.ZodType<Record<string, JsonObject>> = z.record(z.string(), jsonObjectSchema);

/** The state file, as it stands on the disk. Names are those of the wire. */
export const clientStateSchema = z.object({
  format: z.literal(stateFormat),
  version: z.literal(stateVersion),
  /** Of 256 random bits, unless it was imported. */
  client_id: z.string().min(8),
  /** It was imported, and owns tasks: the client names it on this machine, too. */
  imported: z.boolean().optional(),
  created_at: z.string(),
  servers: z.record(z.string(), knownServer),
  active_tasks: z.record(z.string(), activeTask),
  /** Oldest first. */
  completed_tasks: z.array(completedTask),
  /** Forced new runs whose task id has not come back yet. */
  pending_runs: z.array(pendingRun),
  last_arguments: lastArguments,
  /** Unfinished tasks that the user does not want to see, oldest first. */
  forgotten_tasks: z.array(z.string()).default([]),
});

/** What a client remembers between two runs of its program. */
export type ClientState = z.infer<typeof clientStateSchema>;

/** A task that was not over when this client last saw it. */
export type ActiveTask = z.infer<typeof activeTask>;

/** A task whose end this client has seen. */
export type CompletedTask = z.infer<typeof completedTask>;

/** Creates the state of a client that never ran before. */
export function createClientState(clientId: string, now: string): ClientState {
  return {
    format: stateFormat,
    version: stateVersion,
    client_id: clientId,
    created_at: now,
    servers: {},
    active_tasks: {},
    completed_tasks: [],
    pending_runs: [],
    last_arguments: {},
    forgotten_tasks: [],
  };
}

/** A state file of a newer program. */
export interface NewerState {
  readonly kind: "newer";
  readonly version: number;
  readonly clientId?: string;
}

const marked = z.looseObject({ format: z.literal(stateFormat), version: z.number(), client_id: z.string().optional() });

/**
 * Says what a file is that does not hold a state of this version; never throws.
 *
 * `corrupt`: not JSON, or a damaged file of this client; `foreign`: the JSON of another program.
 */
export function classifyState(text: string): NewerState | { readonly kind: "corrupt" | "foreign" } {
  const json = parseJson(text);
  if (json === undefined) return { kind: "corrupt" };
  const head = marked.safeParse(json);
  if (!head.success) return { kind: "foreign" };
  const { version, client_id: clientId } = head.data;
  if (version <= stateVersion) return { kind: "corrupt" };
  return { kind: "newer", version, clientId };
}
