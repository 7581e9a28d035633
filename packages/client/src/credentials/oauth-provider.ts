import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthTokens,
  OAuthTokensSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { checkPkce } from "@resumable-mcp/protocol";
import { z } from "zod";
import { toJsonObject } from "../json.js";
import { checkAuthorizationServer } from "./authorization-server.js";
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
  /** The scopes that were asked for. */
  #scope: string | undefined;
  /** The tokens that this flow began with: only those may be thrown away, not what another process got meanwhile. */
  #began: OAuthTokens | undefined;

  constructor(options: OAuthProviderOptions) {
    this.#options = options;
    if (options.clientId !== undefined) this.#client = { client_id: options.clientId };
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata & { readonly application_type: "native" } {
    return {
      client_name: "resumable-mcp",
      // Without it an OpenID provider takes this for a web page, to which it sends no browser over http.
      application_type: "native",
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
    await this.#change((known) => {
      // Source: RFC 6749, sections 5.1 and 6: an answer without scopes gives those that were asked for, or as before.
      const scope = this.#options.fresh ? this.#scope : readTokens(known)?.scope;
      const kept = toJsonObject(scope === undefined ? tokens : { scope, ...tokens });
      return { ...known, oauth: { ...known.oauth, ...client, tokens: kept } };
    });
  }

  /** What was found out stays for the whole flow: its end asks the same authorization server as its beginning. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    checkAuthorizationServer(state);
    if (this.#options.fresh) checkPkce(state.authorizationServerUrl, state.authorizationServerMetadata);
    this.#discovered = state;
  }

  redirectToAuthorization(url: URL): void {
    this.#scope = url.searchParams.get("scope") ?? undefined;
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

/** The tokens of a sign-in, or `undefined` where there was none. */
export function readTokens({ oauth }: ServerCredentials): OAuthTokens | undefined {
  const { success, data } = OAuthTokensSchema.safeParse(oauth?.tokens);
  return success ? data : undefined;
}
