import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import { LinkFailure } from "../connection/link.js";
import { withFileLock } from "../state/file-lock.js";
import type { CredentialsFile } from "./credentials-file.js";
import { readTokens, StoredOAuthProvider } from "./oauth-provider.js";

/** All requests of one renewal together: less than the age at which its lock counts as left behind. */
const renewTimeoutMs = 9_000;
/** Never called: without a user there is nobody to redirect. The SDK only takes a flow with an address for one. */
const nowhere = "http://127.0.0.1/callback";

/** What requests of a signed-in client are made with. */
export interface AuthorizedFetchOptions {
  readonly address: string;
  readonly credentials: CredentialsFile;
  readonly fetch: typeof fetch;
}

/**
 * Wraps `fetch` so that requests carry the token of the user's sign-in, renewed when the server no longer takes it.
 *
 * Ordering: one renewal at a time over all processes of the user: a refresh token that may be used once is used once.
 *
 * @throws {@link LinkFailure} `unauthorized` when only the user can sign in again.
 */
export function createAuthorizedFetch(options: AuthorizedFetchOptions): typeof fetch {
  const { credentials, address } = options;
  let token: string | undefined;
  let renewing: Promise<string> | undefined;
  const renew = (refused: string, answer: Response) => {
    renewing ??= renewToken(options, refused, answer).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return async (input, init) => {
    token ??= readTokens(await credentials.read(address))?.access_token;
    if (token === undefined) return options.fetch(input, init);
    const sent = token;
    const answer = await options.fetch(input, withBearer(init, sent));
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
    token = await renew(sent, answer);
    return options.fetch(input, withBearer(init, token));
  };
}

function withBearer(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

async function renewToken(options: AuthorizedFetchOptions, refused: string, answer: Response): Promise<string> {
  const { address, credentials } = options;
  const current = async () => readTokens(await credentials.read(address))?.access_token;
  return withFileLock(`${credentials.path}.renew.lock`, async () => {
    const known = await current();
    // Another process was quicker.
    if (known !== undefined && known !== refused) return known;
    await refresh(options, answer);
    const renewed = await current();
    if (renewed === undefined) throw signedOut();
    return renewed;
  });
}

async function refresh({ address, credentials }: AuthorizedFetchOptions, answer: Response): Promise<void> {
  const signal = AbortSignal.timeout(renewTimeoutMs);
  let unreachable: unknown;
  const provider = new StoredOAuthProvider({
    address,
    credentials,
    redirectUrl: nowhere,
    fresh: false,
    onRedirect: () => {
      // The SDK asks for a new sign-in also when the authorization server is only away for a moment.
      throw unreachable ?? signedOut();
    },
  });
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(answer);
  await auth(provider, {
    serverUrl: address,
    resourceMetadataUrl,
    fetchFn: async (url, init) => {
      try {
        return await fetch(url, { ...init, signal });
      } catch (error) {
        unreachable = new LinkFailure("unreachable", "its authorization server does not answer", error);
        throw error;
      }
    },
  }).catch((error: unknown) => {
    throw error instanceof LinkFailure ? error : (unreachable ?? signedOut(error));
  });
}

function signedOut(cause?: unknown): LinkFailure {
  return new LinkFailure("unauthorized", "the sign-in has ended", cause);
}
