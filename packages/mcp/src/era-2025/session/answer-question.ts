import { type Engine, isResumableError } from "@resumable-mcp/core";
import { parseElicitationResult, parseQuestionId, toText } from "@resumable-mcp/protocol";
import { resolveOwner } from "../../owner/owner.js";
import { type CallerRights, tasksWithin } from "../../owner/scopes.js";
import type { JSONRPCResponse } from "../../sdk-2025.js";
import type { InFlightCalls } from "./calls/in-flight-calls.js";
import type { SessionDocument } from "./session-document.js";

/**
 * Writes the user's answer to a question of one of a session's tasks into its journal, before the client receives
 * that it arrived: the request that asked may have ended. False when it answers nothing that this session can have been asked.
 *
 * @throws {@link ResumableError} `INSUFFICIENT_SCOPE` when the caller may not reach the tasks of the tool.
 */
export async function answerQuestion(
  engine: Engine,
  { document, calls }: { readonly document: SessionDocument; readonly calls: InFlightCalls },
  response: JSONRPCResponse,
  caller: CallerRights,
): Promise<boolean> {
  const asked = parseQuestionId(toText(response.id));
  const task = asked === undefined ? undefined : await engine.readTask(asked.taskId).catch(noTask);
  if (asked === undefined || task === undefined || !Object.hasOwn(task.record.remembered, asked.key)) return false;
  // Another process may have asked it, for a task of this session or of its caller.
  const { session, owner } = task.record;
  const mayBeAsked = session === document.id || owner === document.owner || calls.follows(asked.taskId);
  if (!mayBeAsked && owner !== ownerOfSession(document, caller)) return false;
  const answer = "result" in response ? parseElicitationResult(response.result) : undefined;
  if (answer === undefined) return true;
  try {
    await tasksWithin(engine, engine.forOwner(task.record.owner), caller).answer(asked.taskId, asked.key, answer);
  } catch (error) {
    // What does not fit, or came twice, is reported to the request that asks; of a task that has ended, none asks any more.
    if (!isResumableError(error, ...reported)) throw error;
  }
  return true;
}

const reported = ["INVALID_VALUE", "ALREADY_ANSWERED", "UNKNOWN_QUESTION", "TASK_NOT_FOUND"] as const;

/** By whom the session's requests are made that name no client, where that outlives the session. */
function ownerOfSession(
  { id: sessionId, value }: SessionDocument,
  { token, locality }: CallerRights,
): string | undefined {
  const { clientId } = value;
  return clientId === undefined || token !== undefined
    ? undefined
    : resolveOwner({ authenticated: undefined, clientId, sessionId, locality });
}

/** A damaged task does not say whose it is, and takes no answer: who asks it says so to its caller. */
function noTask(error: unknown): undefined {
  if (!isResumableError(error, "TASK_CORRUPT")) throw error;
}
