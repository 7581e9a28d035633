import type { HttpRequest } from "@resumable-mcp/mcp";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Tells whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** By which names a server may be called. */
export interface HostRules {
  /** Host names without port; `undefined`: any. */
  readonly hosts: readonly string[] | undefined;
  /** Whole origins beside those of the hosts. */
  readonly origins: readonly string[];
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
  if (!isLoopback(host) && allowedHosts.length === 0) return { hosts: undefined, origins: allowedOrigins };
  return { hosts: [...loopbackNames, ...allowedHosts.map((name) => name.toLowerCase())], origins: allowedOrigins };
}

/**
 * Says what is wrong with the names of a request, or `undefined`.
 *
 * Source: MCP 2025-11-25, Transports, "Security Warning": servers must validate the `Origin` header.
 */
export function checkNames(request: Pick<HttpRequest, "header">, rules: HostRules): string | undefined {
  const host = request.header("host");
  if (host === undefined || !isAllowedHost(hostName(`http://${host}`), rules)) {
    return "The Host header names no host of this server. Behind a proxy, name the public host with --allowed-host.";
  }
  const origin = request.header("origin");
  if (origin === undefined || rules.origins.includes(origin)) return undefined;
  // Where any host is allowed, a web page still has to come from the server's own.
  const ownRules = rules.hosts === undefined ? { ...rules, hosts: [hostName(`http://${host}`) ?? ""] } : rules;
  if (isAllowedHost(hostName(origin), ownRules)) return undefined;
  return "The Origin header names no origin that may call this server. Allow it with --allowed-origin.";
}

function isAllowedHost(name: string | undefined, { hosts }: HostRules): boolean {
  return name !== undefined && (hosts === undefined || hosts.includes(name));
}

function hostName(url: string): string | undefined {
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return undefined;
  }
}
