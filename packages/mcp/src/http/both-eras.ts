import { isJsonObject } from "@resumable-mcp/core";
import { withDefaults } from "@resumable-mcp/core/internal";
import { claimsVersion } from "../call/call.js";
import { type BodyLimits, bodyLimits } from "../limits.js";
import { HttpAnswer, refusal } from "./http-answer.js";
import { type HttpRequest, type RequestContext, readJsonBody } from "./http-request.js";
import { type HttpHandler, toHandler } from "./node-listener.js";

/** Serves one era. */
export interface EraHandler extends Pick<HttpHandler, "fetch" | "close"> {
  /** The same without Web-standard requests and answers, where it can do without. */
  answer?(request: HttpRequest, context?: RequestContext): Promise<HttpAnswer>;
}

/** What an endpoint for both eras is made of. */
export interface BothErasOptions extends Partial<BodyLimits> {
  /** Makes the handler of the 2025 era, at its first request. */
  readonly era2025: () => Promise<EraHandler>;
  /** Makes the handler of the 2026 era, at its first request. */
  readonly era2026: () => Promise<EraHandler>;
  /** Looks at what a POST holds, before either era does: what it returns is the answer. */
  readonly check?: ((body: unknown, context: RequestContext | undefined) => HttpAnswer | undefined) | undefined;
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
export function createBothErasHandler({ era2025, era2026, check, ...given }: BothErasOptions): HttpHandler {
  const limits = withDefaults<BodyLimits>(bodyLimits, given);
  const made = new Map<() => Promise<EraHandler>, Promise<EraHandler>>();
  const handlerOfEra = (make: () => Promise<EraHandler>): Promise<EraHandler> => {
    const era = made.get(make) ?? make();
    made.set(make, era);
    return era;
  };
  const answer: HttpHandler["answer"] = async (request, context) => {
    const isPost = request.method === "POST";
    // The 2026 era has nothing but POST.
    if (!isPost && versionOf(request) >= firstVersion2026) return onlyPost();
    const body = isPost ? await readJsonBody(request, limits) : undefined;
    if (body instanceof HttpAnswer) return body;
    const refused = body && check?.(body.value, context);
    if (refused !== undefined) return refused;
    const is2026 = body !== undefined && mayBe2026(request, body.value) && (await isReally2026(request, body.value));
    const era = await handlerOfEra(is2026 ? era2026 : era2025);
    const passed = body === undefined ? context : { parsedBody: body.value, ...context };
    return era.answer?.(request, passed) ?? HttpAnswer.ofWeb(await era.fetch(request.toWeb(), passed));
  };
  return toHandler(answer, async () => {
    await Promise.all([...made.values()].map(async (era) => (await era).close()));
  });
}

/** Only what may be of the 2026 era is worth loading the SDK that can really tell. */
function mayBe2026(request: HttpRequest, body: unknown): boolean {
  return versionOf(request) >= firstVersion2026 || (Array.isArray(body) ? body : [body]).some(claimsVersion);
}

async function isReally2026(request: HttpRequest, body: unknown): Promise<boolean> {
  // What the SDK would find out once more, at a noticeable part of the cost of a small call.
  if (isJsonObject(body) && body.method !== "initialize" && claimsVersion(body)) return true;
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
