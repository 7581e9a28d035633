import { isFinal, isResumableError, type OwnedTasks, type TaskView } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { RpcError } from "../../call/rpc-error.js";

/** How long a cancelled task may take to stop before its answer says so anyway: the wish is durable. */
const settleCancelMs = 2_000;

/**
 * Cancels a task, and gives it as it is to be shown: cancelled, though its code may still be about to stop.
 *
 * Source: MCP 2025-11-25, Tasks, "Task Cancellation": a finished task cannot be cancelled.
 */
export async function cancelTask(tasks: OwnedTasks, taskId: string): Promise<TaskView> {
  try {
    await tasks.cancel(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
    throw new RpcError({ code: rpcCodes.invalidParams, message: error.message });
  }
  const { reason, ...view } = await tasks.wait(taskId, { timeoutMs: settleCancelMs });
  return isFinal(view.status) ? view : { ...view, status: "cancelled" };
}
