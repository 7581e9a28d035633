import { CommandError, type HttpValues, shownName } from "@resumable-mcp/command-line";
import { checkScopes } from "../auth/authorization.js";
import type { ServeOptions } from "../serve.js";

/** Reads the flags of the panel. @throws {@link CommandError} that names the flag and what it takes. */
export function readUi(
  values: Pick<HttpValues, "ui" | "ui-client-id" | "operator-scope">,
  { verifyToken, authorizationServers }: Pick<ServeOptions, "verifyToken" | "authorizationServers">,
): Pick<ServeOptions, "ui" | "operatorScope"> {
  const { ui, "ui-client-id": clientId, "operator-scope": operatorScope } = values;
  if (clientId !== undefined && (ui !== true || authorizationServers === undefined)) {
    throw new CommandError(
      `${shownName("ui-client-id")} is for users who sign in. Give --ui and --authorization-server too.`,
      2,
    );
  }
  if (operatorScope !== undefined && verifyToken === undefined) {
    throw new CommandError(
      `${shownName("operator-scope")} is for tokens. Give --authorization-server or --token-file too.`,
      2,
    );
  }
  try {
    checkScopes(shownName("operator-scope"), operatorScope === undefined ? [] : [operatorScope]);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), 2);
  }
  return { ui: ui === true ? { clientId } : undefined, operatorScope };
}
