import { readFile } from "node:fs/promises";
import { CommandError, errorSentence, type HttpValues, shownName } from "@resumable-mcp/command-line";
import { checkScopes } from "./authorization.js";
import type { VerifyToken } from "./bearer.js";
import { type ImpliedScopes, withImpliedScopes } from "./implied-scopes.js";
import { createIntrospectionVerifier, type IntrospectionOptions } from "./introspection-verifier.js";
import { createJwtVerifier } from "./jwt-verifier.js";
import { secureUrl } from "./metadata.js";
import { openTokenFile, type TokenFile } from "./token-file.js";

/** Who may call, as the command line says. */
export interface AuthChoice {
  readonly publicUrl: string | undefined;
  readonly authorizationServers: readonly string[] | undefined;
  readonly requiredScopes: readonly string[] | undefined;
  readonly verifyToken: VerifyToken | undefined;
  readonly tokenFile: TokenFile | undefined;
}

/**
 * Reads the flags that say who may call.
 *
 * @throws {@link CommandError} that names the flag and what it takes.
 */
export async function readAuth(
  values: HttpValues,
  env: NodeJS.ProcessEnv,
  onWarning: (message: string) => void,
): Promise<AuthChoice> {
  const url = (name: keyof HttpValues, value: string) => checkUrl(`--${name}`, value);
  const publicUrl = values["public-url"] && canonicalUrl(url("public-url", values["public-url"]));
  asUsage(() => checkScopes(shownName("required-scope"), values["required-scope"] ?? []));
  const implied = readImplied(values["implied-scopes"] ?? []);
  const issuers = values["authorization-server"] ?? [];
  // An issuer is compared letter by letter: it stays as it was given.
  for (const issuer of issuers) url("authorization-server", issuer);
  const needsIssuer = ["audience", "jwks-url", "introspection-url", "introspection-credentials-file"] as const;
  const [first, ...others] = issuers;
  const alone = needsIssuer.find((name) => values[name] !== undefined);
  if (first === undefined && alone !== undefined) {
    throw new CommandError(
      `${shownName(alone)} is for tokens of an authorization server. Give --authorization-server too.`,
      2,
    );
  }
  const tokenFile =
    values["token-file"] === undefined ? undefined : await openTokenFile(values["token-file"], { onWarning });
  const common = { publicUrl, requiredScopes: values["required-scope"], tokenFile };
  if (first === undefined) {
    const scopes = (["required-scope", "implied-scopes"] as const).find((name) => values[name] !== undefined);
    if (scopes !== undefined && tokenFile === undefined) {
      throw new CommandError(`${shownName(scopes)} is for tokens. Give --authorization-server or --token-file too.`, 2);
    }
    const verifyToken = tokenFile && withImpliedScopes(tokenFile.verifyToken, implied);
    return { ...common, authorizationServers: undefined, verifyToken };
  }
  if (publicUrl === undefined) {
    throw new CommandError("--authorization-server needs --public-url: tokens are issued for it.", 2);
  }
  const audiences = values.audience ?? publicNames(publicUrl);
  const accepted = { issuers: [first, ...others] as const, audiences };
  const verifier = await remoteVerifier(values, env, accepted);
  const verifyToken: VerifyToken = async (token) => (await tokenFile?.verifyToken(token)) ?? verifier(token);
  return { ...common, authorizationServers: issuers, verifyToken: withImpliedScopes(verifyToken, implied) };
}

/** The first scope of each value includes the others. */
function readImplied(values: readonly string[]): ImpliedScopes {
  const included = new Map<string, readonly string[]>();
  for (const value of values) {
    const [scope = "", ...others] = value.split(" ");
    if (others.length === 0) {
      throw new CommandError(
        `impliedScopes wants a scope and those that it includes, as "admin read write", not ${JSON.stringify(value)}.`,
        2,
      );
    }
    asUsage(() => checkScopes("impliedScopes", [scope, ...others]));
    included.set(scope, [...(included.get(scope) ?? []), ...others]);
  }
  return Object.fromEntries(included);
}

type Accepted = Pick<IntrospectionOptions, "issuers" | "audiences">;

async function remoteVerifier(values: HttpValues, env: NodeJS.ProcessEnv, accepted: Accepted): Promise<VerifyToken> {
  const { "introspection-url": introspection, "jwks-url": jwks } = values;
  if (introspection === undefined) {
    if (jwks !== undefined && accepted.issuers.length > 1) {
      throw new CommandError("jwksUrl is for one --authorization-server. Leave it out for several.", 2);
    }
    const jwksUrl = jwks && checkUrl("jwksUrl", jwks, true).href;
    return createJwtVerifier({ ...accepted, jwksUrl });
  }
  if (jwks !== undefined) throw new CommandError("jwksUrl and introspectionUrl exclude each other.", 2);
  const url = checkUrl(shownName("introspection-url"), introspection).href;
  return createIntrospectionVerifier({ ...accepted, url, credentials: await readCredentials(values, env) });
}

async function readCredentials(
  values: HttpValues,
  env: NodeJS.ProcessEnv,
): Promise<IntrospectionOptions["credentials"]> {
  const file = values["introspection-credentials-file"];
  const text =
    file === undefined
      ? env.RESUMABLE_MCP_INTROSPECTION_CREDENTIALS
      : await readFile(file, "utf8").catch((error: unknown) => {
          throw new CommandError(
            `The file ${file} of introspectionCredentialsFile cannot be read: ${errorSentence(error)}`,
          );
        });
  const [id, secret, ...rest] = text?.trim().split(/\s+/) ?? [];
  if (id !== undefined && id !== "" && secret !== undefined && rest.length === 0) return { id, secret };
  throw new CommandError(
    "introspectionUrl wants a client_id and a client_secret, with a space between them, in RESUMABLE_MCP_INTROSPECTION_CREDENTIALS or in the file of RESUMABLE_MCP_INTROSPECTION_CREDENTIALS_FILE.",
    2,
  );
}

/** The name of an origin has no slash at its end. Source: MCP, Authorization, "Canonical Server URI". */
function canonicalUrl({ href, origin, pathname }: URL): string {
  return pathname === "/" ? origin : href;
}

/** A client may write the URL of an origin with or without its slash. */
export function publicNames(publicUrl: string): readonly string[] {
  if (new URL(publicUrl).pathname === "/") return [publicUrl, `${publicUrl}/`];
  return publicUrl.endsWith("/") ? [publicUrl, publicUrl.slice(0, -1)] : [publicUrl];
}

function checkUrl(flag: string, value: string, mayHaveQuery = false): URL {
  return asUsage(() => secureUrl(flag, value, mayHaveQuery));
}

function asUsage<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    throw new CommandError(errorSentence(error), 2);
  }
}
