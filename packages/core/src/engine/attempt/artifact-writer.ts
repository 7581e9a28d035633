import { invalidValue, TaskInterrupted } from "../../errors.js";
import { checkLimit, fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import type { TaskEventBody } from "../../task/task-event.js";
import { artifactsOf } from "../../task/task-record.js";
import { unknownKeys } from "../../tool/known-keys.js";
import type { ArtifactContent, ArtifactOptions, TaskContext } from "../../tool/tool.js";
import type { AttemptParts } from "./attempt-parts.js";

type ArtifactEvent = Extract<TaskEventBody, { type: "artifact" }>;

const known: ReadonlySet<string> = new Set(
  Object.keys({ mimeType: true } satisfies Record<keyof ArtifactOptions, true>),
);
/** What would change where a file is saved, or how its name looks. */
const unsafe = /[/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const typeShape = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(; ?charset=[\w-]{1,32})?$/;

/** @throws {@link ResumableError} `INVALID_VALUE`. */
export function checkArtifact(name: unknown, options: ArtifactOptions): void {
  const { maxArtifactNameLength } = fixedLimits;
  const problems = unknownKeys(options, known, "artifact");
  if (typeof name !== "string" || name.length < 1 || name.length > maxArtifactNameLength)
    problems.push(`the name must have 1 to ${maxArtifactNameLength} characters`);
  else if (unsafe.test(name) || name === "." || name === "..")
    problems.push("the name must be that of a file: without slashes, backslashes and control characters");
  const { mimeType } = options;
  if (mimeType !== undefined && !typeShape.test(mimeType)) problems.push("mimeType must be one such as text/csv");
  if (problems.length > 0) throw invalidValue(`Artifact ${JSON.stringify(name)}`, problems);
}

/** Writes the artifacts of one attempt. */
export class ArtifactWriter {
  readonly #parts: AttemptParts;
  /** The bytes of those that are durable, and of those that are being written, by their names in the store. */
  readonly #bytes: Map<string, number>;
  #begun = 0;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#bytes = new Map(artifactsOf(parts.record).map(({ artifact, bytes }) => [artifact, bytes]));
  }

  /** @param commit makes the event durable. */
  async write(
    name: string,
    content: Parameters<TaskContext["artifact"]>[1],
    { mimeType }: ArtifactOptions,
    commit: (event: ArtifactEvent) => Promise<void>,
  ): Promise<void> {
    const { lease, journal, control, taskLimits } = this.#parts;
    checkLimit("maxArtifacts", this.#bytes.size + 1, taskLimits.maxArtifacts);
    this.#begun += 1;
    // None that is durable has this name, also where the task was brought here from another store, whose epochs are others.
    const artifact = `${journal.record.lastSeq}-${lease.epoch}-${this.#begun}`;
    this.#bytes.set(artifact, 0);
    try {
      const given = typeof content === "function" ? await content() : content;
      let bytes = 0;
      let index = 0;
      for await (const chunk of chunksOf(name, given)) {
        control.check();
        bytes += chunk.byteLength;
        this.#bytes.set(artifact, bytes);
        const used = [...this.#bytes.values()].reduce((sum, one) => sum + one, 0);
        checkLimit("maxArtifactBytes", used, taskLimits.maxArtifactBytes);
        await this.#put({ lease, artifact, index, bytes: chunk, keep: [...this.#bytes.keys()] });
        index += 1;
      }
      control.check();
      await commit({ type: "artifact", key: name, artifact, mimeType: mimeType ?? typeOf(given), bytes });
    } catch (error) {
      this.#bytes.delete(artifact);
      throw error;
    }
  }

  /** A store that fails ends the attempt: to the tool it must not look like an error of its own. */
  async #put(chunk: Parameters<Store["putChunk"]>[0]): Promise<void> {
    const { store, observer, journal } = this.#parts;
    try {
      await store.putChunk(chunk);
    } catch (error) {
      journal.fail(error);
      throw new TaskInterrupted("lease_lost");
    }
    observer("engine.artifact.chunk", chunk.lease.taskId);
  }
}

function typeOf(content: ArtifactContent): string {
  if (typeof content === "string") return "text/plain";
  const type = content instanceof Blob ? content.type : "";
  return typeShape.test(type) ? type : "application/octet-stream";
}

const encoder = new TextEncoder();

/** Cuts content into chunks, in a buffer that is used again. */
async function* chunksOf(name: string, content: ArtifactContent): AsyncGenerator<Uint8Array, void, void> {
  const chunk = new Uint8Array(fixedLimits.artifactChunkBytes);
  let filled = 0;
  for await (const bytes of bytesOf(name, content)) {
    for (let from = 0; from < bytes.byteLength; ) {
      const part = bytes.subarray(from, from + chunk.byteLength - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      from += part.byteLength;
      if (filled < chunk.byteLength) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** A stream of texts may be cut within a character, whose halves are no characters. */
async function* bytesOf(name: string, content: ArtifactContent): AsyncGenerator<Uint8Array, void, void> {
  let half = "";
  for await (const piece of piecesOf(name, content)) {
    if (typeof piece !== "string" && !(piece instanceof Uint8Array)) throw notContent(name);
    const text = typeof piece === "string" ? half + piece : half;
    half = typeof piece === "string" ? (/[\ud800-\udbff]$/.exec(text)?.[0] ?? "") : "";
    if (text.length > half.length) yield encoder.encode(text.slice(0, text.length - half.length));
    if (typeof piece !== "string") yield piece;
  }
  if (half !== "") yield encoder.encode(half);
}

type Pieces = AsyncIterable<unknown> | Iterable<unknown>;

function piecesOf(name: string, content: unknown): Pieces {
  if (typeof content === "string" || content instanceof Uint8Array) return [content];
  const stream: unknown = content instanceof Blob ? content.stream() : content;
  if (typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream) return stream as Pieces;
  throw notContent(name);
}

function notContent(name: string) {
  return invalidValue(`The content of artifact ${JSON.stringify(name)}`, [
    "it must be text, a Uint8Array, a Blob, or a stream of texts or Uint8Arrays",
  ]);
}
