// openai-agents.ts
import { tool } from "@openai/agents-core";
import { type JsonObject, openClient } from "@resumable-mcp/client";

/** An input schema as OpenAI types it. */
type Schema = { type: "object"; properties: Record<string, object>; required: string[]; additionalProperties: true };

/**
 * The tools of a server, for `new Agent({ name, tools })`.
 *
 * The client of resumable-mcp makes the calls: it waits for a server that is away.
 */
export async function openTools(url: string, token: string) {
  const client = await openClient({ servers: [{ url, token }] });
  const listed = await client.tools();
  const tools = listed
    .filter(({ control }) => !control)
    .map(({ name, description = name, inputSchema }) =>
      tool({
        name,
        description,
        parameters: inputSchema as Schema,
        strict: false,
        execute: async (input) => (await (await client.call(name, input as JsonObject)).result()).text,
      }),
    );
  return { tools, close: () => client.close() };
}
