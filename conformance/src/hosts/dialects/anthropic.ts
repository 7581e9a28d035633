import { z } from "zod";
import type { Reply, Said } from "../script.js";
import type { Dialect } from "./dialect.js";

const text = z.object({ type: z.literal("text"), text: z.string() });
const words = z.union([z.string(), z.array(z.union([text, z.object({ type: z.string() })]))]);
const result = z.object({ type: z.literal("tool_result"), content: words.default("") });
const block = z.union([text, result, z.object({ type: z.string() })]);
const body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
  tools: z.array(z.object({ name: z.string() }).loose()).default([]),
});

/** Anthropic's messages. Source: docs.claude.com/en/api/messages-streaming */
export const anthropic: Dialect = {
  path: /\/v1\/messages$/,
  hear(value) {
    const { messages, tools } = body.parse(value);
    return {
      tools: tools.map((tool) => ({ name: tool.name, characters: JSON.stringify(tool).length })),
      said: messages.flatMap(({ role, content }) => (role === "user" ? saidIn(content) : [])),
    };
  },
  respond(reply, id) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      stop_reason: null,
      usage,
    };
    const stop_reason = reply.kind === "call" ? "tool_use" : "end_turn";
    const { block: content_block, delta } = blockOf(reply, id);
    const events = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    return events.map((event) => ({ event: event.type, data: JSON.stringify(event) }));
  },
};

function saidIn(content: z.infer<typeof body>["messages"][number]["content"]): readonly Said[] {
  if (typeof content === "string") return [{ from: "user", text: content }];
  return content.flatMap((one): readonly Said[] => {
    if ("text" in one) return [{ from: "user", text: one.text }];
    return "content" in one ? [{ from: "tool", text: textOf(one.content) }] : [];
  });
}

function textOf(value: z.infer<typeof words>): string {
  if (typeof value === "string") return value;
  return value.map((one) => ("text" in one ? one.text : "")).join("\n");
}

function blockOf(reply: Reply, id: string): { readonly block: object; readonly delta: object } {
  if (reply.kind === "text")
    return { block: { type: "text", text: "" }, delta: { type: "text_delta", text: reply.text } };
  const { tool, input } = reply;
  return {
    block: { type: "tool_use", id: `toolu_${id}`, name: tool.name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  };
}
