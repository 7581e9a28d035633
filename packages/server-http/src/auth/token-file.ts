import { createHash, randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { CommandError, errorSentence } from "@resumable-mcp/command-line";
import { type FileRights, othersRights } from "@resumable-mcp/store-encryption";
import type { AuthInfo, VerifyToken } from "./bearer.js";

/** As many characters as 128 random bits have in base64url. */
const minTokenLength = 22;
/** A changed file counts after this time, without a signal. */
const checkEveryMs = 1_000;

/** The tokens of a file. */
export interface TokenFile {
  readonly verifyToken: VerifyToken;
  /** Reads the file again. A file that cannot be used changes nothing, and is reported. */
  reload(): Promise<void>;
}

interface Entry {
  /** Hexadecimal digits in lower case. */
  readonly hash: string;
  readonly subject: string;
  /** Seconds since 1970. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
}

interface ReadFile {
  /** By their hashes. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Changes with the file. */
  readonly mark: string;
}

/**
 * Reads a file of tokens, and reads it again when it changed: tokens are added and revoked without a restart.
 *
 * A line is `token subject`, where the token may be given by its hash, `sha256:` and 64 hexadecimal digits: one hash is
 * enough for 256 random bits, and cheap enough for every request. `expires=` (a date of ISO 8601) and `scope=` (names
 * with commas between them) may follow. Empty lines and lines that begin with `#` are left out.
 *
 * @param options.onWarning hears why a changed file is not used: the tokens of before stay.
 * @throws {@link CommandError} that names the line, never the token; also for a file that other users could read tokens
 * from, or write to.
 */
export async function openTokenFile(
  path: string,
  options: { readonly onWarning: (message: string) => void; readonly checkEveryMs?: number },
): Promise<TokenFile> {
  let current = await readTokens(path);
  let checkedMs = performance.now();
  let failedMark: string | undefined;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      current = await readTokens(path);
      failedMark = undefined;
    } catch (error) {
      const message = errorSentence(error);
      // Said once for each state of the file, not with every request.
      if (message !== failedMark) options.onWarning(`${message} The tokens of before stay.`);
      failedMark = message;
    }
  };
  const share = (run: () => Promise<void>): Promise<void> => {
    reading ??= run().finally(() => {
      checkedMs = performance.now();
      reading = undefined;
    });
    return reading;
  };
  const readIfChanged = async () => {
    if ((await markOf(path)) !== current.mark) await read();
  };
  return {
    async reload() {
      await reading;
      await share(read);
    },
    async verifyToken(token) {
      if (performance.now() - checkedMs >= (options.checkEveryMs ?? checkEveryMs)) await share(readIfChanged);
      return find(current.entries, token);
    },
  };
}

function find(entries: ReadonlyMap<string, Entry>, token: string): AuthInfo | undefined {
  // A hash in the file may be that of a word.
  const found = token.length < minTokenLength ? undefined : entries.get(digest(token));
  if (found === undefined) return undefined;
  const { subject: sub, scopes, expiresAt } = found;
  return { token, clientId: "token-file", scopes: [...scopes], expiresAt, extra: { sub } };
}

/** A new token of 256 random bits, and its line for a token file. */
export function newToken(subject: string): { readonly token: string; readonly line: string } {
  if (!/^[^\s#=]\S*$/.test(subject)) throw new CommandError("--new-token wants a subject without spaces.", 2);
  const token = randomBytes(32).toString("base64url");
  return { token, line: `sha256:${digest(token)} ${subject}` };
}

async function markOf(path: string): Promise<string | undefined> {
  const handle = await open(path, "r").catch(() => undefined);
  try {
    return handle && markOfStat(await handle.stat());
  } finally {
    await handle?.close();
  }
}

function markOfStat({
  ino,
  size,
  mtimeMs,
  mode,
}: {
  ino: number;
  size: number;
  mtimeMs: number;
  mode: number;
}): string {
  return [ino, size, mtimeMs, mode].join(" ");
}

async function readTokens(path: string): Promise<ReadFile> {
  const unreadable = (error: unknown): never => {
    throw new CommandError(`The token file ${path} cannot be read: ${errorSentence(error)}`, 1, error);
  };
  const handle = await open(path, "r").catch(unreadable);
  try {
    const stat = await handle.stat();
    const text = await handle.readFile("utf8").catch(unreadable);
    const lines = text.split("\n").flatMap((line, index) => parseLine(line.trim(), `${path}, line ${index + 1}`));
    if (lines.length === 0)
      throw new CommandError(`The token file ${path} holds no token. Write lines of the form: token subject`);
    checkMode(
      path,
      stat,
      lines.some(({ isPlain }) => isPlain),
    );
    return { entries: byHash(lines), mark: markOfStat(stat) };
  } finally {
    await handle.close();
  }
}

/** Of two lines with one token the first counts. */
function byHash(lines: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(lines.toReversed().map((line) => [line.hash, line]));
}

/** What others could write, they could add a token of theirs to. Hashes of random tokens are no secret. */
function checkMode(path: string, rights: FileRights, holdsTokens: boolean): void {
  const { read, write } = othersRights(rights);
  if (!write && !(read && holdsTokens)) return;
  const what = holdsTokens ? "read or change" : "change";
  throw new CommandError(`Other users of this machine can ${what} the token file ${path}. Run: chmod 600 ${path}`);
}

function parseLine(line: string, place: string): readonly (Entry & { readonly isPlain: boolean })[] {
  if (line === "" || line.startsWith("#")) return [];
  const [token, subject, ...facts] = line.split(/\s+/);
  if (token === undefined || subject === undefined) {
    throw new CommandError(`${place}: expected a token and a subject, with a space between them.`);
  }
  const { expires, scope, ...others } = Object.fromEntries(facts.map((fact) => splitFact(fact, place)));
  const [other] = Object.keys(others);
  if (other !== undefined) throw new CommandError(`${place}: expected expires= or scope= behind the subject.`);
  const expiresAt = expires === undefined ? undefined : Date.parse(expires) / 1_000;
  if (Number.isNaN(expiresAt)) throw new CommandError(`${place}: expires= wants a date such as 2027-01-31T00:00:00Z.`);
  const hash = /^sha256:([0-9a-f]{64})$/i.exec(token)?.[1];
  if (hash === undefined && token.startsWith("sha256:"))
    throw new CommandError(`${place}: sha256: wants 64 hexadecimal digits.`);
  if (hash === undefined && token.length < minTokenLength) {
    const advice = "Make one with --new-token.";
    throw new CommandError(`${place}: the token has fewer than ${minTokenLength} characters. ${advice}`);
  }
  const scopes = scope?.split(",").filter((name) => name !== "") ?? [];
  const isPlain = hash === undefined;
  return [{ hash: hash?.toLowerCase() ?? digest(token), subject, expiresAt, scopes, isPlain }];
}

function splitFact(fact: string, place: string): readonly [string, string] {
  const [name = "", value] = fact.split(/=(.*)/s);
  if (value === undefined) throw new CommandError(`${place}: expected expires= or scope= behind the subject.`);
  return [name, value];
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
