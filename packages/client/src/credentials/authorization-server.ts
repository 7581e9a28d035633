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
  const named = resourceMetadata?.authorization_servers;
  if (resourceMetadata !== undefined && (named ?? []).length === 0) {
    throw new Error("the metadata of the server names no authorization server: its operator has to name one");
  }
  for (const address of [url, metadata?.token_endpoint, metadata?.registration_endpoint]) {
    if (address === undefined || isSecure(address)) continue;
    throw new Error(`the authorization server ${url} has the address ${address}, which is not one of https`);
  }
  if (metadata === undefined || metadata.issuer === url) return;
  // A server without metadata is its own: the slash at the end is not the server's word.
  if (named === undefined && `${metadata.issuer}/` === url) return;
  throw new Error(`the metadata of the authorization server ${url} is that of another one, ${metadata.issuer}`);
}
