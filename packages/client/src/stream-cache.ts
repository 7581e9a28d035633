import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import { ClientError } from "./client-error.js";
import { jsonObjectSchema } from "./json.js";
import { writeFileAtomic } from "./state/write-file-atomic.js";

const format = "resumable-mcp-stream";

const schema = z.object({
  format: z.literal(format),
  version: z.literal(1),
  server_url: z.string(),
  session_id: z.string(),
  protocol_version: z.string().nullable(),
  last_event_id: z.string(),
  progress_token: z.string(),
  tool: z.string(),
  arguments: jsonObjectSchema,
  created_at: z.string(),
});

/** All that a new process needs in order to get the answer to a call that another one made. */
export type StreamCache = Omit<z.infer<typeof schema>, "format" | "version">;

/** The file of one call in flight. */
export interface StreamCacheFile {
  /** Resolves to `undefined` when no call is in flight. */
  read(): Promise<StreamCache | undefined>;
  /** Writes the newest value; values that come while one is being written replace each other. */
  write(cache: StreamCache): Promise<void>;
  /** Resolves when every value so far is written or has failed. */
  settled(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates the cache in a file. */
export function createStreamCacheFile(path: string): StreamCacheFile {
  let next: StreamCache | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    while (next !== undefined) {
      const cache = next;
      next = undefined;
      await writeFileAtomic(path, `${JSON.stringify({ format, version: 1, ...cache }, null, 2)}\n`);
    }
  };
  return {
    async read() {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.trim() === "" ? undefined : parse(path, text);
    },
    write(cache) {
      next = cache;
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      return writing;
    },
    async settled() {
      await writing?.catch(() => undefined);
    },
    async remove() {
      next = undefined;
      await writing?.catch(() => undefined);
      await rm(path, { force: true });
    },
  };
}

function parse(path: string, text: string): StreamCache {
  try {
    const { format: _format, version: _version, ...cache } = schema.parse(JSON.parse(text));
    return cache;
  } catch (cause) {
    throw new ClientError(
      "STATE_FOREIGN",
      `${path} is no cache of a call; it was left as it is. Delete it or name another.`,
      { cause },
    );
  }
}
