import { CommandError, type HttpValues, shownName } from "@resumable-mcp/command-line";
import { checkScopes } from "../auth/authorization.js";
import type { ServeOptions } from "../serve.js";

/** Reads the flags of the panel. @throws {@link CommandError} that names the flag and what it takes. */
export function readUi(
  values: Pick<HttpValues, "ui" | "ui-client-id" | "operator-scope" | "operator-act-scope">,
  { verifyToken, authorizationServers }: Pick<ServeOptions, "verifyToken" | "authorizationServers">,
): Pick<ServeOptions, "ui" | "operatorScope" | "operatorActScope"> {
  const {
    ui,
    "ui-client-id": clientId,
    "operator-scope": operatorScope,
    "operator-act-scope": operatorActScope,
  } = values;
  if (clientId !== undefined && (ui !== true || authorizationServers === undefined)) {
    throw new CommandError(
      `${shownName("ui-client-id")} is for users who sign in. Give --ui and --authorization-server too.`,
      2,
    );
  }
  checkOperator("operator-scope", operatorScope, verifyToken !== undefined);
  checkOperator("operator-act-scope", operatorActScope, verifyToken !== undefined);
  return { ui: ui === true ? { clientId } : undefined, operatorScope, operatorActScope };
}

function checkOperator(flag: string, scope: string | undefined, hasTokens: boolean): void {
  if (scope === undefined) return;
  if (!hasTokens)
    throw new CommandError(`${shownName(flag)} is for tokens. Give --authorization-server or --token-file too.`, 2);
  try {
    checkScopes(shownName(flag), [scope]);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), 2);
  }
}
