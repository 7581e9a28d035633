import { serverAddress } from "../server-config.js";
import { defaultStateFile } from "../state/state-file.js";
import { createAuthorizedFetch } from "./authorized-fetch.js";
import { credentialsPath, openCredentialsFile } from "./credentials-file.js";
import { readTokens } from "./oauth-provider.js";

/**
 * Finds the sign-in that this machine's user has at a server, and gives what sends requests with it; `undefined` where there is none.
 *
 * @param send sends one request.
 * @throws {@link ClientError} `STATE_UNREADABLE`. What it gives throws a `LinkFailure` where the sign-in cannot be renewed: the request
 *   was not carried out.
 */
export async function findSignIn(url: string, send: typeof fetch): Promise<typeof fetch | undefined> {
  const credentials = await openCredentialsFile(credentialsPath(defaultStateFile()));
  const address = serverAddress({ url });
  if (readTokens(await credentials.read(address)) === undefined) return undefined;
  return createAuthorizedFetch({ address, credentials, fetch: send });
}
