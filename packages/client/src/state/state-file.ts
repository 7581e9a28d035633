import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, extname, join } from "node:path";
import { type DocumentDamage, DocumentFile, makeFolder, nodeDocumentDisk } from "@resumable-mcp/documents";
import { userFolder } from "@resumable-mcp/protocol/hosts";
import { ClientError } from "../client-error.js";
import { serverAddress } from "../server-config.js";
import {
  type ClientState,
  classifyState,
  clientStateSchema,
  createClientState,
  type NewerState,
  stateVersion,
} from "./client-state.js";
import { withFileLock } from "./file-lock.js";
import { readSessionState } from "./session-state-file.js";
import type { StateChange } from "./state-changes.js";

/** Whether the state was found, with the client's id; was created, since there was none; or replaces a damaged one. */
export type StateOrigin = "found" | "created" | "replaced";

/** How a state file is opened. */
export interface StateFileOptions {
  /** A `session_state.json`, whose client id a state that is created takes over. */
  readonly importFrom?: string | undefined;
}

/**
 * Opens a state file, creating it when there is none.
 *
 * A file that cannot be read is moved aside, one of a newer program is left alone and a sibling used, and a file
 * of another program is refused: nothing is ever overwritten. A new file takes over the client id of the session state file
 * that `importFrom` names.
 *
 * @throws {@link ClientError} `STATE_FOREIGN`, `STATE_UNREADABLE`, `STATE_LOCKED`.
 */
export async function openStateFile(path: string, { importFrom }: StateFileOptions = {}): Promise<StateFile> {
  const notices: string[] = [];
  try {
    makeFolder(dirname(path));
    const opened = await withFileLock(`${path}.lock`, () => openLocked(path, { notices, importFrom }));
    return new StateFile(opened, notices);
  } catch (error) {
    throw error instanceof ClientError ? error : unreadable(path, error);
  }
}

interface OpenedState {
  readonly path: string;
  readonly state: ClientState;
  readonly origin: StateOrigin;
}

interface Opening {
  readonly notices: string[];
  readonly importFrom: string | undefined;
  /** The id that a file of a newer program holds. */
  readonly clientId?: string | undefined;
}

async function openLocked(path: string, opening: Opening): Promise<OpenedState> {
  const { notices } = opening;
  let origin: StateOrigin = opening.clientId === undefined ? "created" : "found";
  let newer: NewerState | undefined;
  const document = stateDocument(path, async ({ problem, text }) => {
    const found = classifyState(text);
    if (found.kind === "foreign") throw foreign(path);
    newer = found.kind === "newer" ? found : undefined;
    if (newer !== undefined) return;
    const aside = await moveAside(path);
    notices.push(`${path} could not be read (${problem}). It is kept as ${aside}, and a new state begins.`);
    origin = "replaced";
  });
  const known = await document.read().catch((error: unknown) => {
    if (newer === undefined) throw error;
    return null;
  });
  if (newer !== undefined) return openSibling(path, opening, newer);
  if (known !== null) return { path, state: known, origin: "found" };
  const state = await newState(path, opening);
  await document.write(state);
  return { path, state, origin };
}

function openSibling(path: string, opening: Opening, { version, clientId }: NewerState): Promise<OpenedState> {
  const sibling = siblingPath(path);
  opening.notices.push(
    `${path} has version ${version}, and this program knows versions up to ${stateVersion}. The file was left as it is, and ${sibling} is used instead.`,
  );
  return openLocked(sibling, { ...opening, clientId });
}

function stateDocument(
  path: string,
  onDamage: (damage: DocumentDamage) => void | Promise<void>,
): DocumentFile<ClientState> {
  return new DocumentFile({ path, schema: clientStateSchema, onDamage });
}

