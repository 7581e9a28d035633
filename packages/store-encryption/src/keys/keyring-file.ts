import { open } from "node:fs/promises";
import { keyBytes, newKeyBytes } from "./cipher.js";
import { createKeyring, invalidKeyring, type Keyring, makeKeyId } from "./keyring.js";
import { othersRights } from "./secret-file.js";

/** A keyring is a few lines. */
const maxFileBytes = 64 * 1024;

/**
 * Reads a keyring: a line for each key, `seal ID KEY` or `open ID KEY`, exactly one of which seals. KEY is 32 bytes in
 * base64url, ID what {@link newKeyLine} gave with it. Empty lines and lines that begin with `#` count for nothing.
 *
 * @throws {@link ResumableError} `INVALID_OPTION`, also where other users of the machine can read the file; a group of the
 * process may, where the file is root's. No key is shown.
 */
export async function readKeyringFile(path: string): Promise<Keyring> {
  const unreadable = (error: unknown): never => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "an error";
    throw invalidKeyring(`The keyring ${path} cannot be read (${code}). Make one with: resumable-mcp store new-key`);
  };
  const handle = await open(path, "r").catch(unreadable);
  try {
    const stat = await handle.stat();
    if (othersRights(stat).read)
      throw invalidKeyring(`Other users of this machine can read the keyring ${path}. Run: chmod 600 ${path}`);
    if (stat.size > maxFileBytes) throw invalidKeyring(`The keyring ${path} is larger than ${maxFileBytes} bytes.`);
    return parseKeyring(await handle.readFile("utf8").catch(unreadable), path);
  } finally {
    await handle.close();
  }
}

/** @param path for messages. @throws {@link ResumableError} `INVALID_OPTION`. */
export function parseKeyring(text: string, path: string): Keyring {
  const lines = text.split("\n").flatMap((line, index) => parseLine(line.trim(), `${path}, line ${index + 1}`));
  const [seal, another] = lines.filter(({ seals }) => seals);
  if (seal === undefined || another !== undefined)
    throw invalidKeyring(`The keyring ${path} must have exactly one line that begins with "seal".`);
  return createKeyring({ seal: seal.key, open: lines.filter(({ seals }) => !seals).map(({ key }) => key) });
}

function parseLine(line: string, place: string): readonly { readonly seals: boolean; readonly key: Buffer }[] {
  if (line === "" || line.startsWith("#")) return [];
  const [use, id, encoded, ...rest] = line.split(/\s+/);
  const key = Buffer.from(encoded ?? "", "base64url");
  if ((use !== "seal" && use !== "open") || rest.length > 0 || key.length !== keyBytes)
    throw invalidKeyring(
      `${place}: expected "seal ID KEY" or "open ID KEY", as resumable-mcp store new-key prints it.`,
    );
  if (makeKeyId(key) !== id)
    throw invalidKeyring(`${place}: the key is not the one of this id. A character was changed.`);
  return [{ seals: use === "seal", key }];
}

/** Makes a new key, as a line of a keyring. */
export function newKeyLine(): string {
  const key = newKeyBytes();
  return `seal ${makeKeyId(key)} ${key.toString("base64url")}`;
}
