import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { ClientError } from "../client-error.js";
import { type ClientState, createClientState, stateVersion } from "./client-state.js";
import { withFileLock } from "./file-lock.js";
import { parseState } from "./parse-state.js";
import type { StateChange } from "./state-changes.js";
import { writeFileAtomic } from "./write-file-atomic.js";

/** The state of a client on the disk, shared with every other process that names the same file. */
export interface StateFile {
  /** Where it really is: beside the given path, when a newer program owns that. */
  readonly path: string;
  /** What happened to the file that a user should know. */
  readonly notices: readonly string[];
  /** The state as this process last saw it. */
  readonly state: ClientState;
  /**
   * Applies a change to what stands in the file at that moment, so that two terminals do not undo each other.
   *
   * Durability: resolves when the file is synced.
   * Ordering: changes of one process are applied in the order of their calls.
   */
  update(change: StateChange): Promise<ClientState>;
  /** Reads the file again, for what other processes changed. */
  refresh(): Promise<ClientState>;
  /** Resolves when every change so far is written or has failed. */
  settled(): Promise<void>;
}

/**
 * Opens a state file, creating it when there is none.
 *
 * A file that cannot be read is moved aside, one of a newer program is left alone and a sibling used, and somebody
 * else's file is refused: nothing is ever overwritten.
 *
 * @throws {@link ClientError} `STATE_FOREIGN`, `STATE_UNREADABLE`, `STATE_LOCKED`.
 */
export async function openStateFile(path: string): Promise<StateFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const notices: string[] = [];
  const { path: used, state } = await withFileLock(`${path}.lock`, () => openLocked(path, notices)).catch(
    (error: unknown) => {
      throw error instanceof ClientError ? error : unreadable(path, error);
    },
  );
  return new LockedStateFile(used, state, notices);
}

async function openLocked(
  path: string,
  notices: string[],
  clientId = newClientId(),
): Promise<{ path: string; state: ClientState }> {
  const parsed = parseState(await readOrEmpty(path));
  switch (parsed.kind) {
    case "state":
      return { path, state: parsed.state };
    case "foreign":
      throw new ClientError(
        "STATE_FOREIGN",
        `${path} is not a state file of this client; it was left as it is. Name another file.`,
      );
    case "newer": {
      const sibling = siblingPath(path);
      notices.push(
        `${path} is of version ${parsed.version}, newer than this program's ${stateVersion}; it was left as it is, and ${sibling} is used instead.`,
      );
      return openLocked(sibling, notices, parsed.clientId);
    }
    case "corrupt": {
      const aside = await moveAside(path);
      notices.push(`${path} could not be read (${parsed.reason}); it was kept as ${aside}, and a new state begun.`);
      break;
    }
    case "empty":
  }
  const state = createClientState(clientId, new Date().toISOString());
  await writeFileAtomic(path, format(state));
  return { path, state };
}

class LockedStateFile implements StateFile {
  readonly path: string;
  readonly notices: readonly string[];
  #state: ClientState;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(path: string, state: ClientState, notices: readonly string[]) {
    this.path = path;
    this.#state = state;
    this.notices = notices;
  }

  get state(): ClientState {
    return this.#state;
  }

  update(change: StateChange): Promise<ClientState> {
    const done = this.#queue.then(() => this.#apply(change));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async refresh(): Promise<ClientState> {
    const parsed = parseState(await readOrEmpty(this.path));
    if (parsed.kind === "state") this.#state = parsed.state;
    return this.#state;
  }

  async settled(): Promise<void> {
    await this.#queue;
  }

  async #apply(change: StateChange): Promise<ClientState> {
    return withFileLock(`${this.path}.lock`, async () => {
      const parsed = parseState(await readOrEmpty(this.path));
      if (parsed.kind !== "state" && parsed.kind !== "empty") {
        throw new ClientError("STATE_UNREADABLE", `${this.path} was changed by another program; it was left as it is.`);
      }
      // A file that was deleted meanwhile is written anew from what this process knows.
      const current = parsed.kind === "state" ? parsed.state : this.#state;
      const next = change(current);
      if (next !== current || parsed.kind === "empty") await writeFileAtomic(this.path, format(next));
      this.#state = next;
      return next;
    });
  }
}

/** 256 random bits: the id is what keeps one user's tasks from another's, where a server has no logins. */
function newClientId(): string {
  return randomBytes(32).toString("base64url");
}

async function readOrEmpty(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw unreadable(path, error);
  }
}

/** Gives the file a name that none has: linking, unlike renaming, never replaces. */
async function moveAside(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${path}.corrupt-${number}`;
    try {
      await link(path, aside);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") continue;
      throw error;
    }
    await rm(path);
    return aside;
  }
}

function siblingPath(path: string): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}.v${stateVersion}${extension}`;
}

function format(state: ClientState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

function unreadable(path: string, cause: unknown): ClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClientError("STATE_UNREADABLE", `The state file ${path} cannot be used (${reason}). Name another file.`, {
    cause,
  });
}
