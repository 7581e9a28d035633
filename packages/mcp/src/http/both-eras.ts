import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { claimsVersion } from "../call/call.js";
import type { Locality } from "../owner/owner.js";
import { HttpAnswer, refusal } from "./http-answer.js";
import { type HttpRequest, ofWebRequest, readJsonBody } from "./http-request.js";

/** What a web server has found out about a request before. */
export interface EndpointContext {
  readonly authInfo?: AuthInfo;
  /** Whether only the user of this machine can have sent it. */
  readonly locality?: Locality;
  readonly parsedBody?: unknown;
}

/** Serves one era. */
export interface EraHandler {
  fetch(request: Request, context?: EndpointContext): Promise<Response>;
  /** The same without Web-standard requests and answers, where it can do without. */
  answer?(request: HttpRequest, context?: EndpointContext): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Serves both eras. */
export interface EndpointHandler extends EraHandler {
  answer(request: HttpRequest, context?: EndpointContext): Promise<HttpAnswer>;
}

/** What an endpoint for both eras is made of. */
export interface BothErasOptions {
  /** Makes the handler of the 2025 era, at its first request. */
  readonly era2025: () => Promise<EraHandler>;
  /** Makes the handler of the 2026 era, at its first request. */
  readonly era2026: () => Promise<EraHandler>;
  readonly maxBodyBytes: number;
}

/** The first version of the 2026 era. Versions are dates, so their order is that of their text. */
const firstVersion2026 = "2026-07-28";

/**
 * Makes one endpoint for clients of both eras. Which era a request belongs to stands in the request alone: each of the
 * 2026 era says its version in `_meta`.
 *
 * An era's handler, and with it the SDK that speaks it, is loaded at its first request.
 *
 * Source: MCP 2026-07-28, Basic, "Versioning" (servers that support several eras).
 */
export function createBothErasHandler({ era2025, era2026, maxBodyBytes }: BothErasOptions): EndpointHandler {
  const eras = { era2025: lazily(era2025), era2026: lazily(era2026) };
  const answer: EndpointHandler["answer"] = async (request, context = {}) => {
    if (request.method !== "POST") {
      // The 2026 era has nothing but POST.
      if (versionOf(request) >= firstVersion2026) return onlyPost();
      return answerBy(await eras.era2025.get(), request, context);
    }
    const body = await readJsonBody(request, maxBodyBytes);
    if (body instanceof HttpAnswer) return body;
    const era = (await is2026(request, body.value)) ? eras.era2026 : eras.era2025;
    return answerBy(await era.get(), request, { ...context, parsedBody: body.value });
  };
  return {
    answer,
    fetch: async (request, context) => (await answer(ofWebRequest(request), context)).toWeb(),
    async close() {
      await Promise.all([eras.era2025.close(), eras.era2026.close()]);
    },
  };
}

async function answerBy(era: EraHandler, request: HttpRequest, context: EndpointContext): Promise<HttpAnswer> {
  return era.answer?.(request, context) ?? HttpAnswer.ofWeb(await era.fetch(request.toWeb(), context));
}

/** Only what may be of the 2026 era is worth loading the SDK that can really tell. */
async function is2026(request: HttpRequest, body: unknown): Promise<boolean> {
  // What the SDK would find out once more, at a noticeable part of the cost of a small call.
  if (isJsonObject(body) && body.method !== "initialize" && claimsVersion(body)) return true;
  const mayBe = versionOf(request) >= firstVersion2026 || (Array.isArray(body) ? body : [body]).some(claimsVersion);
  if (!mayBe) return false;
  const { isLegacyRequest } = await import("@modelcontextprotocol/server");
  return !(await isLegacyRequest(request.toWeb(), body));
}

function versionOf(request: HttpRequest): string {
  return request.header("mcp-protocol-version")?.trim() ?? "";
}

function onlyPost(): HttpAnswer {
  return refusal(405, "Method not allowed: this version of the protocol has POST only.", {
    headers: { allow: "POST" },
  });
}

interface Lazy {
  get(): Promise<EraHandler>;
  close(): Promise<void>;
}

function lazily(make: () => Promise<EraHandler>): Lazy {
  let made: Promise<EraHandler> | undefined;
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
