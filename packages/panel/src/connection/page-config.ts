import { JsonFields } from "@resumable-mcp/protocol";
import { CallError } from "./connection.js";

/** What the server says to its own page, as JSON. */
export interface PageConfig {
  /** The MCP endpoint, an address on the page's own origin. */
  readonly endpoint: string;
  readonly serverName?: string;
  readonly auth: "none" | "token" | "oauth";
  /** With `oauth`: a token may also be pasted. */
  readonly takesToken: boolean;
  /** With `oauth`: the page's own id at the authorization server, where it has one. */
  readonly clientId?: string;
  readonly scopes: readonly string[];
  /** With `oauth`: the scope of operators, who see the server's view. */
  readonly operatorScope?: string;
}

/** The content of a `<meta>` element of this page. */
export function metaContent(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}

/** The address of this page without what comes and goes with a sign-in: where an authorization server leads back to. */
export function pageAddress({ origin, pathname }: Pick<Location, "origin" | "pathname">): string {
  return origin + pathname.replace(/\/$/, "");
}

/** Reads the configuration of the page. Rejects with a {@link CallError} that says `away` while the server does not answer. */
export async function fetchPageConfig(address: string, page: string): Promise<PageConfig> {
  const response = await fetch(new URL(address, page), { cache: "no-store" }).catch((error: unknown) => {
    throw new CallError("away", String(error));
  });
  if (!response.ok) throw new CallError("away", `HTTP ${response.status}`);
  return readPageConfig(await response.json(), page);
}

/** Reads the configuration out of JSON. */
export function readPageConfig(value: unknown, page: string): PageConfig {
  const fields = JsonFields.of(value);
  const endpoint = new URL(fields?.text("mcp") ?? "/mcp", page);
  if (endpoint.origin !== new URL(page).origin)
    throw new CallError("refused", `The MCP endpoint ${endpoint} is not of this page's origin.`);
  const auth = JsonFields.of(fields?.object("auth"));
  const kind = auth?.oneOf("kind", ["none", "token", "oauth"]) ?? "none";
  return {
    endpoint: endpoint.href,
    serverName: JsonFields.of(fields?.object("server"))?.text("name"),
    auth: kind,
    takesToken: kind === "token" || auth?.flag("token") === true,
    clientId: auth?.text("client_id"),
    operatorScope: auth?.text("operator_scope"),
    scopes: (auth?.list("scopes") ?? []).filter((scope) => typeof scope === "string"),
  };
}
