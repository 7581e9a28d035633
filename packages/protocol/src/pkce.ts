/**
 * Refuses an authorization server that does not say that it protects codes by PKCE.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Authorization, "Authorization Code Protection".
 * @throws {@link Error}.
 */
export function checkPkce(
  issuer: string,
  metadata: { readonly code_challenge_methods_supported?: readonly string[] | undefined } | undefined,
): void {
  if (metadata?.code_challenge_methods_supported?.includes("S256") === true) return;
  throw new Error(`the authorization server ${issuer} does not say that it supports PKCE with S256, so it is not used`);
}
