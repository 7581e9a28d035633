import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  EmptyResultSchema,
  type JSONRPCNotification,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  type ControlToolsOffer,
  type Json,
  type JsonObject,
  metaKeys,
  parseJson,
  readControlTools,
} from "@resumable-mcp/protocol";
import { raceAbort } from "../connection/connection.js";
import type {
  LinkFailure,
  LinkSession,
  ListedTool,
  RequestOptions,
  ServerLink,
  ToolList,
  ToolRequest,
  ToolRequestOptions,
} from "../connection/link.js";
import type { ToolResult } from "../tool-result.js";
import { Askers } from "./askers.js";
import { classifyFailure } from "./classify-failure.js";
import { createDeadline } from "./deadline.js";
import { LinkTransport } from "./link-transport.js";
import { createNotificationRouter, type NotificationRouter } from "./notification-router.js";
import { toListedTool, toToolResult } from "./wire-result.js";

/** More than any timer needs: the link keeps its own time. */
const noTimeoutMs = 2 ** 31 - 1;

/** What a link of the 2025 era is made from. */
export interface Link2025Options {
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Unique among all clients that ever use the session. */
  readonly idPrefix: string;
  /** Sent with every request. */
  readonly meta: JsonObject;
  /** Who calls: sent with every request to a server that does not say that this client is local. */
  readonly caller?: JsonObject;
  /** It is sent to a server that says so, too. */
  readonly namesLocally?: boolean;
  readonly session?: LinkSession;
  readonly connectTimeoutMs: number;
}

/** Opens a link to a server of the 2025 era; in a given session it asks for a sign of life instead of a handshake. */
export async function openLink2025(inner: Transport, options: Link2025Options): Promise<Link2025> {
  const link = new Link2025(inner, options);
  await link.open();
  return link;
}

/** A link over the SDK's client. */
export class Link2025 implements ServerLink {
  readonly #options: Link2025Options;
  readonly #client: Client;
  readonly #transport: LinkTransport;
  readonly #router: NotificationRouter = createNotificationRouter();
  readonly #askers = new Askers();
  #requestCount = 0;
  #resumed: { readonly wireId: string; readonly fail: (failure: LinkFailure) => void } | undefined;

