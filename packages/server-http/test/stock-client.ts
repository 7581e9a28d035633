import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterwards } from "./server-process.js";

/** An unmodified client of the SDK, connected. */
export async function connectStock(
  url: string,
  options: { token?: string; capabilities?: object; transport?: StreamableHTTPClientTransportOptions } = {},
) {
  const client = new Client({ name: "stock", version: "1" }, { capabilities: options.capabilities ?? {} });
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, ...options.transport });
  await client.connect(transport);
  afterwards(() => client.close());
  return { client, transport };
}
