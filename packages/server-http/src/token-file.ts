import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { CommandError, sentenceOf } from "@resumable-mcp/mcp/command-line";
import type { VerifyToken } from "./bearer.js";

const minTokenLength = 16;

/**
 * Reads a file of `token subject` lines; empty lines and lines that begin with `#` are left out.
 *
 * @throws {@link CommandError} that names the line, never the token.
 */
export async function readTokenFile(path: string): Promise<VerifyToken> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandError(`The token file ${path} cannot be read: ${sentenceOf(error)}`, 1, error);
  });
  const entries = text.split("\n").flatMap((line, index) => parseLine(line.trim(), `${path}, line ${index + 1}`));
  if (entries.length === 0)
    throw new CommandError(`The token file ${path} holds no token. Write lines of the form: token subject`);
  return (token) => {
    const given = digest(token);
    // All are compared, so that the time does not tell which one was near.
    const found = entries.filter(({ hash }) => timingSafeEqual(hash, given))[0];
    return found === undefined ? undefined : { token, clientId: found.subject, scopes: [] };
  };
}

function parseLine(line: string, place: string): readonly { hash: Buffer; subject: string }[] {
  if (line === "" || line.startsWith("#")) return [];
  const [token, subject, ...rest] = line.split(/\s+/);
  if (token === undefined || subject === undefined || rest.length > 0) {
    throw new CommandError(`${place}: expected a token and a subject, with a space between them.`);
  }
  if (token.length < minTokenLength)
    throw new CommandError(`${place}: the token has fewer than ${minTokenLength} characters.`);
  return [{ hash: digest(token), subject }];
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
