import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { HttpAnswer, type HttpRequest } from "@resumable-mcp/mcp";
import { CommandError, sentenceOf } from "@resumable-mcp/mcp/command-line";
import { rpcCodes, rpcErrorResponse } from "@resumable-mcp/protocol";

/** What a verified token says. */
export interface AuthInfo {
  readonly token: string;
  /** The program that the token was given to. */
  readonly clientId: string;
  scopes: string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** `sub`: the user whose token it is; without one, the tasks are the program's. `iss`: who issued it. */
  readonly extra?: Record<string, unknown>;
}

/**
 * Checks a bearer token; `undefined` or `null` when it is not valid. It may also throw what `jose` and the SDK's
 * `InvalidTokenError` say of such a token. Any other error, and no answer within `verifyTokenTimeoutMs`, is the server's
 * own failure: the caller gets status 500 and keeps its token.
 */
export type VerifyToken = (token: string) => Promise<AuthInfo | null | undefined> | AuthInfo | null | undefined;

/** What the server needs to check tokens. */
export interface TokenCheck {
  readonly verifyToken: VerifyToken;
  readonly timeoutMs: number;
  /** Hears why a token could not be checked. The token is not part of it. */
  readonly onFailure: (error: unknown) => void;
}

/** Stands in a header too, in quotes. */
const anotherToken = "Ask the operator of this server for another one, or sign in again.";

/**
 * Finds out who calls, or refuses the request.
 *
 * Source: MCP 2025-11-25, Authorization, "Token Handling".
 */
export async function authenticate(
  request: HttpRequest,
  { verifyToken, timeoutMs, onFailure }: TokenCheck,
  metadataUrl: string,
): Promise<AuthInfo | HttpAnswer> {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(request.header("authorization") ?? "")?.[1];
  if (token === undefined) return unauthorized("Send a bearer token in the header Authorization.", metadataUrl);
  const invalid = unauthorized(`The token is not valid. ${anotherToken}`, metadataUrl, "invalid_token");
  try {
    const info = await within(timeoutMs, verifyToken(token));
    if (info === undefined || info === null) return invalid;
    checkInfo(info);
    if (info.expiresAt === undefined || info.expiresAt * 1000 > Date.now()) return info;
    return unauthorized(`The token has expired. ${anotherToken}`, metadataUrl, "invalid_token");
  } catch (error) {
    if (saysInvalid(error)) return invalid;
    onFailure(error);
    const message = "The server could not check the token. Try again later; the operator finds the cause in the log.";
    return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.internalError, message), 500);
  }
}

async function within<T>(timeoutMs: number, promise: Promise<T> | T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `verifyToken has not answered within ${timeoutMs} ms.`;
    timer = setTimeout(() => reject(new Error(message)), timeoutMs).unref();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A subject without a name, or a time that is none, would be the same for everybody, and valid without end. */
function checkInfo({ clientId, expiresAt }: AuthInfo): void {
  if (typeof clientId !== "string" || clientId === "") throw new Error("verifyToken gave no clientId.");
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    throw new Error("verifyToken gave an expiresAt that is not a number of seconds.");
  }
}

/** `jose` has one code for each thing that is wrong with a token; the SDK's errors have the code of OAuth. */
function saysInvalid(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const codes = ["code", "errorCode"].map((key) => Reflect.get(error, key));
  return codes.some((code) => code === "invalid_token" || (typeof code === "string" && joseInvalid.test(code)));
}

const joseInvalid = /^ERR_(JWT|JWS|JWE)_|^ERR_JOSE_ALG_NOT_ALLOWED$|^ERR_JWKS_NO_MATCHING_KEY$/;

function unauthorized(message: string, metadataUrl: string, error?: string): HttpAnswer {
  const reason = error === undefined ? "" : `error="${error}", error_description="${message}", `;
  const headers = { "www-authenticate": `Bearer ${reason}resource_metadata="${metadataUrl}"` };
  return HttpAnswer.json(rpcErrorResponse(null, rpcCodes.notAccepted, message), 401, headers);
}

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
    return found === undefined
      ? undefined
      : { token, clientId: "token-file", scopes: [], extra: { sub: found.subject } };
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
