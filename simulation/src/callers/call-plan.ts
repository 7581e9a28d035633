import type { Json } from "@resumable-mcp/core";
import type { plainTools } from "./plain-tools.js";

/** What a caller wants done, and how it behaves. Drawn by the seed. */
export interface CallPlan {
  readonly name: string;
  /** The owner's tag. */
  readonly owner: string;
  /** What a client of MCP says of itself to be that owner; `undefined` for an owner who only uses the engine. */
  readonly clientId: string | undefined;
  /** Directly, as a client of one of the protocol's eras, by the SDK's own client, or by that of the toolkit. */
  readonly via: "engine" | "2025" | "2026" | "sdk" | "toolkit";
  readonly tool: "script" | (typeof plainTools)[number];
  readonly input: Json;
  readonly detached: boolean;
  /** Names the very call, so that it finds its task however often it is sent. */
  readonly callId: string | undefined;
  /** Asks for another run, though the same call may have a task; a text names the run. */
  readonly newTask: boolean | string | undefined;
  /** A client of MCP asks to be handed off after this time. */
  readonly handoffMs: number | undefined;
  /** After its result it makes the same call again, so many times. */
  readonly repeats: number;
  /** How many of a hundred failures are followed by the same call. */
  readonly againPercent: number;
  /** How it drops its connection: by a break, or by cancelling the request. */
  readonly leaves: "gone" | "cancelled";
  /** How many of a hundred broken connections are followed by another try; the others end the caller. */
  readonly returnsPercent: number;
  /** How many of a hundred questions it answers. */
  readonly answersPercent: number;
  /** How many of a hundred answers it sends twice. */
  readonly twicePercent: number;
  /** It answers a question when so many attempts ended after it, and not before; absent: when it was asked. */
  readonly answersAfterAttempts?: number;
  /** So many of its results it gives up on while they are on their way to it; absent: none. */
  readonly givesUpResults?: number;
  /** What it does while its task runs, by time since the call. */
  readonly interventions: readonly { readonly atMs: number; readonly what: Intervention }[];
}

/** What a caller can do while its task runs, and after it. */
export type Intervention =
  | "pause"
  | "resume"
  | "cancel"
  | "detach"
  | "drop"
  | "get"
  | "delete"
  | "answer_wrongly"
  | "answer_twice";
