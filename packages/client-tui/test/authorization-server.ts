import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { InvalidGrantError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import type { OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import { mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import express from "express";

/** An authorization server of the SDK, with a user who always says yes. */
export interface AuthorizationServer {
  /** Its issuer, letter by letter. */
  readonly url: string;
  /** What a resource server asks: whose token it is. */
  verify(token: string): { token: string; clientId: string; scopes: string[]; extra: { sub: string } } | undefined;
  /** Lets every access token run out; refresh tokens stay. */
  expireAccessTokens(): void;
  /** Ends every sign-in. */
  revokeAll(): void;
  /** How often a refresh token was used. */
  readonly refreshed: number;
  close(): Promise<void>;
}

/** Starts the server on a free port. Refresh tokens may be used once, as OAuth 2.1 demands of public clients. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const app = express();
  const http = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const clients = new Map<string, OAuthClientInformationFull>();
  const codes = new Map<string, string>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let refreshed = 0;

  const issue = (): OAuthTokens => {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID(), token_type: "Bearer", expires_in: 3600 };
    access.add(tokens.access_token);
    refresh.add(tokens.refresh_token);
    return tokens;
  };
  const provider: OAuthServerProvider = {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        const registered = { ...client, client_id: randomUUID() };
        clients.set(registered.client_id, registered);
        return registered;
      },
    },
    async authorize(_client, { redirectUri, codeChallenge, state }, response) {
      const code = randomUUID();
      codes.set(code, codeChallenge);
      const target = new URL(redirectUri);
      target.searchParams.set("code", code);
      if (state !== undefined) target.searchParams.set("state", state);
      response.redirect(target.href);
    },
    challengeForAuthorizationCode: async (_client, code) => {
      const challenge = codes.get(code);
      if (challenge === undefined) throw new InvalidGrantError("unknown code");
      return challenge;
    },
    async exchangeAuthorizationCode(_client, code) {
      if (!codes.delete(code)) throw new InvalidGrantError("unknown code");
      return issue();
    },
    async exchangeRefreshToken(_client, token) {
      if (!refresh.delete(token)) throw new InvalidGrantError("unknown refresh token");
      refreshed += 1;
      return issue();
    },
    async verifyAccessToken(token) {
      return { token, clientId: "user-1", scopes: [] };
    },
  };
  const issuerUrl = new URL(url);
  app.use(mcpAuthRouter({ provider, issuerUrl }));
  return {
    url: issuerUrl.href,
    verify: (token) =>
      access.has(token) ? { token, clientId: "client", scopes: [], extra: { sub: "user-1" } } : undefined,
    expireAccessTokens: () => access.clear(),
    revokeAll() {
      access.clear();
      refresh.clear();
    },
    get refreshed() {
      return refreshed;
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
