import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that arrived. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** How a fake differs from one whose metadata is at the first address that a client asks. */
export interface FakeRules {
  /** What a refusal says in `WWW-Authenticate`. */
  challenge?: (origin: string) => string;
  /** Where the metadata of the protected resource is, and what it says besides. */
  resourceAt?: string;
  resource?: object;
  /** The path of the issuer, which is that of the address of the server. */
  issuerPath?: string;
  /** Where the metadata of the authorization server is, and what it says besides. */
  metadataAt?: string;
  metadata?: (origin: string) => object;
  /** Says that the client is not registered. */
  registration?: readonly [status: number, says: object];
  /** What the token endpoint gives. */
  tokens?: object;
  /** Where the token endpoint sends those who ask. */
  tokensAt?: string;
  /** The token that is valid. */
  valid?: string;
}

/** A server, with its authorization server at the same origin. */
export interface FakeAuthorization {
  readonly origin: string;
  readonly address: string;
  readonly asked: readonly Asked[];
  /** May be changed. */
  readonly rules: FakeRules;
  /** The paths of the requests of a method, in order. */
  paths(method: string): readonly string[];
  close(): Promise<void>;
}

const wellKnown = "/.well-known";

/** Starts a server that wants its users to sign in. */
export async function startFakeAuthorization(rules: FakeRules = {}): Promise<FakeAuthorization> {
  const asked: Asked[] = [];
  const http = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const one = { method, path, authorization: headers.authorization, body };
      asked.push(one);
      const origin = `http://${headers.host}`;
      const [status, says] = answerTo(one, origin, rules);
      const answerHeaders: Record<string, string> = { "content-type": "application/json" };
      if (status === 401) answerHeaders["www-authenticate"] = rules.challenge?.(origin) ?? "Bearer";
      if (status === 307) answerHeaders.location = rules.tokensAt ?? "";
      response.writeHead(status, answerHeaders);
      response.end(JSON.stringify(says));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    origin,
    address: `${origin}/mcp`,
    asked,
    rules,
    paths: (method) => asked.filter((one) => one.method === method).map(({ path }) => path),
    close: () => {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(() => resolve()));
    },
  };
}

function answerTo({ method, path, authorization }: Asked, origin: string, rules: FakeRules): readonly [number, object] {
  const { issuerPath = "", valid } = rules;
  if (path === "/mcp") return valid !== undefined && authorization === `Bearer ${valid}` ? [200, {}] : [401, {}];
  if (method === "GET" && path === (rules.resourceAt ?? `${wellKnown}/oauth-protected-resource/mcp`)) {
    return [200, { resource: `${origin}/mcp`, authorization_servers: [`${origin}${issuerPath}`], ...rules.resource }];
  }
  if (method === "GET" && path === (rules.metadataAt ?? `${wellKnown}/oauth-authorization-server${issuerPath}`)) {
    return [200, { ...metadataOf(origin, issuerPath), ...rules.metadata?.(origin) }];
  }
  if (path === "/register") return rules.registration ?? [201, { client_id: "registered", redirect_uris: [] }];
  if (path === "/token" && rules.tokensAt !== undefined) return [307, {}];
  if (path === "/token") return [200, rules.tokens ?? { access_token: "first", token_type: "Bearer" }];
  return [404, {}];
}

function metadataOf(origin: string, issuerPath: string): object {
  return {
    issuer: `${origin}${issuerPath}`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    jwks_uri: `${origin}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
  };
}
