// An authorization server with a user, Ada, who always says yes. Prints its issuer.
//   --format jwt|opaque  the form of access tokens
//   --audience NAME      as a hosted provider does: clients are registered by hand, and tokens are for the API of this name,
//                        with the claims `scp` and `azp`, and no type
//   --host NAME          the name of this machine in the issuer
//   --upstream ISSUER    users sign in at this other authorization server
//   --page URL           a page in browsers at which the client that was registered by hand ends its sign-in
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import { signInAt } from "./federated-sign-in.js";

const {
  format: accessTokenFormat,
  audience,
  host,
  upstream,
  page,
} = parseArgs({
  options: {
    format: { type: "string", default: "jwt" },
    audience: { type: "string" },
    host: { type: "string", default: "127.0.0.1" },
    upstream: { type: "string" },
    page: { type: "string" },
  },
}).values;
const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const key = { ...(await exportJWK(privateKey)), kid: "one", alg: "ES256", use: "sig" };

const http = createServer();
await new Promise((resolve) => http.listen(0, host, resolve));
const issuer = `http://${host}:${http.address().port}`;
const federation = upstream && (await signInAt(upstream, `${issuer}/interaction/callback`));
/** Access tokens as some hosted providers give them. */
function asHosted(parts) {
  const { scope, client_id: azp, ...payload } = parts.payload;
  Object.assign(parts, { header: { typ: "JWT" }, payload: { ...payload, azp, scp: scope.split(" ") } });
}

const provider = new Provider(issuer, {
  clients: [
    // The resource server, which asks about tokens.
    { client_id: "mcp-server", client_secret: "its-secret", redirect_uris: [], response_types: [], grant_types: [] },
    // A client that was registered by hand: one that registers itself may ask only for the scopes that it registered with.
    {
      client_id: "by-hand",
      redirect_uris: ["http://127.0.0.1:9/callback", ...(page === undefined ? [] : [page])],
      response_types: ["code"],
      grant_types: ["authorization_code"],
      token_endpoint_auth_method: "none",
    },
  ],
  // Only to it: its page reads the token from another origin.
  clientBasedCORS: (_context, origin) => page !== undefined && origin === new URL(page).origin,
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  jwks: { keys: [key] },
  cookies: { keys: ["a-key-of-the-tests"] },
  scopes: ["openid", "offline_access", "mcp", "pay"],
  ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, Interaction: 3600, Session: 3600, RefreshToken: 3600 },
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  ...(audience && { formats: { customizers: { jwt: (_context, _token, parts) => asHosted(parts) } } }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: audience === undefined },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: "mcp pay",
        audience: audience ?? resource,
        accessTokenFormat,
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
});

/** The user who comes back from the other authorization server. Sends the user there first, and gives nothing. */
async function accountOf(request, response, uid) {
  if (federation === undefined) return "ada";
  const code = new URL(request.url, issuer).searchParams.get("code");
  if (code !== null) return `social|${await federation.subjectOf(code)}`;
  response.writeHead(303, { location: federation.pageFor(uid) }).end();
  return undefined;
}

/** Signs the user in, and grants what is asked. */
async function interact(request, response) {
  const { prompt, params, session, uid } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    const accountId = await accountOf(request, response, uid);
    return accountId && provider.interactionFinished(request, response, { login: { accountId } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** The other authorization server knows one address: the cookie of an interaction is sent to the address of that alone. */
function comeBack(request, response) {
  const { state, code } = Object.fromEntries(new URL(request.url, issuer).searchParams);
  response.writeHead(303, { location: `/interaction/${state}?${new URLSearchParams({ code })}` }).end();
}

const callback = provider.callback();
http.on("request", (request, response) => {
  if (request.url.startsWith("/interaction/callback")) comeBack(request, response);
  else if (request.url.startsWith("/interaction/")) void interact(request, response);
  else callback(request, response);
});
process.stdout.write(`${issuer}\n`);
