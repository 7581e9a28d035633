import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Setup2026 } from "@resumable-mcp/mcp/define-server";
import { z } from "zod";
import { prompts, resources, templateText } from "./contents.js";
import { helloJob } from "./running-tools.js";

const form = (message: string, properties: Record<string, { type: "string" } | { type: "boolean" }>): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required: Object.keys(properties) },
  });
const sample = (text: string): InputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 },
});
const roots: InputRequest = { method: "roots/list", params: {} };
const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

/** Adds what the scenarios of the 2026 era need in addition to tools that the engine runs. */
export function setup2026(server: McpServer, { changes, callTool }: Setup2026): void {
  addResources(server);
  addPrompts(server);
  addInputTools(server);
  addSampling(server);
  addCapabilityTools(server);
  server.registerTool("test_trigger_tool_change", { description: "Announces a change of the tools." }, () => {
    changes.toolsChanged();
    return text("Announced.");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Announces a change of the prompts." }, () => {
    changes.promptsChanged();
    return text("Announced.");
  });
  server.registerTool("test_tool_with_task", { description: "Asks first, then becomes a task." }, async (context) => {
    const name = nameIn(context.mcpReq.inputResponses?.user_name);
    if (name === undefined) return asking({ user_name: form("What is your name?", { name: { type: "string" } }) });
    return callTool(helloJob, { name }, context);
  });
}

/** A tool that asks the client for all of `requests` and answers when they came back. */
function addInputTools(server: McpServer): void {
  const tools: Record<string, Record<string, InputRequest>> = {
    test_input_required_result_sampling: { capital_question: sample("What is the capital of France?") },
    test_input_required_result_list_roots: { client_roots: roots },
    test_input_required_result_multiple_inputs: {
      user_name: form("What is your name?", { name: { type: "string" } }),
      greeting: sample("Generate a greeting"),
      client_roots: roots,
    },
  };
  for (const [name, requests] of Object.entries(tools)) {
    server.registerTool(name, { description: "Asks the client." }, ({ mcpReq }) => {
      const missing = missingOf(requests, mcpReq.inputResponses);
      const requestState = name.endsWith("multiple_inputs") ? "asked" : undefined;
      return missing === undefined ? text(JSON.stringify(mcpReq.inputResponses)) : asking(missing, requestState);
    });
  }
}

/** What the tool of the 2025 era does by a request of its own. */
function addSampling(server: McpServer): void {
  const inputSchema = z.object({ prompt: z.string() });
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema },
    ({ prompt }, context) => {
      const answer = sampled.safeParse(context.mcpReq.inputResponses?.response);
      return answer.success ? text(`LLM response: ${answer.data.content.text}`) : asking({ response: sample(prompt) });
    },
  );
}

const sampled = z.object({ content: z.object({ type: z.literal("text"), text: z.string() }) });

function addCapabilityTools(server: McpServer): void {
  server.registerTool("test_missing_capability", { description: "Needs the client's model." }, ({ mcpReq }) =>
    mcpReq.inputResponses === undefined ? asking({ question: sample("Anything") }) : text("Asked."),
  );
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks as the client can." },
    (context) => {
      if (context.mcpReq.inputResponses !== undefined) return text("Asked.");
      if (declares(context, "sampling")) return asking({ question: sample("Anything") });
      if (declares(context, "elicitation")) return asking({ question: form("Anything?", { ok: { type: "boolean" } }) });
      return text("The client can neither ask its user nor its model.");
    },
  );
}

function declares({ mcpReq }: ServerContext, capability: string): boolean {
  const envelope = z
    .object({ [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()) })
    .safeParse(mcpReq.envelope);
  return envelope.success && capability in (envelope.data[CLIENT_CAPABILITIES_META_KEY] ?? {});
}

function asking(inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult {
  return inputRequired(requestState === undefined ? { inputRequests } : { inputRequests, requestState });
}

function missingOf(
  requests: Record<string, InputRequest>,
  responses: Record<string, unknown> | undefined,
): Record<string, InputRequest> | undefined {
  const missing = Object.entries(requests).filter(([key]) => responses?.[key] === undefined);
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}

function nameIn(response: unknown): string | undefined {
  const parsed = z.object({ action: z.literal("accept"), content: z.object({ name: z.string() }) }).safeParse(response);
  return parsed.success ? parsed.data.content.name : undefined;
}

function addResources(server: McpServer): void {
  for (const { name, uri, mimeType, ...content } of [resources.text, resources.binary, resources.watched]) {
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
  }
  const { name, uri, mimeType } = resources.template;
  server.registerResource(name, new ResourceTemplate(uri, { list: undefined }), { mimeType }, (href, { id }) => ({
    contents: [{ uri: href.href, mimeType, text: templateText(String(id)) }],
  }));
}

function addPrompts(server: McpServer): void {
  const argument = completable(z.string(), (value) =>
    ["paris", "park", "party"].filter((word) => word.startsWith(value)),
  );
  server.registerPrompt("test_simple_prompt", { description: "Without arguments." }, prompts.simple);
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments.", argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => prompts.withArguments(arg1, arg2),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => prompts.withResource(resourceUri),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image." }, prompts.withImage);
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks for its context." }, ({ mcpReq }) =>
    mcpReq.inputResponses?.user_context === undefined
      ? asking({ user_context: form("What context should the prompt use?", { context: { type: "string" } }) })
      : prompts.simple(),
  );
}
