import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import {
  offeredControlTools,
  type Repeatable,
  readClientArgument,
  readControlTools,
  readRepeatable,
  rpcCodes,
} from "@resumable-mcp/protocol";
import { asRpcError } from "../../call/rpc-error.js";
import { limits } from "../../limits.js";

/** What a session has to know of a tool. */
export interface ToolFacts {
  /** What may be done with the tool's call after a crash. */
  readonly kind: Repeatable;
  /** Whether its argument `client_id` names the caller; `data`: of local requests alone. */
  readonly clientArgument?: ReturnType<typeof readClientArgument>;
}

/** Facts about tools, by the tool's name. */
export type ToolKinds = ReadonlyMap<string, ToolFacts>;

/** What a server said of its tools. */
export interface ListedTools {
  readonly kinds: ToolKinds;
  /** It listed all of them, or has none; else it may list them the next time. */
  readonly isWhole: boolean;
}

/** What is known of the tools of a server, which is asked when a call comes. */
export class KnownTools {
  readonly #read: () => Promise<ListedTools>;
  #reading: Promise<ListedTools> | undefined;
  /** What `kinds` would give, where the server was asked before. */
  known: ToolKinds | undefined;

  constructor(read: () => Promise<ListedTools>) {
    this.#read = read;
  }

  /** As the server listed them last; it is asked again after it refused to. */
  async kinds(): Promise<ToolKinds> {
    this.#reading ??= this.#read();
    const reading = this.#reading;
    const { kinds, isWhole } = await reading;
    if (this.#reading !== reading) return kinds;
    if (isWhole) this.known = kinds;
    else this.#reading = undefined;
    return kinds;
  }

  /** The server has other tools by now. */
  forget(): void {
    this.#reading = undefined;
    this.known = undefined;
  }
}

/**
 * Asks a server for its tools, and learns which of them may be delivered again: those of this toolkit, and those that
 * the server annotates as read-only or idempotent. Source: MCP, Tools, "Tool Annotations".
 */
export async function readToolKinds(listTools: (cursor?: string) => Promise<JsonObject>): Promise<ListedTools> {
  const kinds: (readonly [string, ToolFacts])[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < limits.maxToolPages; page++) {
    const result = await listTools(cursor).catch((error: unknown) => {
      if (asRpcError(error).code === rpcCodes.methodNotFound) return {};
      return undefined;
    });
    if (result === undefined) return { kinds: new Map(kinds), isWhole: false };
    const { nextCursor }: JsonObject = result;
    kinds.push(...toolKindsIn(result));
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return { kinds: new Map(kinds), isWhole: true };
}

/** Reads one page of a server's list of tools, with the control tools that the server has and does not list. Pure. */
export function toolKindsIn(page: unknown): ToolKinds {
  const kinds = new Map<string, ToolFacts>();
  const offer = readControlTools(page);
  const listed: unknown = isJsonObject(page) ? page.tools : undefined;
  const tools: readonly unknown[] = Array.isArray(listed) ? listed : [];
  for (const tool of [...tools, ...(offer === undefined ? [] : offeredControlTools(offer))]) {
    if (isJsonObject(tool) && typeof tool.name === "string") {
      kinds.set(tool.name, { kind: readRepeatable(tool), clientArgument: readClientArgument(tool) });
    }
  }
  return kinds;
}
