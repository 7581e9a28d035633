import { loadServer, withControlTools, withPanel } from "@resumable-mcp/command-line";
import type { ServerDefinition } from "@resumable-mcp/mcp";

/** What the command line says of the server in the module. */
interface DefinitionValues {
  readonly "control-tools"?: string;
  readonly "no-panel"?: boolean;
}

/** Loads the server of a tools module, with what flags say. @throws {@link CommandError} that says what is wrong with either. */
export async function loadDefinition(module: string, values: DefinitionValues): Promise<ServerDefinition> {
  const definition = withControlTools(await loadServer(module), values["control-tools"]);
  return withPanel(definition, values["no-panel"], panelPage);
}

/** The page is larger than all else of a server: it is loaded where it is first shown. */
async function panelPage(): Promise<string> {
  const { panelHtml } = await import("@resumable-mcp/panel");
  return panelHtml;
}
