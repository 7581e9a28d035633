import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "@resumable-mcp/core";
import { decodeFailure, metaKeys } from "@resumable-mcp/protocol";
import { jobToolName, wordFor } from "../job.js";
import { type ClientCall, type ClientOrder, isPassing, type MakeCall } from "./call.js";
import { Backoff, connectSession, type StockSession } from "./stock-session.js";

/** After this time without a sign of life the host gives its request up, and makes the call again. */
const patienceMs = 20_000;
/** Servers come back within seconds. */
const longestPauseMs = 1_600;

/** Calls as hosts of the 2025 era do: with the SDK's client, which resumes broken streams and asks its user. */
export function openHost(order: ClientOrder): MakeCall {
  return async (call) => {
    let session: StockSession | undefined;
    for (const backoff = new Backoff(100, longestPauseMs); ; ) {
      try {
        session ??= await connect(order.url);
        if (await callOnce(session.client, order.clientId, call)) break;
      } catch (error) {
        call.note("mcp_failed", { how: String(error) });
        const isTimeout = error instanceof McpError && error.code === ErrorCode.RequestTimeout;
        // The result may have arrived in that moment.
        if (isTimeout) call.note("accepted", { status: "unknown" });
        else {
          await session?.end();
          session = undefined;
        }
      }
      await backoff.pause();
    }
    await session.end();
  };
}

async function connect(url: string): Promise<StockSession> {
  const client = new Client({ name: "storm-host", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
    action: "accept",
    content: { word: wordFor(params.message) },
  }));
  return connectSession(client, { url: new URL(url), timeout: patienceMs });
}

/** @returns whether the call is over. */
async function callOnce(client: Client, clientId: string, call: ClientCall): Promise<boolean> {
  let before = -1;
  const onprogress = ({ progress }: { readonly progress: number }) => {
    call.note("sdk_progress", { progress, before });
    before = progress;
  };
  const request = { name: jobToolName, arguments: call.job, _meta: { [metaKeys.clientId]: clientId } };
  const options = { timeout: patienceMs, resetTimeoutOnProgress: true, onprogress };
  const { isError, structuredContent, _meta } = await client.callTool(request, undefined, options);
  const code = decodeFailure(structuredContent)?.code;
  const content = isJsonObject(structuredContent) ? structuredContent : {};
  const isWhole = isError !== true && typeof content.done === "number";
  const named = _meta?.[metaKeys.taskId];
  const task = typeof named === "string" ? named : undefined;
  call.note("mcp_result", {
    task,
    isError: isError === true,
    isWhole,
    done: isWhole ? Number(content.done) : undefined,
    code,
  });
  // A task that its caller's end has paused is there, and the same call continues it.
  if (!isWhole && (isPassing(code) || (isError !== true && typeof content.status === "string"))) {
    call.note("client_continues", { task, code });
    return false;
  }
  if (task !== undefined) call.note("called", { task });
  call.note("client_result", { task, status: isWhole ? "completed" : "failed", code });
  return true;
}
