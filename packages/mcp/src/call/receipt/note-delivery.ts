import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

/**
 * Carries out a supervisor's `deliveryMethod` request, and gives the response: it says that the note is durable.
 *
 * An unknown task is answered like any other. Supervisor and host are the one local user, to whom every task belongs.
 */
export async function noteDelivery(engine: Engine, message: unknown): Promise<JsonObject> {
  const { id = null, params }: JsonObject = isJsonObject(message) ? message : {};
  const { taskId, delivered }: JsonObject = isJsonObject(params) ? params : {};
  try {
    const task = typeof taskId === "string" ? await engine.readTask(taskId) : undefined;
    if (task !== undefined) await note(engine, task.record, delivered === true);
    return { jsonrpc: "2.0", id, result: {} };
  } catch {
    const text = "The server could not note whether a result was delivered. The same call gets it once more.";
    return rpcErrorResponse(id, rpcCodes.internalError, text);
  }
}

async function note(engine: Engine, { id, owner }: { id: string; owner: string }, delivered: boolean): Promise<void> {
  const tasks = engine.forOwner(owner);
  if (!delivered) return tasks.withdrawDelivered(id);
  engine.observe("result.sent", id);
  await tasks.markDelivered(id);
  engine.observe("result.delivered", id);
}
