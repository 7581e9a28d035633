import { appMimeType, type ControlToolsOffer, panelUri } from "@resumable-mcp/protocol";
import { asRpcError } from "../call/rpc-error.js";
import type { PanelPage, ServerDefinition } from "../define-server.js";
import type { PanelFacts } from "./panel-tools.js";

/** The panel of a server. */
export interface PanelOptions extends PanelFacts {
  readonly page: PanelPage;
}

/** The panel of a definition. */
export function makePanel({ name, version, panel }: ServerDefinition): PanelOptions | undefined {
  return panel === undefined || panel === false ? undefined : { page: panel, server: { name, version } };
}

/** No network, nothing from elsewhere. Source: MCP Apps 2026-01-26, "UI Resource Format". */
export const panelResource = {
  uri: panelUri,
  name: "panel",
  title: "Panel of long-running tasks",
  description: "Shows tasks as they go, and controls them.",
  mimeType: appMimeType,
  _meta: {
    ui: {
      csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
      prefersBorder: true,
    },
  },
} as const;

/** Reads the page, which calls tools by their names: a prefix changes them. */
export async function readPanel(
  { page }: PanelOptions,
  { prefix }: ControlToolsOffer,
  onError: ((error: unknown) => void) | undefined,
) {
  try {
    const html = typeof page === "string" ? page : await page();
    const text = prefix === "" ? html : withPrefix(html, prefix);
    return { contents: [{ uri: panelUri, mimeType: appMimeType, text, _meta: panelResource._meta }] };
  } catch (error) {
    onError?.(error);
    throw asRpcError(error);
  }
}

/** Pure. */
function withPrefix(html: string, prefix: string): string {
  const content = prefix.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return html.replace(/<head\b[^>]*>/i, (head) => `${head}<meta name="resumable-mcp-prefix" content="${content}">`);
}
