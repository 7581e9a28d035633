import {
  type ControlToolsOffer,
  type Json,
  type JsonObject,
  type QuestionAnswer,
  storeFaults,
  type TaskQuestion,
} from "@resumable-mcp/protocol";
import { ClientError, type ClientErrorCode } from "../client-error.js";
import type { ToolResult } from "../tool-result.js";

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
  readonly meta: JsonObject;
  /** It can only be called as a task of the protocol. Source: MCP 2025-11-25, Tasks, "Tool-Level Negotiation". */
  readonly needsTask: boolean;
}

/** What a server lists. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Which control tools it has; absent where it says nothing of any. */
  readonly control?: ControlToolsOffer;
  /** It is a gateway whose server has never started, for this reason: its tools are not known. */
  readonly notStarted?: string;
}

/** Progress of a request in flight. */
export interface ProgressMessage {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly meta: JsonObject;
}

/** A log message of the server. */
export interface LogMessage {
  readonly level: string;
  readonly data: Json;
  readonly meta: JsonObject;
}

/** A call of a tool, in no era's words. */
export interface ToolRequest {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly meta: JsonObject;
}

/** How a request is made. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Asks the user; the signal aborts when the answer is not wanted any more. */
export type Ask = (question: TaskQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;

/** How a call of a tool is made. */
export interface ToolRequestOptions extends RequestOptions {
  /** Progress counts as a sign of life and restarts `timeoutMs`. */
  readonly resetTimeoutOnProgress?: boolean;
  readonly onProgress?: (message: ProgressMessage) => void;
  readonly onLog?: (message: LogMessage) => void;
  /** Asks the user what the tool asks meanwhile. Without it a question is dismissed. */
  readonly ask?: Ask;
  /** Where the stream of an earlier, broken request is taken up again; the request itself is not sent. */
  readonly resumptionToken?: string;
  readonly onResumptionToken?: (token: string) => void;
  /** The token under which progress arrives: a resumed stream uses the one of the request that began it. */
  readonly progressToken?: string;
}

/** What has to be known of a session in order to take it up again, also in another process. */
export interface LinkSession {
  readonly sessionId: string;
  readonly protocolVersion?: string;
  /** The server said that this client is local, which then does not name itself. */
  readonly local?: boolean;
}

/**
 * One opened way to a server: what differs between the eras of the protocol and between transports stands behind it.
 *
 * A link does not reconnect and does not repeat; it fails with a {@link LinkFailure} that says what is known.
 */
export interface ServerLink {
  /** Absent where a transport or an era has no sessions. */
  readonly session: LinkSession | undefined;
  callTool(request: ToolRequest, options: ToolRequestOptions): Promise<ToolResult>;
  /** Begins a task of the protocol, and gives its id. */
  beginTask(request: ToolRequest, options: ToolRequestOptions): Promise<string>;
  /** Waits for the end of such a task. */
  taskResult(taskId: string, options: ToolRequestOptions): Promise<ToolResult>;
  listTools(options: RequestOptions): Promise<ToolList>;
  /** Reads a resource of JSON; `undefined` where it holds something else. */
  readResource(uri: string, options: RequestOptions): Promise<Json | undefined>;
  /** Reads a resource of bytes; `undefined` where it holds something else. */
  readBytes(uri: string, options: RequestOptions): Promise<Uint8Array | undefined>;
  ping(options: RequestOptions): Promise<void>;
  /** Ends the link and leaves the session to be taken up again. */
  close(): Promise<void>;
}

/**
 * What is known of a request that got no answer.
 *
 * `unreachable`: it never arrived. `session_lost`: it arrived and was turned away. `broken`: it may or may not have
 * taken effect. `silent`: a server was reached, and did not answer before anything was asked. `answer`: the server answered with an error. The rest: trying again changes nothing.
 */
export type LinkFailureKind =
  | "unreachable"
  | "session_lost"
  | "broken"
  | "silent"
  | "answer"
  | "aborted"
  | "unauthorized"
  | "untrusted"
  | "not_mcp";

/** Why a link could not answer. */
export class LinkFailure extends Error {
  override readonly name = "LinkFailure";
  readonly kind: LinkFailureKind;

  constructor(kind: LinkFailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}

/** Says what happened to a request, to which server, and what to do next. */
export function failureError(
  failure: LinkFailure,
  server: { readonly address: string; readonly advice: string },
): ClientError {
  const { code, sentence } = failureSentences[failure.kind];
  return new ClientError(code, sentence(server.address, failure.message, server.advice), { cause: failure });
}

interface FailureSentence {
  readonly code: ClientErrorCode;
  readonly sentence: (address: string, reason: string, advice: string) => string;
}

const noServer: FailureSentence = {
  code: "SERVER_UNREACHABLE",
  sentence: (address, reason, advice) => `No server answers at ${address} (${reason}). ${advice}`,
};

const failureSentences: Readonly<Record<LinkFailureKind, FailureSentence>> = {
  unreachable: noServer,
  session_lost: noServer,
  silent: {
    code: "SERVER_UNREACHABLE",
    sentence: (address, reason) =>
      `${address} was reached, but does not answer (${reason}). Its process may be busy or stopped: look at its output, then try again.`,
  },
  broken: {
    code: "CONNECTION_LOST",
    sentence: (address, reason) =>
      `The connection to ${address} broke (${reason}); the request may or may not have taken effect. Check before you repeat it.`,
  },
  unauthorized: {
    code: "UNAUTHORIZED",
    sentence: (address, reason) =>
      `${address} refuses this client (${reason}). Give a valid token, or sign in: resumable-mcp servers login ${address}`,
  },
  untrusted: {
    code: "SERVER_UNTRUSTED",
    sentence: (address, reason) =>
      `${address} answers, but its identity is not verified (${reason}), so nothing was sent. If you made the certificate yourself, name its file: NODE_EXTRA_CA_CERTS=/path/to/certificate.pem. If the server has no certificate, its URL begins with http://.`,
  },
  not_mcp: {
    code: "NOT_AN_MCP_SERVER",
    sentence: (address, reason) =>
      `${address} is not an MCP endpoint that this client can use (${reason}). Check the URL: its path is usually /mcp.`,
  },
  aborted: { code: "ABORTED", sentence: () => "The request was aborted." },
  answer: {
    code: "SERVER_REFUSED",
    sentence: (address, reason) => `${address} refused the request: ${reason}`,
  },
};

/** Whether a server's error says that it cannot reach its store at present: the request may be repeated, as after a break. */
export function isStoreFault(code: Json | undefined): boolean {
  return storeFaults.some((fault) => fault === code);
}
