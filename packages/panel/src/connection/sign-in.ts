import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { checkPkce, type JsonFields as Fields, JsonFields, parseJson } from "@resumable-mcp/protocol";
import { panelName } from "../version.js";
import type { PageConfig } from "./page-config.js";

/** What a sign-in that has begun needs at its end. It stays in this tab, for as long as the user is at the authorization server. */
const pendingKey = "resumable-mcp/sign-in";

/** What the authorization server calls this page, so that a tab registers it once. */
const clientKey = "resumable-mcp/client";
/** Set where the authorization server refuses the scope of operators. */
const noOperatorKey = "resumable-mcp/no-operator";

/** Where this page keeps what must not outlive its tab. */
export type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What is at hand for a sign-in. */
export interface SignInPlace {
  readonly config: PageConfig;
  /** The address of this page: where the authorization server leads back to. */
  readonly page: string;
  readonly storage: TabStorage;
}

/**
 * Begins the code flow: returns the address of the authorization server to go to.
 *
 * Source: MCP 2026-07-28, Authorization: RFC 9728 for discovery, PKCE with S256, RFC 8707 for `resource`, RFC 9207 for `iss`.
 */
export async function beginSignIn({ config, page, storage }: SignInPlace, place: string): Promise<URL> {
  const { issuer, metadata, resource } = await discover(config.endpoint);
  const clientId = config.clientId ?? (await registered(issuer, metadata, { page, storage }));
  const state = crypto.randomUUID();
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: clientId },
    redirectUrl: page,
    scope: scopesOf(config, storage).join(" ") || undefined,
    state,
    resource,
  });
  storage.setItem(
    pendingKey,
    JSON.stringify({ state, code_verifier: codeVerifier, client_id: clientId, issuer, place }),
  );
  return authorizationUrl;
}

/** Who may be an operator, the authorization server decides: where it refuses that scope, it is asked for the others alone. */
function scopesOf({ scopes, operatorScope }: PageConfig, storage: TabStorage): readonly string[] {
  if (operatorScope === undefined || scopes.includes(operatorScope)) return scopes;
  return storage.getItem(noOperatorKey) === null ? [...scopes, operatorScope] : scopes;
}

/** How a sign-in ended, and the place in the panel from which it began. */
export type SignInEnd = { readonly place: string } & ({ readonly token: string } | { readonly problem: string });

/** Ends the code flow with what stands behind the address of this page; `undefined` where nothing of one does. */
export async function endSignIn(
  { config, page, storage }: SignInPlace,
  query: URLSearchParams,
): Promise<SignInEnd | undefined> {
  const [code, error] = [query.get("code"), query.get("error")];
  if (code === null && error === null) return undefined;
  const pending = JsonFields.of(parseJson(storage.getItem(pendingKey) ?? ""));
  storage.removeItem(pendingKey);
  const place = pending?.text("place") ?? "";
  // A response that this tab did not ask for may come from an attacker: its code is used for nothing.
  if (pending === undefined || query.get("state") !== pending.text("state"))
    return { place, problem: "The response of the authorization server belongs to no sign-in of this tab." };
  if (error === "invalid_scope") storage.setItem(noOperatorKey, "true");
  if (code === null) return { place, problem: query.get("error_description") ?? String(error) };
  try {
    return { place, token: await redeem({ config, page, pending, code, iss: query.get("iss") ?? undefined }) };
  } catch (failure) {
    return { place, problem: failure instanceof Error ? failure.message : String(failure) };
  }
}

async function redeem(end: {
  readonly config: PageConfig;
  readonly page: string;
  readonly pending: Fields;
  readonly code: string;
  readonly iss: string | undefined;
}): Promise<string> {
  const { config, page, pending, code, iss } = end;
  const { issuer, metadata, resource } = await discover(config.endpoint);
  if (issuer !== pending.text("issuer")) throw new Error("The authorization server has changed. Sign in again.");
  const tokens = await exchangeAuthorization(issuer, {
    metadata,
    clientInformation: { client_id: pending.text("client_id") ?? "" },
    authorizationCode: code,
    codeVerifier: pending.text("code_verifier") ?? "",
    redirectUri: page,
    iss,
    resource,
  });
  return tokens.access_token;
}

/** Asks the server which authorization server it trusts, and that one for its metadata. */
async function discover(endpoint: string) {
  const { authorization_servers: servers, resource } = await discoverOAuthProtectedResourceMetadata(endpoint);
  const issuer = servers?.[0];
  if (issuer === undefined) throw new Error("The server names no authorization server.");
  const metadata = await discoverAuthorizationServerMetadata(issuer);
  if (metadata === undefined) throw new Error(`The authorization server ${issuer} has no metadata.`);
  checkPkce(issuer, metadata);
  return { issuer, metadata, resource };
}

type Metadata = Awaited<ReturnType<typeof discover>>["metadata"];

async function registered(
  issuer: string,
  metadata: Metadata,
  { page, storage }: Pick<SignInPlace, "page" | "storage">,
): Promise<string> {
  const known = JsonFields.of(parseJson(storage.getItem(clientKey) ?? ""));
  const id = known?.text("issuer") === issuer && known.text("page") === page ? known.text("client_id") : undefined;
  if (id !== undefined) return id;
  const clientMetadata = { client_name: panelName.name, redirect_uris: [page], token_endpoint_auth_method: "none" };
  const { client_id } = await registerClient(issuer, { metadata, clientMetadata });
  storage.setItem(clientKey, JSON.stringify({ issuer, page, client_id }));
  return client_id;
}
