import { rpcCodes, tasksExtension } from "@resumable-mcp/protocol";
import type { RpcErrorBody } from "../../call/rpc-error.js";

/** The request needs the tasks extension and did not declare it. Source: SEP-2663, SEP-2575. */
export const missingTasksExtension: RpcErrorBody = {
  code: rpcCodes.missingCapability,
  message: `This needs the extension ${tasksExtension}: declare it in the request's clientCapabilities.`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
};
