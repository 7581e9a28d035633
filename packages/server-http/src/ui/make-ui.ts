import { CommandError } from "@resumable-mcp/command-line";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import type { Ui } from "./ui-endpoint.js";

/** What says whether a server shows its panel as a page, of the options of `serve`. */
interface UiChoice {
  readonly definition: ServerDefinition;
  readonly ui?: { readonly clientId?: string | undefined } | undefined;
  readonly operatorScope?: string | undefined;
  readonly operatorActScope?: string | undefined;
}

/** The panel as a page, where it was asked for. @throws {@link CommandError} where the definition has none. */
export function makeUi({
  ui,
  operatorScope,
  operatorActScope,
  definition: { name, version, panel, controlTools },
}: UiChoice): Ui | undefined {
  if (ui === undefined) return undefined;
  // The page asks for both at once.
  const scopes = [operatorScope, operatorActScope].filter((scope) => scope !== undefined).join(" ");
  if (panel !== undefined && panel !== false && controlTools !== "none")
    return { page: panel, server: { name, version }, clientId: ui.clientId, operatorScope: scopes || undefined };
  const message =
    "The page of --ui is the panel, which this server does not have: leave out panel: false and --control-tools none, or let the definition name its panel.";
  throw new CommandError(message, 2);
}
