import { CommandError, panelFlag, panelUsage } from "@resumable-mcp/command-line";
import { checkScopes } from "../auth/authorization.js";
import type { ServeOptions } from "../serve.js";

/** The flags of the panel. */
export const uiFlags = {
  ...panelFlag,
  ui: { type: "boolean" },
  "ui-client-id": { type: "string" },
  "operator-scope": { type: "string" },
} as const;

/** How they are used. */
export const uiUsage = `${panelUsage}
  --ui                   show the panel in browsers too, at /ui; where others than this machine's user may call, they
                         need tokens
  --ui-client-id ID      what the panel is to the authorization server; else it registers itself there
  --operator-scope NAME  scope of an operator's token: the panel shows all servers of the store; this machine's user
                         needs none`;

/** The values of these flags. */
interface UiValues {
  readonly ui?: boolean;
  readonly "ui-client-id"?: string;
  readonly "operator-scope"?: string;
}

/** Reads the flags of the panel. @throws {@link CommandError} that names the flag and what it takes. */
export function readUi(
  values: UiValues,
  { verifyToken, authorizationServers }: Pick<ServeOptions, "verifyToken" | "authorizationServers">,
): Pick<ServeOptions, "ui" | "operatorScope"> {
  const { ui, "ui-client-id": clientId, "operator-scope": operatorScope } = values;
  if (clientId !== undefined && (ui !== true || authorizationServers === undefined)) {
    throw new CommandError("--ui-client-id is for users who sign in. Give --ui and --authorization-server too.", 2);
  }
  if (operatorScope !== undefined && verifyToken === undefined) {
    throw new CommandError("--operator-scope is for tokens. Give --authorization-server or --token-file too.", 2);
  }
  try {
    checkScopes("--operator-scope", operatorScope === undefined ? [] : [operatorScope]);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), 2);
  }
  return { ui: ui === true ? { clientId } : undefined, operatorScope };
}
