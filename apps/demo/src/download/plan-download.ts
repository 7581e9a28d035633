import { z } from "zod";

/** How far a download is. */
export const downloadState = z.object({
  /** Bytes on disk that count. */
  received: z.number(),
  /** Size of the whole file; `null` while the server does not say. */
  total: z.number().nullable(),
  /** ETag or Last-Modified of the file that the bytes belong to; `null`: they cannot be added to. */
  validator: z.string().nullable(),
  /** Bytes of files that changed meanwhile. They count as progress, which never goes back. */
  discarded: z.number(),
});

export type DownloadState = z.output<typeof downloadState>;

/** Before the first byte. */
export const notBegun: DownloadState = { received: 0, total: null, validator: null, discarded: 0 };

/** The part of a response that decides what to do with it. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** What to do with a response. */
export type DownloadPlan =
  | { readonly kind: "continue"; readonly state: DownloadState }
  /** Begin with the first byte; `reason` is absent when there was nothing before. */
  | { readonly kind: "begin"; readonly state: DownloadState; readonly reason?: string }
  /** The response is of no use: begin with the first byte of another response. */
  | { readonly kind: "ask again"; readonly state: DownloadState; readonly reason: string }
  | { readonly kind: "fail"; readonly mayPass: boolean; readonly reason: string };

const changed = "The file changed on the server";

/** Headers that ask for what is missing: only of the very file that the bytes on disk belong to. */
export function requestHeaders({ received, validator }: DownloadState): Record<string, string> {
  // A compressed answer would count other bytes than the file has.
  const plain = { "accept-encoding": "identity" };
  if (received === 0 || validator === null) return plain;
  return { ...plain, range: `bytes=${received}-`, "if-range": validator };
}

/** Decides what a response means. Pure. */
export function planDownload(state: DownloadState, { status, headers }: ResponseHead): DownloadPlan {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    return { kind: "fail", mayPass: false, reason: `The server sends the file only as ${encoding}` };
  }
  const validator = validatorOf(headers);
  if (status === 206) return planPart(state, headers, validator);
  if (status === 416) return { kind: "ask again", state: startOver(state), reason: changed };
  if (status === 200) {
    const begun = { ...startOver(state), validator, total: wholeNumber(headers.get("content-length")) };
    if (state.received === 0) return { kind: "begin", state: begun };
    return { kind: "begin", state: begun, reason: whyAll(state.validator, validator) };
  }
  return { kind: "fail", mayPass: status === 429 || status >= 500, reason: `The server answered ${status}` };
}

/** Forgets what was received, but not that it was. */
export function startOver({ discarded, received }: DownloadState): DownloadState {
  return { ...notBegun, discarded: discarded + received };
}

function whyAll(before: string | null, now: string | null): string {
  if (before === null) return "The server does not say whether the file is still the same";
  return before === now ? "The server sends no parts of files" : changed;
}

function planPart(state: DownloadState, headers: ResponseHead["headers"], validator: string | null): DownloadPlan {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ?? [];
  // Some servers ignore If-Range, and send a part of the new file.
  if (validator !== null && validator !== state.validator) {
    return { kind: "ask again", state: startOver(state), reason: changed };
  }
  if (Number(first) !== state.received) {
    return { kind: "fail", mayPass: false, reason: "The server sent another part of the file than it was asked for" };
  }
  return { kind: "continue", state: { ...state, total: wholeNumber(total ?? null) ?? state.total } };
}

/** If-Range needs a validator of every byte, which a weak ETag does not. */
function validatorOf(headers: ResponseHead["headers"]): string | null {
  const etag = headers.get("etag");
  return etag !== null && !etag.startsWith("W/") ? etag : headers.get("last-modified");
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
