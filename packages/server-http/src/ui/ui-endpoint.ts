import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isJsonObject } from "@resumable-mcp/core";
import { HttpAnswer, type HttpRequest } from "@resumable-mcp/mcp";
import type { PanelPage, PanelServer } from "@resumable-mcp/mcp/define-server";
import { bytesSource } from "@resumable-mcp/mcp/internal";
import { definedOnly } from "@resumable-mcp/protocol";
import type { Authorization } from "../auth/authorization.js";
import { toMetadataUrl } from "../auth/metadata.js";
import { pagePolicy } from "./page-policy.js";

/** The panel as a page of the server's own. */
export interface Ui {
  readonly page: PanelPage;
  readonly server: PanelServer;
  /** What the page is to the authorization server. Without it the page registers itself there, if it can. */
  readonly clientId?: string | undefined;
  /** The scope by which a token is an operator's. */
  readonly operatorScope?: string | undefined;
}

/** What the page has to know of the server around it. */
export interface UiOptions {
  readonly ui: Ui;
  /** Of the MCP endpoint. */
  readonly path: string;
  readonly publicUrl: string | undefined;
  readonly authorization: Authorization | undefined;
  /** Hears why the page could not be loaded. */
  readonly onFailure: (error: unknown) => void;
}

/** Answers a request for the page or for what it has to know; `undefined`: the request is for something else. */
export type UiEndpoint = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer> | undefined;

/** For all that is served here: a page of another origin neither holds it nor reads it. */
const shielded = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
const plain = { ...shielded, "content-type": "text/plain;charset=UTF-8" };

/**
 * Makes what serves the panel at `/ui`. The page is the same for all, and holds no secret: what it shows it asks for at the MCP
 * endpoint, with the token that its user gave it. There are no cookies.
 */
export function createUiEndpoint(options: UiOptions): UiEndpoint {
  let loading: Promise<Served> | undefined;
  const load = (): Promise<Served> => {
    loading ??= loadPage(options).catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      options.onFailure(error);
      throw error;
    });
    return loading;
  };
  return (request) => {
    const { pathname } = request.url;
    if (pathname !== "/ui" && pathname !== "/ui/" && pathname !== "/ui/config.json") return undefined;
    if (request.method !== "GET" && request.method !== "HEAD")
      return new HttpAnswer(405, { ...plain, allow: "GET, HEAD" }, "Use GET.\n");
    // What the page asks for is relative to its address.
    if (pathname === "/ui/") return new HttpAnswer(308, { ...plain, location: "../ui" }, "The panel is at /ui.\n");
    if (pathname === "/ui/config.json") {
      return withoutBody(
        request,
        HttpAnswer.json(configOf(options, request), 200, { ...shielded, "cache-control": "no-store" }),
      );
    }
    return load().then(
      (served) => withoutBody(request, pageAnswer(request, served)),
      () => new HttpAnswer(503, plain, "The panel could not be loaded. The server's log says why.\n"),
    );
  };
}

interface Served {
  readonly html: Uint8Array;
  readonly zipped: Uint8Array;
  readonly headers: Record<string, string>;
}

async function loadPage({ ui: { page }, authorization }: UiOptions): Promise<Served> {
  const given = typeof page === "string" ? page : await page();
  // By this the page knows that no host is around it.
  const html = given.replace(
    /<head\b[^>]*>/i,
    (head) => `${head}<meta name="resumable-mcp-config" content="ui/config.json">`,
  );
  const signInOrigins = issuersOf(authorization).map((url) => new URL(url).origin);
  const headers = {
    ...shielded,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": pagePolicy(html, signInOrigins),
    // A page that was changed is asked for again.
    "cache-control": "no-cache",
    vary: "accept-encoding",
    etag: `"${createHash("sha256").update(html).digest("base64url")}"`,
  };
  const bytes = Buffer.from(html);
  return { html: bytes, zipped: await zip(bytes), headers };
}

const zip = promisify(gzip);

function pageAnswer(request: HttpRequest, { html, zipped, headers }: Served): HttpAnswer {
  if (request.header("if-none-match") === headers.etag) return new HttpAnswer(304, headers);
  const isZipped = /\bgzip\b/.test(request.header("accept-encoding") ?? "");
  const bytes = isZipped ? zipped : html;
  const length = { "content-length": String(bytes.length), ...(isZipped && { "content-encoding": "gzip" }) };
  return new HttpAnswer(200, { ...headers, ...length }, bytesSource(bytes));
}

function withoutBody({ method }: HttpRequest, answer: HttpAnswer): HttpAnswer {
  return method === "HEAD" ? new HttpAnswer(answer.status, answer.headers) : answer;
}

function issuersOf(authorization: Authorization | undefined): readonly string[] {
  const metadata: unknown = authorization?.metadata();
  const servers = isJsonObject(metadata) ? metadata.authorization_servers : undefined;
  return Array.isArray(servers) ? servers.map(String) : [];
}

/** What the page has to know: where the MCP endpoint is, and how its user signs in. */
function configOf({ ui, path, publicUrl, authorization }: UiOptions, request: HttpRequest): object {
  const isPublic = publicUrl !== undefined && new URL(publicUrl).host === request.header("host")?.toLowerCase();
  const mcp = isPublic ? new URL(publicUrl).pathname : path;
  const { name, version } = ui.server;
  return { mcp, server: { name, version }, auth: authOf(ui, authorization) };
}

/** How the page gets a token: none is needed, one is given by hand, or users sign in. */
function authOf({ clientId, operatorScope }: Ui, authorization: Authorization | undefined): object {
  if (authorization === undefined) return { kind: "none" };
  const metadata: unknown = authorization.metadata();
  if (!isJsonObject(metadata)) return { kind: "token" };
  const { resource, authorization_servers, scopes_supported: scopes = [] } = metadata;
  return definedOnly({
    kind: "oauth",
    token: true,
    client_id: clientId,
    authorization_servers,
    resource,
    resource_metadata: toMetadataUrl(String(resource)),
    scopes,
    operator_scope: operatorScope,
  });
}
