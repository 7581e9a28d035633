// Loaded before the server's own program: reads what that will need, and lets it begin on a line of input. So the time
// without a server is short on a busy machine too, and the clients' patience decides nothing.
import { once } from "node:events";

await Promise.all([
  import("@resumable-mcp/server-http"),
  import("@resumable-mcp/store-fs"),
  import("@resumable-mcp/command-line"),
  import("@modelcontextprotocol/sdk/server/mcp.js"),
  import("@modelcontextprotocol/server"),
]);
process.stderr.write("ready to begin\n");
await once(process.stdin, "data");
process.stdin.destroy();
