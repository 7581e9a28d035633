// An authorization server with a user, Ada, who always says yes. Arguments: the port (0: any), the form of access tokens
// (jwt or opaque). Prints its issuer.
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

const [, , port, accessTokenFormat] = process.argv;
const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const key = { ...(await exportJWK(privateKey)), kid: "one", alg: "ES256", use: "sig" };

const http = createServer();
await new Promise((resolve) => http.listen(Number(port), "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${http.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    // The resource server, which asks about tokens.
    { client_id: "mcp-server", client_secret: "its-secret", redirect_uris: [], response_types: [], grant_types: [] },
    // A client that was registered by hand: one that registers itself may ask only for the scopes that it registered with.
    {
      client_id: "by-hand",
      redirect_uris: ["http://127.0.0.1:9/callback"],
      response_types: ["code"],
      grant_types: ["authorization_code"],
      token_endpoint_auth_method: "none",
    },
  ],
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  jwks: { keys: [key] },
  cookies: { keys: ["a-key-of-the-tests"] },
  scopes: ["openid", "offline_access", "mcp", "pay"],
  ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, Interaction: 3600, Session: 3600, RefreshToken: 3600 },
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: "mcp pay",
        audience: resource,
        accessTokenFormat,
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
});

/** Signs Ada in, and grants what is asked. */
async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
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

const callback = provider.callback();
http.on("request", (request, response) => {
  if (request.url.startsWith("/interaction/")) void interact(request, response);
  else callback(request, response);
});
process.stdout.write(`${issuer}\n`);
