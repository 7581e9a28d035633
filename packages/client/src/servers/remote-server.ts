import {
  type ControlToolName,
  type ControlToolsOffer,
  definedOnly,
  type Json,
  type JsonObject,
} from "@resumable-mcp/protocol";
import { ClientError } from "../client-error.js";
import { type Connection, raceAbort } from "../connection/connection.js";
import {
  isStoreFault,
  LinkFailure,
  type ListedTool,
  type ServerLink,
  type ToolList,
  type ToolRequest,
  type ToolRequestOptions,
} from "../connection/link.js";
import type { ClientLimits } from "../limits.js";
import type { ServerConfig } from "../server-config.js";
import { controlFailure, type ToolResult } from "../tool-result.js";

/** One server as the client works with it. */
export class RemoteServer {
  readonly config: ServerConfig;
  readonly address: string;
  readonly connection: Connection;
  readonly #limits: ClientLimits;
  #listed: Promise<ToolList> | undefined;

  constructor(config: ServerConfig, address: string, connection: Connection, limits: ClientLimits) {
    this.config = config;
    this.address = address;
    this.connection = connection;
    this.#limits = limits;
    connection.subscribe((change) => {
      // After a restart the server may offer other tools.
      if (change.type === "state" && change.state.name === "connecting") this.#listed = undefined;
    });
  }

  /**
   * The tools that it lists; requested once for each connection.
   *
   * @throws {@link ClientError} `SERVER_REFUSED` where it is a gateway whose server has never started.
   */
  async tools(signal?: AbortSignal): Promise<readonly ListedTool[]> {
    const { tools, notStarted } = await this.#list(signal);
    if (notStarted === undefined) return tools;
    // The next look may find it started.
    this.#listed = undefined;
    const message = `The server behind ${this.address} has not started: ${notStarted} Its gateway tries again; see the gateway's log.`;
    throw new ClientError("SERVER_REFUSED", message);
  }

  /** What it says of its control tools, which it need not list; `undefined` where it says nothing, as other servers do. */
  async controlTools(signal?: AbortSignal): Promise<ControlToolsOffer | undefined> {
    return (await this.#list(signal)).control;
  }

  /** Whether its tasks can be followed and controlled. */
  async isResumable(): Promise<boolean> {
    const control = await this.controlTools();
    return control !== undefined && control.listed !== "none";
  }

  #list(signal: AbortSignal | undefined): Promise<ToolList> {
    // All callers share one request: one that gives up leaves it to the others.
    this.#listed ??= this.#listTools().catch((error: unknown) => {
      this.#listed = undefined;
      throw error;
    });
    return raceAbort(this.#listed, signal);
  }

  /**
   * The name of a control tool on this server.
   *
   * @throws {@link ClientError} `NOT_RESUMABLE` where the server has no control tools, or runs without them.
   */
  async controlName(tool: ControlToolName, signal?: AbortSignal): Promise<string> {
    const control = await this.controlTools(signal);
    if (control === undefined) {
      const message = `${this.address} does not have the tool ${tool}: its tasks cannot be followed or controlled.`;
      throw new ClientError("NOT_RESUMABLE", message);
    }
    if (control.listed === "none") {
      const message = `${this.address} runs without the tools that control tasks (--control-tools none): its tasks cannot be listed, followed or controlled. Start it with --control-tools minimal.`;
      throw new ClientError("NOT_RESUMABLE", message);
    }
    return control.prefix + tool;
  }

  /**
   * Calls a control tool, and repeats the call after a break: each of them may be repeated.
   *
   * @throws {@link ClientError} `NOT_RESUMABLE` where the server has no control tools, `TASK_NOT_FOUND`, `TASK_REFUSED`.
   */
  async control(
    tool: ControlToolName,
    values: { readonly [name: string]: Json | undefined },
    signal?: AbortSignal,
    meta: JsonObject = {},
  ): Promise<ToolResult> {
    const name = await this.controlName(tool, signal);
    const request = { name, arguments: definedOnly(values), meta };
    const options = { timeoutMs: this.#limits.requestTimeoutMs, signal };
    let attempts = 0;
    const result = await this.connection.run(
      (link) => {
        attempts += 1;
        return callControl(link, request, options);
      },
      { retry: "always", signal },
    );
    const failure = controlFailure(result);
    // The answer of an earlier attempt was lost, not the call.
    if (failure?.code === "ALREADY_ANSWERED" && attempts > 1) return result;
    if (failure !== undefined) throw refusedBy(failure);
    return result;
  }

  #listTools(): Promise<ToolList> {
    const options = { timeoutMs: this.#limits.requestTimeoutMs };
    return this.connection.run((link) => link.listTools(options), { retry: "always" });
  }
}

/**
 * Calls a control tool once.
 *
 * @throws {@link LinkFailure} `broken` also where the server answers that its store does not work at present.
 */
export async function callControl(
  link: ServerLink,
  request: ToolRequest,
  options: ToolRequestOptions,
): Promise<ToolResult> {
  const result = await link.callTool(request, options);
  const failure = controlFailure(result);
  if (failure !== undefined && isStoreFault(failure.code)) throw new LinkFailure("broken", failure.message);
  return result;
}

/** Makes the error of a control tool that failed. */
export function refusedBy(failure: { readonly code: string; readonly message: string }): ClientError {
  const code = failure.code === "TASK_NOT_FOUND" ? "TASK_NOT_FOUND" : "TASK_REFUSED";
  return new ClientError(code, failure.message, { reason: failure.code });
}
