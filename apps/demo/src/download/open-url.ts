import { lookup } from "node:dns";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import { TerminalError } from "@resumable-mcp/core";

const maxRedirects = 5;

/** How a URL is opened. */
export interface OpenOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether a connection to this IP address may be made. */
  readonly mayReach: (address: string) => boolean;
}

/**
 * Requests a URL, and follows at most five redirects. Each connection is judged by the address that it is made to, so that
 * neither a redirect nor a name that changes its address leads to a machine that may not be reached.
 *
 * @throws TerminalError for such a machine, too many redirects, and one that leads to another protocol.
 */
export async function openUrl(url: string, options: OpenOptions): Promise<IncomingMessage> {
  let place = new URL(url);
  for (let redirects = 0; ; redirects += 1) {
    const response = await request(place, options);
    const { location } = response.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
    if (!isRedirect || location === undefined) return response;
    response.destroy();
    if (redirects === maxRedirects) throw new TerminalError(`${url} has more than ${maxRedirects} redirects.`);
    if (!URL.canParse(location, place.href)) throw new TerminalError(`${url} has a redirect to no address.`);
    place = new URL(location, place);
  }
}

function request(place: URL, { headers, signal, mayReach }: OpenOptions): Promise<IncomingMessage> {
  const { protocol, hostname } = place;
  if (protocol !== "http:" && protocol !== "https:") throw new TerminalError(`${protocol} is not http or https.`);
  const literal = hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !mayReach(literal)) throw notReached(hostname);
  const get = protocol === "http:" ? getHttp : getHttps;
  // A connection that was made for something else was not judged here.
  const options = { headers, signal, agent: false, lookup: judgedLookup(mayReach) } as const;
  return new Promise((resolve, reject) => {
    get(place.href, options, resolve).on("error", reject);
  });
}

function judgedLookup(mayReach: OpenOptions["mayReach"]): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = error === null && addresses.some(({ address }) => !mayReach(address));
      const [first] = addresses ?? [];
      if (error !== null || refused || first === undefined) return done(error ?? notReached(hostname), []);
      if (options.all === true) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

function notReached(hostname: string): TerminalError {
  return new TerminalError(`${hostname} is not a public address, and this server downloads from public ones alone.`);
}
