import { createRemoteJWKSet, jwtVerify } from "jose";

/**
 * Registers a client at an authorization server, for a second authorization server whose users sign in at the first.
 *
 * @param callback where the first one sends users back to.
 */
export async function signInAt(issuer, callback) {
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const registration = await fetch(metadata.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [callback], token_endpoint_auth_method: "client_secret_post" }),
  });
  const { client_id, client_secret } = await registration.json();
  const verifier = "a-verifier-of-the-tests-that-has-more-than-43-characters";
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(verifier));
  const code_challenge = Buffer.from(digest).toString("base64url");
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  return {
    /** The page at which a user signs in. */
    pageFor(state) {
      const page = new URL(metadata.authorization_endpoint);
      const asked = { response_type: "code", scope: "openid", redirect_uri: callback, client_id, state };
      page.search = new URLSearchParams({ ...asked, code_challenge, code_challenge_method: "S256" });
      return page.href;
    },
    /** Who signed in: the subject of the ID token that a code is worth. */
    async subjectOf(code) {
      const grant = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
      const answer = await fetch(metadata.token_endpoint, {
        method: "POST",
        body: new URLSearchParams({ ...grant, client_id, client_secret }),
      });
      const { id_token } = await answer.json();
      const { payload } = await jwtVerify(id_token, keys, { issuer, audience: client_id });
      return payload.sub;
    },
  };
}
