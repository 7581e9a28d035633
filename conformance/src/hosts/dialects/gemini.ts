import { z } from "zod";
import type { Reply, Said } from "../script.js";
import type { Dialect } from "./dialect.js";

const part = z.object({
  text: z.string().optional(),
  functionResponse: z.object({ response: z.unknown() }).optional(),
});
const body = z.object({
  contents: z.array(z.object({ role: z.string().default("user"), parts: z.array(part).default([]) })),
  tools: z
    .array(z.object({ functionDeclarations: z.array(z.object({ name: z.string() }).loose()).default([]) }))
    .default([]),
});

/** Gemini's `generateContent`. Source: ai.google.dev/api/generate-content */
export const gemini: Dialect = {
  path: /:streamGenerateContent$/,
  hear(value) {
    const { contents, tools } = body.parse(value);
    return {
      tools: tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map((tool) => ({ name: tool.name, characters: JSON.stringify(tool).length })),
      ),
      said: contents.flatMap(({ role, parts }) =>
        parts.flatMap(({ text, functionResponse }): readonly Said[] => {
          if (functionResponse !== undefined)
            return [{ from: "tool", text: JSON.stringify(functionResponse.response) }];
          return role === "user" && text !== undefined ? [{ from: "user", text }] : [];
        }),
      ),
    };
  },
  respond(reply) {
    const content = { role: "model", parts: [partOf(reply)] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [{ data: JSON.stringify({ candidates: [{ index: 0, content, finishReason: "STOP" }], usageMetadata }) }];
  },
};

function partOf(reply: Reply): object {
  return reply.kind === "text" ? { text: reply.text } : { functionCall: { name: reply.tool.name, args: reply.input } };
}
