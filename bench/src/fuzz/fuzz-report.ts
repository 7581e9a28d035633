import type { DrawnRequest } from "./draw-request.js";
import type { HostLine } from "./stdio-ledger.js";

/** What is wrong, and with which message. */
export interface Finding {
  readonly what: string;
  readonly request?: DrawnRequest;
  readonly line?: HostLine;
}

/** What came of a run. */
export interface FuzzReport {
  readonly sent: number;
  /** How often answers of which kind came. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** The most memory that the server had; 0 where the machine does not say. */
  readonly peakMiB: number;
}

/** What is sent, to a server in a process of its own. */
export interface FuzzOptions {
  readonly seed: number;
  readonly messages: number;
  /** For the store and what else the server reads. It is made where it is missing. */
  readonly directory: string;
  readonly toolsModule: string;
  /** The messages to send, by their places; default: all of them. */
  readonly only?: readonly number[];
  /** Which mutations of them are made, by their places; default: all of them. */
  readonly keeps?: (place: number) => boolean;
  readonly onProgress?: (sent: number) => void;
}

/** After this many a run ends: the first ones are looked at first. */
export const maxFindings = 20;

/** The place of the message of a finding; `undefined` when it is about none. */
export function placeOf({ request, line }: Finding): number | undefined {
  const place = request?.index ?? line?.index;
  return place === undefined || place < 0 ? undefined : place;
}

/** The message of a finding, as it was sent. */
export function textOfFinding({ request, line }: Finding): string {
  return request === undefined ? (line?.text ?? "") : request.bytes.toString("latin1");
}
