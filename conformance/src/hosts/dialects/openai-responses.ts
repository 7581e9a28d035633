import { z } from "zod";
import type { PresentedTool, Reply, Said } from "../script.js";
import type { Dialect } from "./dialect.js";
import { textOf } from "./openai-chat.js";

const content = z.union([z.string(), z.array(z.object({ text: z.string().default("") }))]).nullish();
const tool = z.object({ name: z.string() }).loose();
const body = z.object({
  input: z.array(z.object({ type: z.string(), role: z.string().optional(), content, output: content })),
  tools: z.array(z.object({ name: z.string().default(""), tools: z.array(tool).optional() }).loose()).default([]),
});

/** OpenAI's responses. Source: platform.openai.com/docs/api-reference/responses-streaming */
export const openaiResponses: Dialect = {
  path: /\/responses$/,
  hear(value) {
    const { input, tools } = body.parse(value);
    return {
      tools: tools.flatMap(presented),
      said: input.flatMap(({ type, role, content: words, output }): readonly Said[] => {
        if (type === "function_call_output") return [{ from: "tool", text: textOf(output) }];
        return role === "user" ? [{ from: "user", text: textOf(words) }] : [];
      }),
    };
  },
  respond(reply, id) {
    const item = itemOf(reply, id);
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const events = [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, output: [item], usage } },
    ];
    return events.map((event) => ({ event: event.type, data: JSON.stringify(event) }));
  },
};

/** A namespace holds the tools of a server. */
function presented(entry: z.infer<typeof body>["tools"][number]): readonly PresentedTool[] {
  const { name, tools } = entry;
  if (tools === undefined) return [{ name, characters: JSON.stringify(entry).length }];
  return tools.map((one) => ({ name: one.name, namespace: name, characters: JSON.stringify(one).length }));
}

function itemOf(reply: Reply, id: string): object {
  if (reply.kind === "text") {
    const text = { type: "output_text", text: reply.text, annotations: [] };
    return { type: "message", id: `message_${id}`, role: "assistant", status: "completed", content: [text] };
  }
  const { name, namespace } = reply.tool;
  const call = { type: "function_call", id: `item_${id}`, call_id: `call_${id}`, status: "completed" };
  return { ...call, name, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(reply.input) };
}
