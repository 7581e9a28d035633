import { createInterface } from "node:readline";
import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { start } from "../program.js";

/** Source: docs/checkpoint-extension.md. */
export const checkpointKey = "io.github.resumable-mcp/checkpoint";
const resumeKey = "io.github.resumable-mcp/resume";

/** A call of a tool of a server, which is started for it. */
export interface ServerCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly tool: string;
  readonly input: JsonObject;
  /** The state from which the call continues. */
  readonly state?: string;
  /** The server is killed when it has sent so many checkpoints, and gets no answer to a ping after the last. */
  readonly killAfter?: number;
}

/** What was seen of a call until its end. */
export interface SeenCall {
  /** Of the server. */
  readonly capabilities: JsonObject;
  /** The params of the progress notifications that have a checkpoint. */
  readonly checkpoints: readonly JsonObject[];
  /** The answer; `undefined` where the server was killed. */
  readonly answer?: JsonObject;
}

const patienceMs = 60_000;

/** The checkpoint of a progress notification. */
export const checkpointOf = ({ _meta }: JsonObject): Json | undefined =>
  isJsonObject(_meta) ? _meta[checkpointKey] : undefined;

/**
 * Starts a server, calls a tool of it, and ends it.
 *
 * @throws an error that says what the server did not do within a minute.
 */
export function runCall({ command, args, tool, input, state, killAfter }: ServerCall): Promise<SeenCall> {
  const server = start(command, args, { input: true, group: true });
  const { stdin, stdout } = server.child;
  if (stdin === null || stdout === null) throw new Error("The server has no standard input and output.");
  stdin.on("error", () => {});
  const send = (message: JsonObject) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const _meta: JsonObject = { progressToken: 2, ...(state !== undefined && { [resumeKey]: { state, attempt: 2 } }) };
  const checkpoints: JsonObject[] = [];
  let [capabilities, isOver]: [JsonObject, boolean] = [{}, false];

  const seen = new Promise<JsonObject | undefined>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${tool} did not answer within a minute.`)), patienceMs);
    const fail = (what: unknown) => reject(new Error(`The server ended: ${what}.\n${server.stderr()}`));
    server.ended.then(fail, fail).finally(() => clearTimeout(late));
    const finish = (answer?: JsonObject) => {
      isOver = true;
      resolve(answer);
    };
    createInterface({ input: stdout }).on("line", (line) => {
      if (isOver) return;
      const { id, method, params, result, error }: JsonObject = JSON.parse(line);
      if (method === "notifications/progress" && isJsonObject(params) && checkpointOf(params) !== undefined) {
        checkpoints.push(params);
        if (checkpoints.length === killAfter) finish();
      } else if (method === "ping" && id !== undefined) send({ id, result: {} });
      else if (typeof method === "string" && id !== undefined)
        send({ id, error: { code: -32_601, message: "The check answers no requests but ping." } });
      else if (id === 1) {
        capabilities = isJsonObject(result) && isJsonObject(result.capabilities) ? result.capabilities : {};
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/call", params: { name: tool, arguments: input, _meta } });
      } else if (id === 2) finish(isJsonObject(result) ? { result } : { error: error ?? null });
    });
  });
  send({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { experimental: { [checkpointKey]: {} } },
      clientInfo: { name: "checkpoint-check", version: "1" },
    },
  });
  return seen
    .then((answer) => ({ capabilities, checkpoints, ...(answer !== undefined && { answer }) }))
    .finally(() => server.stop("SIGKILL"));
}
