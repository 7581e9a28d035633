import type { CallerRights } from "./scopes.js";

/** What makes a token an operator's. */
export interface OperatorScopes {
  /** The scope by which a token is an operator's, who sees the servers of the store and reads the tasks of all owners. Default: none is. */
  readonly operatorScope?: string | undefined;
  /** The scope by which an operator's token may also pause, resume, cancel and delete them. Default: none may. */
  readonly operatorActScope?: string | undefined;
}

/**
 * What a caller may do with the tasks of all owners: `own`: nothing. The user of this machine may do all, as with the store itself, but not
 * as a client that names itself; no other caller without a token may do anything. Pure.
 */
export function operatorReach(
  { token, locality }: CallerRights,
  clientId: string | undefined,
  { operatorScope, operatorActScope }: OperatorScopes,
): "own" | "read" | "act" {
  if (token === undefined) return locality.local && clientId === undefined ? "act" : "own";
  const has = (scope: string | undefined) => scope !== undefined && token.scopes?.includes(scope) === true;
  if (has(operatorActScope)) return "act";
  return has(operatorScope) ? "read" : "own";
}
