import { isResumableError } from "@resumable-mcp/core";
import { InvalidArguments } from "../control/control-tool.js";
import { errorResult, type ToolResult, thrownResult } from "./tool-result.js";

/** Makes the result of a call that threw, and tells the server's author of what was not expected. */
export function failureResult(error: unknown, onError: ((error: unknown) => void) | undefined): ToolResult {
  if (error instanceof InvalidArguments) return errorResult("INVALID_VALUE", error.message);
  if (!isResumableError(error)) onError?.(error);
  return thrownResult(error);
}
