import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";
import { RpcError } from "../call/rpc-error.js";
import { sentenceOfIssues } from "../sdk-workarounds.js";

const page = z.looseObject({ cursor: z.string().optional() });
const schemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["tools/list", page],
  ["tools/call", z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() })],
  ["resources/list", page],
  ["resources/templates/list", page],
  ["resources/read", z.looseObject({ uri: z.string() })],
  ["prompts/list", page],
  ["prompts/get", z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() })],
]);

/** Checks the params of a request that is answered here, whatever era it is of. @throws {@link RpcError} */
export function checkParams(method: string, params: JsonObject): void {
  // The calls of tools are many, and their arguments large.
  if (method === "tools/call" && typeof params.name === "string" && isJsonObject(params.arguments ?? {})) return;
  const schema = schemas.get(method);
  if (schema !== undefined) parseParams(schema, params);
}

/** Parses the params of a request. @throws {@link RpcError} where they do not fit. */
export function parseParams<Params>(schema: z.ZodType<Params>, params: JsonObject): Params {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new RpcError(rpcCodes.invalidParams, `Invalid params: ${sentenceOfIssues(parsed.error.issues)}.`);
}
