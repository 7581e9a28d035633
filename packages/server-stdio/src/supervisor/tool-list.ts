import { type ToolKinds, toolKindsIn } from "@resumable-mcp/mcp/stdio";
import type { RpcId } from "@resumable-mcp/protocol";
import { type RpcMessage, type RpcObject, type RpcRequest, readMeta } from "../wire/json-rpc.js";

/** What a supervisor asks its server of its tools, and what it knows of them. No I/O in here. */
export class ToolList {
  readonly #maxPages: number;
  readonly #nextId: () => RpcId;
  #kinds: ToolKinds | undefined;
  /** The pages that were read, while the list is being read. */
  #pages: readonly ToolKinds[] | undefined;
  #envelope: RpcObject = {};

  constructor(maxPages: number, nextId: () => RpcId) {
    this.#maxPages = maxPages;
    this.#nextId = nextId;
  }

  get kinds(): ToolKinds | undefined {
    return this.#kinds;
  }

  /** In the era without sessions every request says which version it speaks: ours have to say the same. */
  noteEnvelope(request: RpcRequest): void {
    const keys = Object.entries(readMeta(request)).filter(([key]) => key.startsWith("io.modelcontextprotocol/"));
    if (keys.length > 0) this.#envelope = Object.fromEntries(keys);
  }

  /** The list of tools has changed. */
  forget(): void {
    this.#kinds = undefined;
  }

  /** The server that was asked is dead. */
  stop(): void {
    this.#pages = undefined;
  }

  /** The first question, unless it was asked. */
  ask(): RpcMessage[] {
    if (this.#pages !== undefined) return [];
    this.#pages = [];
    return [this.#askPage({})];
  }

  /**
   * Reads an answer; gives the next question until the list is known.
   *
   * Source: MCP, Tools, "Listing Tools"; Utilities, "Pagination".
   */
  learn({ result }: RpcMessage): RpcMessage | undefined {
    const pages = [...(this.#pages ?? []), toolKindsIn(result)];
    const cursor = result?.nextCursor;
    if (typeof cursor === "string" && pages.length < this.#maxPages) {
      this.#pages = pages;
      return this.#askPage({ cursor });
    }
    this.#kinds = new Map(pages.flatMap((page) => [...page]));
    this.#pages = undefined;
    return undefined;
  }

  #askPage(place: { readonly cursor?: string }): RpcMessage {
    const params = Object.keys(this.#envelope).length > 0 ? { ...place, _meta: this.#envelope } : place;
    return { jsonrpc: "2.0", id: this.#nextId(), method: "tools/list", params };
  }
}
