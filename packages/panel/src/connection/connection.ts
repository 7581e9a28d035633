import {
  type ControlToolName,
  decodeFailure,
  isJsonObject,
  JsonFields,
  type JsonObject,
  type PanelToolName,
  parseJson,
} from "@resumable-mcp/protocol";

/** The tools by which the panel speaks with a server, without the prefix that the server gives them. */
export type PanelTool = ControlToolName | PanelToolName;

/** What the view was opened for: a call of a tool, as far as the host says. */
export interface OpenedCall {
  readonly tool?: string;
  /** What people call the tool. */
  readonly title?: string | undefined;
  readonly arguments?: JsonObject;
  /** What the call returned. */
  readonly result?: JsonObject;
  /** The host says that the call was cancelled. */
  readonly cancelled?: true;
}

/** What is known of the place where the panel is shown. */
export interface HostFacts {
  readonly theme?: "light" | "dark";
  /** BCP 47. */
  readonly locale?: string;
  /** Absent in the browser. */
  readonly opened?: OpenedCall;
}

/** How a user proves who they are. */
export interface SignInWays {
  readonly token: boolean;
  /** Starts the code flow: the page is left. */
  readonly redirect?: () => Promise<void>;
  /** The server did not accept the last token. */
  readonly isRefused?: boolean;
  /** Why the last attempt at the authorization server failed. */
  readonly problem?: string;
}

/** The way to a server: its control tools, and what the place of the panel says of itself. */
export interface PanelConnection {
  readonly mode: "host" | "browser";
  /** What the server calls itself, where that is known. */
  readonly serverName?: string;
  /**
   * Calls a control tool. Rejects with a {@link CallError} alone.
   *
   * @param allOwners the tasks of all owners are meant; a host passes that on to no server.
   */
  call(tool: PanelTool, args: JsonObject, allOwners?: boolean): Promise<JsonObject>;
  /** Reads a file that a task made. Rejects with a {@link CallError} alone. Absent where the page is in a host. */
  file?(taskId: string, name: string): Promise<Blob>;
  readonly facts: () => HostFacts;
  /** Calls `changed` after each change of the facts; the result ends that. */
  subscribe(changed: () => void): () => void;
  /** Absent where the host is who proves it. */
  readonly signIn?: {
    readonly ways: SignInWays;
    readonly signedIn: boolean;
    withToken(token: string): void;
    signOut(): void;
  };
}

/** Why a call failed: the server is out of reach, it wants to know who calls, it has no such tool, or it refuses. */
export type CallFailure = "away" | "signed_out" | "unknown_tool" | "refused";

/** A call that failed. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: CallFailure;
  /** The server's code, such as `TASK_NOT_FOUND`. */
  readonly code: string | undefined;

  constructor(failure: CallFailure, message: string, code?: string) {
    super(message);
    this.failure = failure;
    this.code = code;
  }
}

/** How long a call may take, in milliseconds: the server answers each of these tools at once. */
export const callTimeoutMs = 20_000;

/** Reads the result of a tool call: its structured content, or the same as JSON text where a host drops that. Throws a {@link CallError}. */
export function readToolResult(result: JsonObject): JsonObject {
  const content = readStructured(result);
  if (result.isError !== true) {
    if (content === undefined) throw new CallError("refused", textOfResult(result));
    return content;
  }
  const failure = decodeFailure(content);
  const message = failure?.message ?? textOfResult(result);
  const isUnknown = failure === undefined && /\btool\b.*\b(?:not found|unknown)\b|\bunknown tool\b/i.test(message);
  throw new CallError(isUnknown ? "unknown_tool" : "refused", message, failure?.code);
}

/** The structured content of a result; hosts may drop it, and then the text has it. */
export function readStructured(result: JsonObject): JsonObject | undefined {
  const { structuredContent } = result;
  if (isJsonObject(structuredContent)) return structuredContent;
  const parsed = parseJson(textOfResult(result));
  return isJsonObject(parsed) ? parsed : undefined;
}

/** The text of a result, of which a sentence is kept. */
export function textOfResult(result: JsonObject): string {
  const blocks = JsonFields.of(result)?.list("content") ?? [];
  return blocks.map((block) => JsonFields.of(block)?.text("text") ?? "").join("\n");
}
