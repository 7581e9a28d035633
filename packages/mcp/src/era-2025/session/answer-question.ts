import type { JSONRPCResponse } from "@modelcontextprotocol/sdk/types.js";
import { type Engine, isResumableError } from "@resumable-mcp/core";
import { parseElicitationResult, parseQuestionId } from "@resumable-mcp/protocol";
import { type CallerRights, tasksWithin } from "../../owner/scopes.js";
import { openCalls, type SessionDocument } from "./session-document.js";

/**
 * Writes the user's answer to a question of one of a session's tasks into its journal, before the client receives
 * that it arrived: the request that asked may have ended. False when it answers nothing that this session can have been asked.
 *
 * @throws {@link ResumableError} `INSUFFICIENT_SCOPE` when the caller may not reach the tasks of the tool.
 */
export async function answerQuestion(
  engine: Engine,
  document: SessionDocument,
  response: JSONRPCResponse,
  caller: CallerRights,
): Promise<boolean> {
  const asked = parseQuestionId(String(response.id));
  const findCall = () => openCalls(document.value).find((one) => (one.taskId ?? one.callId) === asked?.taskId);
  // Another process may have asked it.
  if (asked !== undefined && findCall() === undefined) await document.refresh();
  const call = findCall();
  const task = asked === undefined || call === undefined ? undefined : await engine.readTask(asked.taskId);
  if (asked === undefined || task === undefined || !Object.hasOwn(task.record.remembered, asked.key)) return false;
  const answer = "result" in response ? parseElicitationResult(response.result) : undefined;
  if (answer === undefined) return true;
  try {
    await tasksWithin(engine, engine.forOwner(task.record.owner), caller).answer(asked.taskId, asked.key, answer);
  } catch (error) {
    // What does not fit, or came twice, is reported to the request that asks.
    if (!isResumableError(error, "INVALID_VALUE") && !isResumableError(error, "ALREADY_ANSWERED")) throw error;
  }
  return true;
}
