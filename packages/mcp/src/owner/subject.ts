/** What a verified token says of whom it was given to. Source: MCP, Authorization. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly extra?: Record<string, unknown>;
}

/** The authenticated subject of a token: its `sub` where the verifier passed one on, else the client's id. */
export function subjectOf(token: VerifiedToken): string;
export function subjectOf(token: VerifiedToken | undefined): string | undefined;
export function subjectOf(token: VerifiedToken | undefined): string | undefined {
  const sub = token?.extra?.sub;
  return typeof sub === "string" && sub !== "" ? sub : token?.clientId;
}
