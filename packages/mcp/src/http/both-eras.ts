import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type { Locality } from "../owner/locality.js";
import { claimsVersion } from "./claims-version.js";
import { HttpAnswer } from "./http-answer.js";
import { type HttpRequest, ofWebRequest } from "./http-request.js";
import { readJsonBody } from "./read-json-body.js";
import { refusal } from "./refusal.js";

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
  readonly legacy: () => Promise<EraHandler>;
  /** Makes the handler of the 2026 era, at its first request. */
  readonly modern: () => Promise<EraHandler>;
  readonly maxBodyBytes: number;
}

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
  const answer: EndpointHandler["answer"] = async (request, context = {}) => {
    if (request.method !== "POST") {
      // The 2026 era has nothing but POST.
      if (versionOf(request) >= firstModernVersion) return onlyPost();
      return answerBy(await eras.legacy.get(), request, context);
    }
    const body = await readJsonBody(request, maxBodyBytes);
    if (body instanceof HttpAnswer) return body;
    const era = (await isModern(request, body.value)) ? eras.modern : eras.legacy;
    return answerBy(await era.get(), request, { ...context, parsedBody: body.value });
  };
  return {
    answer,
    fetch: async (request, context) => (await answer(ofWebRequest(request), context)).toWeb(),
    async close() {
      await Promise.all([eras.legacy.close(), eras.modern.close()]);
    },
  };
}

async function answerBy(era: EraHandler, request: HttpRequest, context: EndpointContext): Promise<HttpAnswer> {
  return era.answer?.(request, context) ?? HttpAnswer.ofWeb(await era.fetch(request.toWeb(), context));
}

/** Only what may be of the 2026 era is worth loading the SDK that can really tell. */
async function isModern(request: HttpRequest, body: unknown): Promise<boolean> {
  const mayBe = versionOf(request) >= firstModernVersion || (Array.isArray(body) ? body : [body]).some(claimsVersion);
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
