import { z } from "zod";
import type { Reply } from "../script.js";
import type { Dialect } from "./dialect.js";

const part = z.object({ text: z.string().default("") });
const content = z.union([z.string(), z.array(part)]).nullish();
const body = z.object({
  messages: z.array(z.object({ role: z.string(), content })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }).loose() })).default([]),
});

/** The text of a message. */
export function textOf(value: z.infer<typeof content>): string {
  return typeof value === "string" ? value : (value ?? []).map(({ text }) => text).join("\n");
}

/** OpenAI's chat completions. Source: platform.openai.com/docs/api-reference/chat-streaming */
export const openaiChat: Dialect = {
  path: /\/chat\/completions$/,
  hear(value) {
    const { messages, tools } = body.parse(value);
    return {
      tools: tools.map((tool) => ({ name: tool.function.name, characters: JSON.stringify(tool.function).length })),
      said: messages.flatMap(({ role, content: said }) =>
        role === "user" || role === "tool" ? [{ from: role, text: textOf(said) }] : [],
      ),
    };
  },
  respond(reply, id) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      data: JSON.stringify({
        id,
        object: "chat.completion.chunk",
        created: 1,
        model: "scripted",
        choices: [{ index: 0, delta, finish_reason }],
      }),
    });
    const finish = reply.kind === "call" ? "tool_calls" : "stop";
    return [chunk({ role: "assistant", ...said(reply, id) }, null), chunk({}, finish), { data: "[DONE]" }];
  },
};

function said(reply: Reply, id: string): object {
  if (reply.kind === "text") return { content: reply.text };
  const called = { name: reply.tool.name, arguments: JSON.stringify(reply.input) };
  return { tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: called }] };
}
