import { setTimeout as delay } from "node:timers/promises";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { prompts, resources, templateText } from "./contents.js";

/** How long `test_reconnection` takes, in milliseconds; the suite waits up to 5 s for it. */
const reconnectMs = 100;

/** Adds what the scenarios of the 2025 era need in addition to tools that the engine runs. */
export function setup2025(server: McpServer): void {
  addResources(server);
  addPrompts(server);
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema: { prompt: z.string() } },
    async ({ prompt }, extra) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
      const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
      const { content } = await extra.sendRequest(request, CreateMessageResultSchema);
      return { content: [{ type: "text", text: `LLM response: ${content.type === "text" ? content.text : ""}` }] };
    },
  );
  server.registerTool(
    "test_reconnection",
    { description: "Ends its stream and answers on the one with which the client comes back." },
    async (extra) => {
      extra.closeSSEStream?.();
      await delay(reconnectMs);
      return { content: [{ type: "text", text: "Reconnection test completed successfully." }] };
    },
  );
}

function addResources(server: McpServer): void {
  for (const { name, uri, mimeType, ...content } of [resources.text, resources.binary, resources.watched]) {
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
  }
  const { name, uri, mimeType } = resources.template;
  server.registerResource(name, new ResourceTemplate(uri, { list: undefined }), { mimeType }, (href, { id }) => ({
    contents: [{ uri: href.href, mimeType, text: templateText(String(id)) }],
  }));
  server.server.registerCapabilities({ resources: { subscribe: true } });
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}

function addPrompts(server: McpServer): void {
  const argument = completable(z.string(), (value) =>
    ["paris", "park", "party"].filter((word) => word.startsWith(value)),
  );
  server.registerPrompt("test_simple_prompt", { description: "Without arguments." }, prompts.simple);
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments.", argsSchema: { arg1: argument, arg2: z.string() } },
    ({ arg1, arg2 }) => prompts.withArguments(arg1, arg2),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource.", argsSchema: { resourceUri: z.string() } },
    ({ resourceUri }) => prompts.withResource(resourceUri),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image." }, prompts.withImage);
}
