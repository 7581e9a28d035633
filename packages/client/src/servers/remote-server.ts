import { ClientError } from "../client-error.js";
import type { Connection } from "../connection/connection.js";
import type { ListedTool } from "../connection/link.js";
import { raceAbort } from "../connection/race-abort.js";
import type { JsonObject } from "../json.js";
import type { ClientLimits } from "../limits.js";
import { controlFailure, type ToolResult } from "../tasks/tool-result.js";
import type { ServerConfig } from "./server-config.js";

/** The control tools that this client uses, by the names that they have without a prefix. */
export const controlTools = [
  "get_task",
  "wait_for_task",
  "pause_task",
  "resume_task",
  "cancel_task",
  "answer_task",
  "delete_task",
  "get_task_items",
  "list_session_tasks",
  "get_checkpoint_stats",
  "get_session_info",
] as const;

/** A control tool's name without its prefix. */
export type ControlTool = (typeof controlTools)[number];

/** One server as the client works with it. */
export interface RemoteServer {
  readonly address: string;
  readonly config: ServerConfig;
  readonly connection: Connection;
  /** The tools that it lists, the control tools included; asked once a connection. */
  tools(signal?: AbortSignal): Promise<readonly ListedTool[]>;
  /** The name of a control tool on this server, or `undefined` where it has none. */
  controlName(tool: ControlTool, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Calls a control tool and repeats the call after a break: all of them may be.
   *
   * @throws {@link ClientError} `NOT_RESUMABLE` where the server has no such tool, `TASK_NOT_FOUND`, `TASK_REFUSED`.
   */
  control(tool: ControlTool, values: JsonObject, signal?: AbortSignal): Promise<ToolResult>;
}

/** Creates a server over its connection. */
export function createRemoteServer(
  config: ServerConfig,
  address: string,
  connection: Connection,
  limits: ClientLimits,
): RemoteServer {
  let listed: Promise<readonly ListedTool[]> | undefined;
  connection.subscribe((change) => {
    // After a restart the server may offer other tools.
    if (change.type === "state" && change.state.name === "connecting") listed = undefined;
  });

  const tools = (signal?: AbortSignal) => {
    const timeoutMs = limits.requestTimeoutMs;
    // Shared by all who ask meanwhile: whoever gives up leaves it to the others.
    const request = () => connection.run((link) => link.listTools({ timeoutMs }), { retry: "always" });
    listed ??= request().catch((error: unknown) => {
      listed = undefined;
      throw error;
    });
    return raceAbort(listed, signal);
  };

  const controlName = async (tool: ControlTool, signal?: AbortSignal) => {
    const names = (await tools(signal)).map(({ name }) => name);
    const prefix = controlPrefix(names);
    return prefix !== undefined && names.includes(prefix + tool) ? prefix + tool : undefined;
  };

  const control = async (tool: ControlTool, values: JsonObject, signal?: AbortSignal) => {
    const name = await controlName(tool, signal);
    if (name === undefined) {
      throw new ClientError("NOT_RESUMABLE", `${address} has no ${tool}: its calls cannot be followed or steered.`);
    }
    const options = { timeoutMs: limits.requestTimeoutMs, ...(signal === undefined ? {} : { signal }) };
    let attempts = 0;
    const result = await connection.run(
      (link) => {
        attempts += 1;
        return link.callTool({ name, arguments: values, meta: {} }, options);
      },
      { retry: "always", ...(signal === undefined ? {} : { signal }) },
    );
    const failure = controlFailure(result);
    // The answer of an earlier attempt was lost, not the call.
    if (failure?.code === "ALREADY_ANSWERED" && attempts > 1) return result;
    if (failure !== undefined) throw refusedBy(failure);
    return result;
  };

  return { address, config, connection, tools, controlName, control };
}

/** Finds what stands before the names of the control tools, by the one that every server of the toolkit has. */
export function controlPrefix(names: readonly string[]): string | undefined {
  const wait = names.find((name) => name.endsWith("wait_for_task"));
  return wait?.slice(0, -"wait_for_task".length);
}

/** Makes the error of a control tool that failed. */
export function refusedBy(failure: { readonly code: string; readonly message: string }): ClientError {
  const code = failure.code === "TASK_NOT_FOUND" ? "TASK_NOT_FOUND" : "TASK_REFUSED";
  return new ClientError(code, failure.message, { reason: failure.code });
}
