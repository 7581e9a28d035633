import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { readJsonBody } from "./read-json-body.js";
import { refusal } from "./refusal.js";

/** What a web server has found out about a request before. */
export interface EndpointContext {
  readonly authInfo?: AuthInfo;
  readonly parsedBody?: unknown;
}

/** Serves one era, or both. */
export interface EndpointHandler {
  fetch(request: Request, context?: EndpointContext): Promise<Response>;
  close(): Promise<void>;
}

/** What an endpoint for both eras is made of. */
export interface BothErasOptions {
  /** Makes the handler of the 2025 era, at its first request. */
  readonly legacy: () => Promise<EndpointHandler>;
  /** Makes the handler of the 2026 era, at its first request. */
  readonly modern: () => Promise<EndpointHandler>;
  readonly maxBodyBytes: number;
}

const versionKey = "io.modelcontextprotocol/protocolVersion";
/** The first version of the 2026 era. Versions are dates, so their order is that of their text. */
const firstModernVersion = "2026-07-28";

/**
 * Makes one endpoint for clients of both eras. Which era a request belongs to stands in the request alone: each of the
 * 2026 era says its version in `_meta`.
 *
 * An era's handler, and with it the SDK that speaks it, is loaded at its first request.
 *
 * Source: MCP 2026-07-28, Basic, "Versioning" (servers that support several eras).
 */
export function createBothErasHandler({ legacy, modern, maxBodyBytes }: BothErasOptions): EndpointHandler {
  const eras = { legacy: lazily(legacy), modern: lazily(modern) };
  return {
    async fetch(request, context = {}) {
      if (request.method !== "POST") {
        // The 2026 era has nothing but POST.
        if (versionOf(request) >= firstModernVersion) return onlyPost();
        return (await eras.legacy.get()).fetch(request, context);
      }
      const body = await readJsonBody(request, maxBodyBytes);
      if (body instanceof Response) return body;
      const era = (await isModern(request, body.value)) ? eras.modern : eras.legacy;
      return (await era.get()).fetch(request, { ...context, parsedBody: body.value });
    },
    async close() {
      await Promise.all([eras.legacy.close(), eras.modern.close()]);
    },
  };
}

/** Only what may be of the 2026 era is worth loading the SDK that can really tell. */
async function isModern(request: Request, body: unknown): Promise<boolean> {
  const mayBe = versionOf(request) >= firstModernVersion || (Array.isArray(body) ? body : [body]).some(claimsVersion);
  if (!mayBe) return false;
  const { isLegacyRequest } = await import("@modelcontextprotocol/server");
  return !(await isLegacyRequest(request, body));
}

function versionOf(request: Request): string {
  return request.headers.get("mcp-protocol-version")?.trim() ?? "";
}

function onlyPost(): Response {
  return refusal(405, "Method not allowed: this version of the protocol has POST only.", {
    headers: { allow: "POST" },
  });
}

function claimsVersion(message: unknown): boolean {
  const params = isJsonObject(message) ? message.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && versionKey in meta;
}

interface Lazy {
  get(): Promise<EndpointHandler>;
  close(): Promise<void>;
}

function lazily(make: () => Promise<EndpointHandler>): Lazy {
  let made: Promise<EndpointHandler> | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    async close() {
      await (await made)?.close();
    },
  };
}
