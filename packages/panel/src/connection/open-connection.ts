import { connectBrowser } from "./browser-connection.js";
import type { PanelConnection } from "./connection.js";
import { connectHost } from "./host-connection.js";
import { fetchPageConfig, metaContent, pageAddress } from "./page-config.js";

/** Between two attempts to read the configuration of the page. */
const retryMs = 2_000;

/**
 * Opens the way to the server: of the page that a server serves itself, or of the host in whose frame the panel is.
 *
 * `waiting` is called with what stands in the way, for as long as it does.
 */
export async function openConnection(waiting: (text: string) => void): Promise<PanelConnection> {
  const prefix = metaContent("resumable-mcp-prefix") ?? "";
  const address = metaContent("resumable-mcp-config");
  if (address === undefined) return await connectHost(prefix);
  const page = pageAddress(location);
  for (;;) {
    try {
      const config = await fetchPageConfig(address, page);
      return await connectBrowser(config, prefix, { location, history, storage: sessionStorage });
    } catch (error) {
      waiting(error instanceof Error ? error.message : String(error));
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
