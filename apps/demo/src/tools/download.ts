import { defineTool, RetryableError, type TaskContext, TerminalError, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { createDownloadFile, type DownloadFile } from "../download/download-file.js";
import { fetchRest, readPieces } from "../download/fetch-rest.js";
import { type DownloadState, downloadState, notBegun, startOver } from "../download/plan-download.js";
import { maxDelayMs, pace } from "./pace.js";

const input = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine((url) => !URL.canParse(url) || new URL(url).username === "", { error: "must not contain a user name" })
    .describe("Where the file is."),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits")
    .exactOptional()
    .describe("The expected SHA-256 checksum; a file with another checksum is discarded."),
  chunk_bytes: z
    .int()
    .min(1)
    .max(4 * 1024 * 1024)
    .default(256 * 1024)
    .describe("Bytes per checkpoint."),
  delay_ms: z.int().min(0).max(maxDelayMs).default(0).describe("Time per checkpoint, so that a person can watch."),
});

const output = z.object({
  task_id: z.string(),
  url: z.string(),
  path: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  verified: z.boolean().describe("Whether the checksum was compared with the one that was expected."),
  status: z.literal("completed"),
});

type Input = z.output<typeof input>;

/** What the tool is made of. */
export interface DownloadOptions {
  /** Where files are written; no caller can choose another place. */
  readonly folder: string;
  /** A larger file is refused. */
  readonly maxFileBytes: number;
  /** Whether a connection to this IP address may be made. */
  readonly mayReach: (address: string) => boolean;
}

/** Makes the tool `large_file_download`: continues with HTTP Range where it was interrupted, and verifies a checksum. */
export function createDownload({ folder, maxFileBytes, mayReach }: DownloadOptions): Tool {
  return defineTool({
    name: "large_file_download",
    title: "Download a file",
    description:
      "Downloads a file over HTTP. Long-running; continues where it was interrupted, and verifies a SHA-256 checksum.",
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    retry: { maxAttempts: 5, initialDelay: 500 },
    stallTimeout: 2 * maxDelayMs,
    input,
    output,
    state: downloadState.default(notBegun),
    key: ({ url, sha256 }) => [url, sha256 ?? null],
    async *run(asked, task) {
      const file = createDownloadFile(folder, task.id, asked.url);
      const transfer: Transfer = { asked, task, file, maxFileBytes, mayReach };
      const begun = await beginOrResume(transfer);
      const state = begun.received === begun.total ? begun : yield* receive(transfer, begun);
      return finish(transfer, state.received);
    },
  });
}

interface Transfer {
  readonly asked: Input;
  readonly task: TaskContext<DownloadState>;
  readonly file: DownloadFile;
  readonly maxFileBytes: number;
  readonly mayReach: DownloadOptions["mayReach"];
}

/** Trusts the state only as far as the file goes. */
async function beginOrResume({ asked, task, file }: Transfer): Promise<DownloadState> {
  const { state } = task;
  if (state.received === 0) {
    task.log("info", `Starting download of ${asked.url}`);
    await file.discard();
    return state;
  }
  if ((await file.size()) >= state.received) {
    task.log("info", `Resuming download at byte ${state.received}`);
    return state;
  }
  task.log("warning", "The file on disk is missing: the download begins again");
  await file.discard();
  return startOver(state);
}

/** Receives what is missing, and tells every piece that is safely on disk. */
async function* receive({ asked, task, file, maxFileBytes, mayReach }: Transfer, before: DownloadState) {
  const rest = await fetchRest(asked.url, before, { signal: task.signal, mayReach });
  let { state } = rest;
  checkSize(Math.max(state.total ?? 0, state.discarded), maxFileBytes);
  if (rest.reason !== undefined) {
    const message = `${rest.reason}: the download begins again`;
    task.log("warning", message);
    // Committed before the first byte is overwritten: from then on the old bytes must not count.
    yield { ...progressOf(state), state, message };
  }
  await file.truncate(state.received);
  for await (const bytes of readPieces(rest, asked.chunk_bytes, task.signal)) {
    checkSize(state.received + bytes.byteLength, maxFileBytes);
    await pace(asked.delay_ms, task.signal);
    await file.write(state.received, bytes);
    state = { ...state, received: state.received + bytes.byteLength };
    yield { ...progressOf(state), state, message: describe(state) };
  }
  if (state.total === null) {
    // The end is the only one who tells the size; known to the state, the file is not asked for again.
    state = { ...state, total: state.received };
    yield { ...progressOf(state), state };
  }
  if (state.received === state.total) return state;
  throw new RetryableError(`The connection ended after ${state.received} of ${state.total} bytes.`);
}

async function finish({ asked, task, file }: Transfer, bytes: number): Promise<z.output<typeof output>> {
  const sha256 = await file.sha256();
  const expected = asked.sha256?.toLowerCase();
  if (expected !== undefined && expected !== sha256) {
    await file.discard();
    throw new TerminalError(
      `The file's SHA-256 is ${sha256}, not ${expected}: it was discarded. Check address and sum.`,
    );
  }
  task.log("info", `Download completed: ${bytes} bytes`);
  const path = await file.complete();
  return {
    task_id: task.id,
    url: asked.url,
    path,
    bytes,
    sha256,
    verified: expected !== undefined,
    status: "completed",
  };
}

function checkSize(bytes: number, maxFileBytes: number): void {
  if (bytes <= maxFileBytes) return;
  throw new TerminalError(`The file has more than ${maxFileBytes} bytes, the limit of a download.`);
}

function progressOf({ discarded, received, total }: DownloadState): { progress: number; total?: number } {
  return { progress: discarded + received, ...(total === null ? {} : { total: discarded + total }) };
}

function describe({ received, total }: DownloadState): string {
  return `Downloaded ${received}${total === null ? "" : `/${total}`} bytes`;
}
