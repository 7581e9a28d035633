import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";

/** Names of this machine, as `URL` writes them. */
const ownNames = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether an address is one of https, or of this machine. Source: MCP, Authorization, "Communication Security". */
export function isSecure(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && ownNames.test(hostname));
}

/**
 * Refuses an authorization server that is not asked over https, and metadata of another issuer.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Authorization, "Communication Security" and "Authorization Server Metadata
 * Discovery"; RFC 8414, section 3.3.
 */
export function checkAuthorizationServer(found: OAuthDiscoveryState): void {
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  for (const address of [url, metadata?.token_endpoint, metadata?.registration_endpoint]) {
    if (address === undefined || isSecure(address)) continue;
    throw new Error(`the authorization server ${url} has the address ${address}, which is not one of https`);
  }
  if (metadata === undefined || metadata.issuer === url) return;
  // A server that names none is its own: the slash at the end is not the server's word.
  const isNamed = resourceMetadata?.authorization_servers?.includes(url) === true;
  if (!isNamed && `${metadata.issuer}/` === url) return;
  throw new Error(`the metadata of the authorization server ${url} is that of another one, ${metadata.issuer}`);
}

/**
 * Refuses an authorization server that does not say that it protects codes by PKCE.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Authorization, "Authorization Code Protection".
 */
export function checkPkce({ authorizationServerUrl: url, authorizationServerMetadata: metadata }: OAuthDiscoveryState) {
  if (metadata?.code_challenge_methods_supported?.includes("S256") === true) return;
  throw new Error(`the authorization server ${url} does not say that it supports PKCE with S256, so it is not used`);
}
