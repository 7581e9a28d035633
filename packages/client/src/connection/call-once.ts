import { readRepeatable } from "@resumable-mcp/protocol";
import type { ToolResult } from "../tool-result.js";
import type { Connection } from "./connection.js";
import { LinkFailure, type ListedTool, type ToolRequest, type ToolRequestOptions } from "./link.js";

/** How a tool is called once. */
export type CallOnceOptions = Omit<ToolRequestOptions, "resumptionToken" | "onResumptionToken">;

/**
 * Calls a tool so that it runs once, also when the connection breaks in mid-call.
 *
 * Retry: sent again where the same call joins its task or the tool says that it is idempotent; else the stream
 * of the answer is taken up again, where the server gave it a place to resume from; else the call fails with
 * `CONNECTION_LOST`, since it may have taken effect. A tool that needs a task is begun once, and its end waited for until it comes.
 */
export async function callOnce(
  connection: Connection,
  tool: Pick<ListedTool, "annotations" | "meta" | "needsTask">,
  request: ToolRequest,
  options: CallOnceOptions,
): Promise<ToolResult> {
  if (tool.needsTask) return callAsTask(connection, request, options);
  const again = mayRunAgain(tool);
  let place: { readonly token: string; readonly sessionId: string | undefined } | undefined;
  return connection.run(
    async (link) => {
      if (again) return link.callTool(request, options);
      const sessionId = link.session?.sessionId;
      const onResumptionToken = (token: string) => {
        place = { token, sessionId };
      };
      if (place === undefined) return link.callTool(request, { ...options, onResumptionToken });
      const { token: resumptionToken } = place;
      try {
        if (place.sessionId !== sessionId) throw new LinkFailure("session_lost", "the session has ended");
        return await link.callTool(request, { ...options, onResumptionToken, resumptionToken });
      } catch (error) {
        if (!(error instanceof LinkFailure) || error.kind !== "session_lost") throw error;
        // The request was accepted once, so a lost session does not mean that it had no effect.
        place = undefined;
        throw new LinkFailure("broken", "the server no longer knows the call", error);
      }
    },
    {
      retry: () => (again || place !== undefined ? "always" : "if_unsent"),
      signal: options.signal,
    },
  );
}

async function callAsTask(connection: Connection, request: ToolRequest, options: CallOnceOptions): Promise<ToolResult> {
  const { signal } = options;
  const taskId = await connection.run((link) => link.beginTask(request, options), { retry: "if_unsent", signal });
  return connection.run((link) => link.taskResult(taskId, options), { retry: "always", signal });
}

/** Tells whether repeating a call is harmless: it joins its task, or the tool says so. */
export function mayRunAgain(tool: Pick<ListedTool, "annotations" | "meta">): boolean {
  return readRepeatable({ _meta: tool.meta, annotations: tool.annotations }) !== "once";
}
