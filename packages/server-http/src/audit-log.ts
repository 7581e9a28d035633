import { randomUUID } from "node:crypto";
import { isJsonObject } from "@resumable-mcp/core";
import { type HttpAnswer, type HttpRequest, ownerOfToken, type RequestContext } from "@resumable-mcp/mcp";
import { metaKeys } from "@resumable-mcp/protocol";
import { harmlessJson } from "@resumable-mcp/protocol/display";
import { pino } from "pino";
import { lineOptions } from "./log.js";

/** Who asked for what, from where, and how it was answered. */
export interface AuditEntry {
  readonly requestId: string;
  /**
   * The owner that a token names; `local` and `anonymous` without one, `refused` where it was refused before it was served. What is the
   * same for all, as the server's metadata, is served to `anonymous`.
   */
  readonly who: string;
  readonly address?: string | undefined;
  readonly http: string;
  /** The method of MCP, and the tool or the task that it names. */
  readonly method?: string | undefined;
  readonly name?: string | undefined;
  /** It asks for the tasks of all owners, as operators do. */
  readonly allOwners?: true;
  readonly status: number;
  /** Refused requests before this one that have no line. */
  readonly leftOut?: number;
}

/** A line for each request. Never carries tokens, inputs or outputs. */
export interface AuditLog {
  /** Notes what a request asks for, when its body was read. */
  noteBody(context: RequestContext | undefined, body: unknown): void;
  /** Writes the line of a request that was answered. */
  noteAnswer(request: HttpRequest, caller: AuditedCaller, answer: HttpAnswer): void;
}

interface AuditedCaller {
  /** Absent for a request that was refused before its caller was known. */
  readonly context: RequestContext | undefined;
  readonly address: string | undefined;
}

/** Of the name of a method, tool or task, in characters: callers choose it. */
const maxNameLength = 200;

/**
 * Makes the audit log of a server.
 *
 * Limits: of requests that are refused, `refusedPerSecond` lines; the next one says how many were left out. All others are
 * within `requestsPerSecond` of a caller, and each has its line.
 */
export function createAuditLog(write: (entry: AuditEntry) => void, refusals: RefusalLimit): AuditLog {
  const asked = new WeakMap<RequestContext, Asked>();
  let second = Number.NaN;
  let count = 0;
  let leftOut = 0;
  return {
    noteBody(context, body) {
      if (context !== undefined) asked.set(context, askedBy(body));
    },
    noteAnswer({ method: http }, { context, address }, { status }) {
      if (status >= 400) {
        const now = Math.floor(refusals.nowMs() / 1_000);
        if (now !== second) count = 0;
        second = now;
        count += 1;
        if (count > refusals.perSecond) {
          leftOut += 1;
          return;
        }
      }
      const what = context && asked.get(context);
      write({
        requestId: randomUUID(),
        who: whoOf(context, status),
        address,
        http,
        ...what,
        status,
        ...(leftOut > 0 && { leftOut }),
      });
      leftOut = 0;
    },
  };
}

interface RefusalLimit {
  readonly perSecond: number;
  readonly nowMs: () => number;
}

function whoOf(context: RequestContext | undefined, status: number): string {
  if (context === undefined) return status >= 400 ? "refused" : "anonymous";
  return ownerOfToken(context.authInfo) ?? (context.locality?.local === true ? "local" : "anonymous");
}

type Asked = Pick<AuditEntry, "method" | "name" | "allOwners">;

/** Pure. */
function askedBy(body: unknown): Asked {
  const [message] = Array.isArray(body) ? body : [body];
  if (!isJsonObject(message) || typeof message.method !== "string") return {};
  const params = isJsonObject(message.params) ? message.params : {};
  const name = params.name ?? params.taskId ?? params.uri;
  const isOfAll = isJsonObject(params._meta) && params._meta[metaKeys.allOwners] === true;
  return {
    method: short(message.method),
    name: typeof name === "string" ? short(name) : undefined,
    ...(isOfAll && { allOwners: true }),
  };
}

function short(text: string): string {
  return text.slice(0, maxNameLength);
}

/** Where an audit log is written. */
export interface AuditFile {
  readonly write: (entry: AuditEntry) => void;
  /** Opens the file again after it was moved away. Where that fails, lines are still added to the file of before. */
  reopen(): void;
}

/** Lines that wait for a disk that takes none, in bytes. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Opens a file to add lines to it; a new one only its user can read. `-` is standard output. A line is written before its
 * request's answer goes out.
 *
 * Limits: 1 MiB of lines waits for a disk that is full; further ones are lost.
 *
 * @param onError hears of lines that could not be written, and of a file that could not be opened again: requests are answered
 * all the same.
 * @throws what the system says where the file cannot be opened.
 */
export function openAuditFile(place: string, onError: (error: Error) => void): AuditFile {
  const open = () => {
    const to = place === "-" ? { dest: 1 } : { dest: place, append: true, mode: 0o600 };
    const opened = pino.destination({ ...to, sync: true, maxLength: maxWaitingBytes });
    opened.on("error", onError);
    opened.on("drop", () => onError(new Error(`${maxWaitingBytes} bytes of lines wait already: one is lost.`)));
    return opened;
  };
  let destination = open();
  const options = { ...lineOptions, formatters: { level: () => ({ log: "audit" }) } };
  const logger = pino(options, { write: (line: string) => void destination.write(harmlessJson(line)) });
  return {
    write: (entry) => logger.info(entry),
    reopen() {
      if (place === "-") return;
      const before = destination;
      try {
        destination = open();
        before.end();
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
}