/** The state of a client that has none, with the id that another program has left for it. */
async function newState(path: string, { notices, importFrom, clientId }: Opening): Promise<ClientState> {
  const now = new Date().toISOString();
  if (clientId !== undefined) return createClientState(clientId, now);
  const imported = importFrom === undefined ? ({ kind: "none" } as const) : await readSessionState(importFrom);
  if (imported.kind === "found") {
    notices.push(`This client uses the client ID ${imported.clientId} of ${importFrom}; that file was left as it is.`);
    return withServer({ ...createClientState(imported.clientId, now), imported: true }, imported.serverUrl);
  }
  const state = createClientState(newClientId(), now);
  if (imported.kind === "unusable")
    notices.push(
      `${importFrom} cannot be imported (${imported.reason}) and was left as it is. To import it, repair it and delete ${path}.`,
    );
  return state;
}

function withServer(state: ClientState, url: string | undefined): ClientState {
  if (url === undefined) return state;
  const address = serverAddress({ url });
  const server = { server_url: address, session_id: null, protocol_version: null };
  return { ...state, servers: { [address]: server } };
}

/** The state of a client on the disk, shared with all processes that name the same file. */
export class StateFile {
  /** Where it really is: a sibling of the given path, when a newer program owns that file. */
  readonly path: string;
  /** What happened to the file that a user should know. */
  readonly notices: readonly string[];
  readonly origin: StateOrigin;
  readonly #document: DocumentFile<ClientState>;
  #state: ClientState;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ path, state, origin }: OpenedState, notices: readonly string[]) {
    this.path = path;
    this.#state = state;
    this.origin = origin;
    this.notices = notices;
    this.#document = stateDocument(path, () => {
      throw new ClientError(
        "STATE_UNREADABLE",
        `Another program changed ${path}, so it was left as it is. Start this program again.`,
      );
    });
  }

  /** The state as this process last saw it. */
  get state(): ClientState {
    return this.#state;
  }

  /**
   * Applies a change to what the file holds at that moment, so that two terminals do not undo each other.
   *
   * Durability: resolves when the file is synced.
   * Ordering: changes of one process are applied in the order of their calls.
   */
  update(change: StateChange): Promise<ClientState> {
    const done = this.#queue.then(() => this.#apply(change));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Reads the file again, for what other processes changed. The next change refuses what another program wrote. */
  async refresh(): Promise<ClientState> {
    const known = await this.#read().catch((error: unknown) => {
      if (error instanceof ClientError && error.cause === undefined) return null;
      throw error;
    });
    this.#state = known ?? this.#state;
    return this.#state;
  }

  /** Resolves when each change so far is written or has failed. */
  async drain(): Promise<void> {
    await this.#queue;
  }

  async #apply(change: StateChange): Promise<ClientState> {
    return withFileLock(`${this.path}.lock`, async () => {
      const known = await this.#read();
      // A file that was deleted meanwhile is written again from what this process knows.
      const current = known ?? this.#state;
      const next = change(current);
      if (next !== current || known === null) await this.#document.write(next);
      this.#state = next;
      return next;
    });
  }

  async #read(): Promise<ClientState | null> {
    try {
      return await this.#document.read();
    } catch (error) {
      throw error instanceof ClientError ? error : unreadable(this.path, error);
    }
  }
}

/** 256 random bits: the id is what keeps one user's tasks from another's, where a server has no logins. */
function newClientId(): string {
  return randomBytes(32).toString("base64url");
}

/** Gives the file a name that none has: the renaming replaces an empty file of this process. */
async function moveAside(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${path}.corrupt-${number}`;
    try {
      await writeFile(aside, "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") continue;
      throw error;
    }
    nodeDocumentDisk.rename(path, aside);
    return aside;
  }
}

function siblingPath(path: string): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}.v${stateVersion}${extension}`;
}

function foreign(path: string): ClientError {
  return new ClientError(
    "STATE_FOREIGN",
    `${path} is not a state file of this client; it was left as it is. Name another file.`,
  );
}

function unreadable(path: string, cause: unknown): ClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClientError("STATE_UNREADABLE", `The state file ${path} cannot be used (${reason}). Name another file.`, {
    cause,
  });
}

/** Where a user's state file is, unless another is named: one per user, in the folder that the platform has for it. */
export function defaultStateFile(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  return join(userFolder("state", { platform, env, home: homedir() }), "resumable-mcp", "client.json");
}