  constructor(inner: Transport, options: Link2025Options) {
    this.#options = options;
    this.#client = new Client(options.clientInfo, { capabilities: { elicitation: { form: {} } } });
    this.#client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.#askers.ask(params, signal));
    this.#transport = new LinkTransport(inner, {
      idPrefix: options.idPrefix,
      onNotification: (notification: JSONRPCNotification) => this.#router.deliver(notification),
      resumedId: () => this.resumedId,
      // A resumed stream that cannot be opened is reported here and nowhere else.
      onError: (error) => this.#resumed?.fail(classifyFailure(error, { inSession: true })),
    });
  }

  get session(): LinkSession | undefined {
    const { sessionId, protocolVersion } = this.#transport;
    if (sessionId === undefined) return undefined;
    return { sessionId, protocolVersion, local: this.#isLocal };
  }

  /** The server knows who calls without a name. */
  get #isLocal(): boolean {
    const { session, namesLocally = false } = this.#options;
    return !namesLocally && (this.#transport.isLocal || session?.local === true);
  }

  get #meta(): JsonObject {
    const { meta, caller } = this.#options;
    return this.#isLocal ? meta : { ...meta, ...caller };
  }

  /** The id on the wire of the request whose stream is being resumed. */
  get resumedId(): string | undefined {
    return this.#resumed?.wireId;
  }

  async open(): Promise<void> {
    const { session, connectTimeoutMs } = this.#options;
    if (session?.protocolVersion !== undefined) this.#transport.setProtocolVersion(session.protocolVersion);
    const deadline = createDeadline(connectTimeoutMs);
    try {
      // The SDK waits without end for the server to take its notification.
      await raceAbort(this.#client.connect(this.#transport, { timeout: noTimeoutMs }), deadline.signal);
      if (session !== undefined) await this.ping({ timeoutMs: connectTimeoutMs });
    } catch (error) {
      await this.close();
      throw deadline.failure() ?? classifyFailure(error, { inSession: session !== undefined });
    } finally {
      deadline.clear();
    }
  }

  async callTool(request: ToolRequest, options: ToolRequestOptions): Promise<ToolResult> {
    return this.#listening(options, request, async (progressToken, signal) => {
      const params = this.#callParams(request, progressToken);
      const streams = { resumptionToken: options.resumptionToken, onresumptiontoken: options.onResumptionToken };
      const answer = this.#client.request({ method: "tools/call", params }, CallToolResultSchema, {
        timeout: noTimeoutMs,
        signal,
        ...streams,
      });
      return toToolResult(await (options.resumptionToken === undefined ? answer : this.#orResumeFailure(answer)));
    });
  }

  /** Source: MCP 2025-11-25, Tasks, "Creating Tasks". */
  async beginTask(request: ToolRequest, options: ToolRequestOptions): Promise<string> {
    return this.#listening(options, request, async (progressToken, signal) => {
      const params = { ...this.#callParams(request, progressToken), task: {} };
      const limits = { timeout: noTimeoutMs, signal };
      const { task } = await this.#client.request({ method: "tools/call", params }, CreateTaskResultSchema, limits);
      return task.taskId;
    });
  }

  /** Source: MCP 2025-11-25, Tasks, "Getting Task Results", which waits for the end and brings the questions. */
  async taskResult(taskId: string, options: ToolRequestOptions): Promise<ToolResult> {
    return this.#listening(options, undefined, async (_progressToken, signal) => {
      const params = { taskId, _meta: this.#meta };
      const limits = { timeout: noTimeoutMs, signal };
      return toToolResult(await this.#client.request({ method: "tasks/result", params }, CallToolResultSchema, limits));
    });
  }

  #callParams({ name, arguments: values, meta }: ToolRequest, progressToken: string) {
    return { name, arguments: values, _meta: { ...this.#meta, ...meta, progressToken } };
  }

  /** Runs a request, within its time, that hears of progress, log and questions meanwhile. */
  async #listening<Value>(
    options: ToolRequestOptions,
    request: ToolRequest | undefined,
    run: (progressToken: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const progressToken = options.progressToken ?? `${this.#options.idPrefix}p${++this.#requestCount}`;
    const deadline = createDeadline(options.timeoutMs, options.signal);
    const taskId = request?.arguments.task_id;
    const stop = this.#router.listen({
      progressToken,
      taskId: typeof taskId === "string" ? taskId : undefined,
      onProgress: (message) => {
        if (options.resetTimeoutOnProgress === true) deadline.reset();
        options.onProgress?.(message);
      },
      onLog: options.onLog,
    });
    const stopAsking = this.#askers.listen(options.ask, deadline);
    try {
      return await run(progressToken, deadline.signal);
    } catch (error) {
      throw deadline.failure() ?? classifyFailure(error, { inSession: this.session !== undefined });
    } finally {
      deadline.clear();
      stop();
      stopAsking();
    }
  }

  async listTools(options: RequestOptions): Promise<ToolList> {
    return this.#guarded(options, async (signal) => {
      const tools: ListedTool[] = [];
      let control: ControlToolsOffer | undefined;
      let notStarted: string | undefined;
      let cursor: string | undefined;
      do {
        const params = { _meta: this.#meta, cursor };
        const page = await this.#client.request({ method: "tools/list", params }, ListToolsResultSchema, {
          signal,
          timeout: noTimeoutMs,
        });
        tools.push(...page.tools.map(toListedTool));
        control ??= readControlTools(page);
        const why = page._meta?.[metaKeys.notStarted];
        if (typeof why === "string") notStarted = why;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return { tools, control, notStarted };
    });
  }

  async readResource(uri: string, options: RequestOptions): Promise<Json | undefined> {
    const content = await this.#read(uri, options);
    return content !== undefined && "text" in content ? parseJson(content.text) : undefined;
  }

  async readBytes(uri: string, options: RequestOptions): Promise<Uint8Array | undefined> {
    const content = await this.#read(uri, options);
    return content !== undefined && "blob" in content ? Buffer.from(content.blob, "base64") : undefined;
  }

  async #read(uri: string, options: RequestOptions) {
    const params = { uri, _meta: this.#meta };
    const { contents } = await this.#guarded(options, (signal) =>
      this.#client.request({ method: "resources/read", params }, ReadResourceResultSchema, {
        signal,
        timeout: noTimeoutMs,
      }),
    );
    return contents[0];
  }

  async ping(options: RequestOptions): Promise<void> {
    await this.#guarded(options, (signal) =>
      this.#client.request({ method: "ping", params: { _meta: this.#meta } }, EmptyResultSchema, {
        signal,
        timeout: noTimeoutMs,
      }),
    );
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
  }

  /** Fails the request whose stream was to be resumed when the server has nothing to resume. */
  failResumed(failure: LinkFailure): void {
    this.#resumed?.fail(failure);
  }

  async #guarded<T>(options: RequestOptions, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = createDeadline(options.timeoutMs, options.signal);
    try {
      return await request(deadline.signal);
    } catch (error) {
      throw deadline.failure() ?? classifyFailure(error, { inSession: this.session !== undefined });
    } finally {
      deadline.clear();
    }
  }

  /** The SDK never ends a request whose stream it could not resume. */
  async #orResumeFailure<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => undefined);
    return Promise.race([
      answer,
      new Promise<never>((_resolve, reject) => {
        this.#resumed = { wireId: this.#transport.lastRequestId, fail: reject };
      }),
    ]).finally(() => {
      this.#resumed = undefined;
    });
  }
}
