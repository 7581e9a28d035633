import { isJsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";

const issues = z.array(z.looseObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);

/**
 * Makes a sentence of an answer to malformed params: the SDK passes on what its validator says, as JSON text and as an
 * internal error. Every other message stays as it is. Source: JSON-RPC 2.0, "Error object" (-32602).
 */
export function withReadableError<Message extends object>(message: Message): Message {
  const error: unknown = Reflect.get(message, "error");
  if (!isJsonObject(error) || !mendable.includes(error.code) || typeof error.message !== "string") return message;
  const problems = problemsIn(error.message);
  if (problems === undefined) return message;
  return { ...message, error: { code: rpcCodes.invalidParams, message: `Invalid params: ${problems}.` } };
}

function problemsIn(text: string): string | undefined {
  const list = /^(?:MCP error -\d+: )?(?:Invalid [\w/]+ request: )?(\[[\s\S]*\])$/.exec(text)?.[1];
  if (list === undefined) return undefined;
  try {
    const parsed = issues.safeParse(JSON.parse(list));
    const sentences = parsed.data?.map(({ path, message }) => {
      const place = path[0] === "params" ? path.slice(1) : path;
      return place.length === 0 ? message : `${place.join(".")}: ${message}`;
    });
    return sentences?.slice(0, maxProblems).join("; ");
  } catch {
    return undefined;
  }
}

const maxProblems = 10;
const mendable: readonly unknown[] = [rpcCodes.internalError, rpcCodes.invalidParams];
