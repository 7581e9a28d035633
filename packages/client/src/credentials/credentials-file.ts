import { chmod, stat } from "node:fs/promises";
import { extname } from "node:path";
import { DocumentFile } from "@resumable-mcp/documents";
import type { JsonObject } from "@resumable-mcp/protocol";
import { z } from "zod";
import { ClientError } from "../client-error.js";
import { jsonObjectSchema } from "../json.js";
import { withFileLock } from "../state/file-lock.js";

const format = "resumable-mcp-credentials";
const version = 1;

/** What one server wants to see before it lets this client in. */
export interface ServerCredentials {
  /** Sent as a bearer token. */
  readonly token?: string;
  /** Sent with every request over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Given to a server that is started by a command. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the authorization server gave: the registration of this client, and its tokens. */
  readonly oauth?: { readonly client?: JsonObject; readonly tokens?: JsonObject };
}

const serverCredentials: z.ZodType<ServerCredentials> = z.object({
  token: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  oauth: z.object({ client: jsonObjectSchema.optional(), tokens: jsonObjectSchema.optional() }).optional(),
});

const schema = z.object({
  format: z.literal(format),
  version: z.literal(version),
  servers: z.record(z.string(), serverCredentials),
});

/** The secrets of a client: next to the state file and apart from it, so that a copy of the state gives no account away. */
export interface CredentialsFile {
  readonly path: string;
  /** What happened to the file that a user should know. */
  readonly notices: readonly string[];
  /** Reads what is known for a server's address; empty where nothing is. */
  read(address: string): Promise<ServerCredentials>;
  /**
   * Changes what is known for an address; `undefined` forgets it.
   *
   * Durability: resolves when the file is synced. It is readable by its owner only.
   */
  update(address: string, change: (known: ServerCredentials) => ServerCredentials | undefined): Promise<void>;
}

/** Where the secrets of a state file's client are: next to it. */
export function credentialsPath(statePath: string): string {
  const extension = extname(statePath);
  return `${statePath.slice(0, statePath.length - extension.length)}.credentials${extension}`;
}

/**
 * Opens a file of credentials; it is created with the first secret.
 *
 * A file that cannot be understood is refused and left as it is: it may hold the only copy.
 *
 * @throws {@link ClientError} `STATE_UNREADABLE`.
 */
export async function openCredentialsFile(path: string): Promise<CredentialsFile> {
  const document = new DocumentFile({
    path,
    schema,
    onDamage: ({ problem }) => {
      throw unusable(path, problem === "it is not JSON" ? problem : "it is damaged, or a newer program wrote it");
    },
  });
  await readAll(path, document);
  const notices = await closeToOthers(path);
  return {
    path,
    notices,
    async read(address) {
      return (await readAll(path, document))[address] ?? {};
    },
    async update(address, change) {
      await withFileLock(`${path}.lock`, async () => {
        const { [address]: known = {}, ...others } = await readAll(path, document);
        const next = change(known);
        const servers = next === undefined ? others : { ...others, [address]: next };
        await document.write({ format, version, servers });
      });
    },
  };
}

async function readAll(
  path: string,
  document: DocumentFile<z.infer<typeof schema>>,
): Promise<Readonly<Record<string, ServerCredentials>>> {
  try {
    return (await document.read())?.servers ?? {};
  } catch (error) {
    throw error instanceof ClientError ? error : unusable(path, "it cannot be read", error);
  }
}

/** A copy or a careless editor may have opened the file to everybody. */
async function closeToOthers(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  const open = found !== undefined && process.platform !== "win32" && (found.mode & 0o077) !== 0;
  if (!open) return [];
  await chmod(path, 0o600);
  return [
    `${path} could be read by others; now only you can read it. Change the tokens in it if others use this machine.`,
  ];
}

function unusable(path: string, reason: string, cause?: unknown): ClientError {
  return new ClientError(
    "STATE_UNREADABLE",
    `The credentials file ${path} cannot be used (${reason}) and was left as it is. Move it away, and give the tokens again.`,
    cause === undefined ? {} : { cause },
  );
}
