import { BlockList, isIP } from "node:net";
import type { HttpRequest } from "@resumable-mcp/mcp";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** How the system writes the addresses of almost all local callers; to ask a block list costs as much as a small call. */
const usualLoopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1", "localhost"]);

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Tells whether only this machine can reach an address: also in brackets, and IPv4 as IPv6 (`::ffff:127.0.0.1`). */
export function isLoopback(host: string): boolean {
  if (usualLoopback.has(host)) return true;
  const address = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  const family = isIP(address);
  if (family === 0) return false;
  return loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** In place of an origin: pages that this machine serves, on any port. */
export const anyLoopback = "loopback";

/** By which names a server may be called. */
export interface HostRules {
  /** Host names without port; `undefined`: any. */
  readonly hosts: readonly string[] | undefined;
  /** Whole origins in addition to the server's own; `anyLoopback`: all of this machine. */
  readonly origins: readonly string[];
  /** Names in addition to those of loopback addresses. */
  readonly allowedHosts: readonly string[];
}

/**
 * Decides by which names a server may be called. On a loopback address only loopback names, so that no web page can
 * reach it by a name of its own (DNS rebinding). Elsewhere callers are authenticated, and the names are not known.
 */
export function hostRules(options: {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}): HostRules {
  const { host, allowedHosts, allowedOrigins } = options;
  const rest = { origins: allowedOrigins, allowedHosts };
  if (!isLoopback(host) && allowedHosts.length === 0) return { hosts: undefined, ...rest };
  return { hosts: [...loopbackNames, ...allowedHosts.map((name) => name.toLowerCase())], ...rest };
}

/**
 * Says what is wrong with the names of a request, or `undefined`.
 *
 * Source: MCP 2025-11-25, Transports, "Security Warning": servers must validate the `Origin` header.
 */
export function checkNames(request: Pick<HttpRequest, "header">, rules: HostRules): string | undefined {
  const host = request.header("host");
  if (host === undefined || !isAllowedHost(hostName(`http://${host}`), rules)) {
    return "The Host header does not name a host of this server. Behind a proxy, name the public host with --allowed-host.";
  }
  const origin = request.header("origin");
  if (origin === undefined || rules.origins.includes(origin)) return undefined;
  if (isOwnPage(origin, host, rules)) return undefined;
  return "The Origin header does not name an origin that may call this server. Allow it with --allowed-origin.";
}

/** A page of this server, or of a name that its operator gave it. Other programs of this machine serve pages, too. */
function isOwnPage(origin: string, host: string, { hosts, origins, allowedHosts }: HostRules): boolean {
  const page = hostName(origin);
  if (page === undefined || !/^https?:/i.test(origin)) return false;
  const isLocal = isLoopback(page);
  if (isLocal && origins.includes(anyLoopback)) return true;
  const own = `http://${host}`;
  if (!isLocal)
    return allowedHosts.some((name) => name.toLowerCase() === page) || (hosts === undefined && page === hostName(own));
  // This server has no TLS: a page of https on this machine is another program's.
  return /^http:/i.test(origin) && isLoopback(hostName(own) ?? "") && portOf(origin) === portOf(own);
}

function portOf(url: string): string {
  try {
    return new URL(url).port;
  } catch {
    return "";
  }
}

function isAllowedHost(name: string | undefined, { hosts }: HostRules): boolean {
  return name !== undefined && (hosts === undefined || hosts.includes(name));
}

/** What needs no reading, since almost all local callers write it so. */
const usualUrl = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(?:[1-5]\d{4}|\d{1,4}))?$/;

/** The host of a URL, without port; `undefined` when it is none. */
export function hostName(url: string): string | undefined {
  const usual = usualUrl.exec(url)?.[1];
  if (usual !== undefined) return usual;
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return undefined;
  }
}
