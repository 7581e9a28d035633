import { rm } from "node:fs/promises";
import { DocumentFile } from "@resumable-mcp/documents";
import type { JsonObject } from "@resumable-mcp/protocol";
import { z } from "zod";
import { ClientError } from "../client-error.js";
import { jsonObjectSchema } from "../json.js";

const format = "resumable-mcp-stream";

/** All that a new process needs in order to get the response to a call that another process made. */
export interface StreamCache {
  readonly server_url: string;
  readonly session_id: string;
  readonly protocol_version: string | null;
  readonly last_event_id: string;
  readonly progress_token: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** ISO 8601 UTC. */
  readonly created_at: string;
}

interface CacheDocument extends StreamCache {
  readonly format: typeof format;
  readonly version: 1;
}

const schema: z.ZodType<CacheDocument> = z.object({
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

/** The file of one call in flight. */
export interface StreamCacheFile {
  /** Resolves to `undefined` when no call is in flight. */
  read(): Promise<StreamCache | undefined>;
  /** Writes the newest value; values that come while one is being written replace each other. */
  write(cache: StreamCache): Promise<void>;
  /** Resolves when every value so far is written or has failed. */
  drain(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates the cache in a file. */
export function createStreamCacheFile(path: string): StreamCacheFile {
  const document = new DocumentFile({
    path,
    schema,
    onDamage: () => {
      throw foreign(path);
    },
  });
  let next: StreamCache | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    while (next !== undefined) {
      const cache = next;
      next = undefined;
      await document.write({ format, version: 1, ...cache });
    }
  };
  return {
    async read() {
      const found = await document.read();
      if (found === null) return undefined;
      const { format: _format, version: _version, ...cache } = found;
      return cache;
    },
    write(cache) {
      next = cache;
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      return writing;
    },
    async drain() {
      await writing?.catch(() => undefined);
    },
    async remove() {
      next = undefined;
      await writing?.catch(() => undefined);
      await rm(path, { force: true });
    },
  };
}

function foreign(path: string): ClientError {
  return new ClientError(
    "STATE_FOREIGN",
    `${path} is not a cache of a call; it was left as it is. Delete it or name another.`,
  );
}
