import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { checkpointKey, checkpointOf, runCall, type SeenCall, type ServerCall } from "./server-run.js";

/** A rule of the extension, by its number in docs/checkpoint-extension.md, and whether a server keeps it. */
export interface Finding {
  readonly rule: number;
  readonly word: "MUST" | "SHOULD";
  readonly says: string;
  readonly holds: boolean;
}

/** What is checked: a tool that gives the same each time that it is called, and sends more checkpoints than `killAfter`. */
export type Checked = Omit<ServerCall, "state"> & { readonly killAfter: number };

const longestState = 1024 * 1024;

/**
 * Calls a tool four times, each time of a fresh server: whole; until the server is killed behind a checkpoint; from that checkpoint;
 * from a state that no server gave.
 *
 * @throws an error that says why nothing could be checked.
 */
export async function checkServer({ killAfter, ...call }: Checked): Promise<readonly Finding[]> {
  const whole = await runCall(call);
  if (whole.checkpoints.length <= killAfter)
    throw new Error(`The call sent ${whole.checkpoints.length} checkpoints; the check needs more than ${killAfter}.`);
  const killed = await runCall({ ...call, killAfter });
  const last = killed.checkpoints.at(-1);
  const { state } = readCheckpoint(last);
  if (typeof state !== "string") throw new Error("The state of a checkpoint is not a string (rule 4).");
  const continued = await runCall({ ...call, state });
  const foreign = await runCall({ ...call, state: "no state of this server" });
  const calls = [whole, continued, foreign];
  const sent = calls.flatMap(({ checkpoints }) => checkpoints);
  const { experimental } = whole.capabilities;
  const isContinued = isDeepStrictEqual([...appendedOf(killed), ...contentOf(continued)], contentOf(whole));
  const isShorter = continued.checkpoints.length === whole.checkpoints.length - killAfter;
  const rows = [
    [2, "SHOULD", "the server declares the extension", isJsonObject(experimental) && checkpointKey in experimental],
    [4, "MUST", "state is a string of at most 1 MiB", sent.every(hasState)],
    [5, "MUST", "append is an array of content blocks", sent.every(hasBlocks)],
    [9, "MUST", "progress rises", calls.every(({ checkpoints }) => rises(checkpoints))],
    [14, "MUST", "what a checkpoint says to be done is not repeated", isContinued && isShorter],
    [15, "MUST", "an unknown state gets an error, and no work", isError(foreign) && foreign.checkpoints.length === 0],
    [16, "SHOULD", "progress continues where it was", rises([last ?? {}, ...continued.checkpoints])],
  ] as const;
  return rows.map(([rule, word, says, holds]) => ({ rule, word, says, holds }));
}

const readCheckpoint = (params: JsonObject = {}): JsonObject => Object(checkpointOf(params));

function hasState(params: JsonObject): boolean {
  const { state } = readCheckpoint(params);
  return typeof state === "string" && state.length <= longestState;
}

function hasBlocks(params: JsonObject): boolean {
  const { append = [] } = readCheckpoint(params);
  return Array.isArray(append) && append.every((block) => isJsonObject(block) && typeof block.type === "string");
}

function rises(checkpoints: readonly JsonObject[]): boolean {
  const values = checkpoints.map(({ progress }) => Number(progress));
  return values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));
}

function appendedOf({ checkpoints }: SeenCall): readonly Json[] {
  return checkpoints.flatMap((params) => {
    const { append } = readCheckpoint(params);
    return Array.isArray(append) ? append : [];
  });
}

/** What the caller of a call gets (rule 17). */
function contentOf(call: SeenCall): readonly Json[] {
  const { content }: JsonObject = Object(call.answer?.result);
  return [...appendedOf(call), ...(Array.isArray(content) ? content : [])];
}

function isError({ answer = {} }: SeenCall): boolean {
  const { isError: isSaid }: JsonObject = Object(answer.result);
  return isSaid === true || answer.error !== undefined;
}
