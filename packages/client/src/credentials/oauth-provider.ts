import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthTokens,
  OAuthTokensSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { z } from "zod";
import { toJsonObject } from "../json.js";
import type { CredentialsFile, ServerCredentials } from "./credentials-file.js";

const registration = z.looseObject({ client_id: z.string() });

/** What the SDK's flow needs from outside. */
export interface OAuthProviderOptions {
  readonly address: string;
  readonly credentials: CredentialsFile;
  readonly redirectUrl: string;
  /** A client id that was registered by hand, for authorization servers without dynamic registration. */
  readonly clientId?: string;
  readonly state?: string;
  /** A new sign-in: what an earlier one left is not used. */
  readonly fresh: boolean;
  /** Sends the user to the authorization server, or throws where no user is. */
  readonly onRedirect: (url: URL) => void;
}

/**
 * Lets the SDK's authorization flow keep what it gets in the credentials file.
 *
 * Source: MCP 2025-11-25, Authorization; RFC 8252 for programs without a web server.
 */
export class StoredOAuthProvider implements OAuthClientProvider {
  readonly #options: OAuthProviderOptions;
  #codeVerifier = "";
  #client: OAuthClientInformationMixed | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  /** The tokens that this flow began with: only those may be thrown away, not what another process got meanwhile. */
  #began: OAuthTokens | undefined;

  constructor(options: OAuthProviderOptions) {
    this.#options = options;
    if (options.clientId !== undefined) this.#client = { client_id: options.clientId };
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "resumable-mcp",
      redirect_uris: [this.#options.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    return this.#options.state ?? "";
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    if (this.#client !== undefined || this.#options.fresh) return this.#client;
    const { oauth } = await this.#read();
    return oauth?.client === undefined ? undefined : registration.parse(oauth.client);
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    this.#client = client;
    await this.#change((known) => ({ ...known, oauth: { ...known.oauth, client: toJsonObject(client) } }));
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    if (this.#options.fresh) return undefined;
    this.#began = readTokens(await this.#read());
    return this.#began;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    const client = this.#client === undefined ? {} : { client: toJsonObject(this.#client) };
    await this.#change((known) => ({ ...known, oauth: { ...known.oauth, ...client, tokens: toJsonObject(tokens) } }));
  }

  /** What was found out stays for the whole flow: its end asks the same authorization server as its beginning. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    if (this.#options.fresh) checkAuthorizationServer(state);
    this.#discovered = state;
  }

  redirectToAuthorization(url: URL): void {
    this.#options.onRedirect(url);
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier;
  }

  codeVerifier(): string {
    return this.#codeVerifier;
  }

  async invalidateCredentials(): Promise<void> {
    const began = this.#began?.refresh_token;
    if (began === undefined) return;
    await this.#change((known) => {
      if (readTokens(known)?.refresh_token !== began) return known;
      const { oauth: _ended, ...rest } = known;
      return rest;
    });
  }

  #read(): Promise<ServerCredentials> {
    return this.#options.credentials.read(this.#options.address);
  }

  #change(change: (known: ServerCredentials) => ServerCredentials): Promise<void> {
    return this.#options.credentials.update(this.#options.address, change);
  }
}

/**
 * Refuses an authorization server that does not say that it protects codes by PKCE, and metadata of another issuer.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Authorization, "Authorization Code Protection"; RFC 8414, section 3.3.
 */
function checkAuthorizationServer({
  authorizationServerUrl: url,
  authorizationServerMetadata: metadata,
}: OAuthDiscoveryState) {
  const methods = metadata?.code_challenge_methods_supported ?? [];
  if (!methods.includes("S256")) {
    throw new Error(`the authorization server ${url} does not say that it supports PKCE with S256, so it is not used`);
  }
  if (metadata?.issuer.replace(/\/$/, "") === url.replace(/\/$/, "")) return;
  throw new Error(`the metadata of the authorization server ${url} is that of another one, ${metadata?.issuer}`);
}

/** The tokens of a sign-in, or `undefined` where there was none. */
export function readTokens({ oauth }: ServerCredentials): OAuthTokens | undefined {
  const { success, data } = OAuthTokensSchema.safeParse(oauth?.tokens);
  return success ? data : undefined;
}
