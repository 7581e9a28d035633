import { CommandError, errorSentence } from "@resumable-mcp/command-line";
import { TrustedProxies } from "./addresses.js";
import { isLoopback } from "./allowed-hosts.js";
import { secureUrl } from "./auth/metadata.js";
import type { OwnerMode } from "./locality.js";

/** What says who may call a server, of the options of `serve`. */
interface Exposure {
  readonly host?: string;
  readonly verifyToken?: unknown;
  readonly insecure?: boolean;
  readonly publicUrl?: string;
  readonly authorizationServers?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly ownerMode?: OwnerMode;
  readonly ui?: object | undefined;
  readonly path?: string;
  readonly trustedProxies?: readonly string[];
}

/** @throws {@link CommandError} when strangers could call without a token, or could not know for which URL to get one. */
export function checkExposure(options: Exposure): void {
  const { host = "127.0.0.1", verifyToken, publicUrl, authorizationServers = [] } = options;
  if (publicUrl !== undefined) secureUrl("publicUrl", publicUrl);
  for (const url of authorizationServers) secureUrl("authorizationServers", url);
  checkUi(options);
  if (isLoopback(host)) return;
  if (verifyToken === undefined && options.insecure !== true) {
    throw new CommandError(
      `Without authentication, every program that can reach ${host} can run the tools. Give --authorization-server or --token-file, or --insecure to allow it.`,
      2,
    );
  }
  if (authorizationServers.length > 0 && publicUrl === undefined) {
    throw new CommandError("A server with authorizationServers needs its publicUrl: tokens are issued for it.", 2);
  }
}

/** The page acts for its user: one of this machine, or one whom a token names. */
function checkUi(options: Exposure): void {
  const { ui, host = "127.0.0.1", verifyToken, ownerMode, path = "/mcp" } = options;
  if (ui === undefined) return;
  if (/^\/ui(\/|$)/.test(path)) throw new CommandError("With --ui the page is at /ui. Choose another --path.", 2);
  if (verifyToken !== undefined) return;
  const { publicUrl, allowedHosts = [], trustedProxies = [] } = options;
  if (!isLoopback(host) || publicUrl !== undefined || allowedHosts.length + trustedProxies.length > 0) {
    throw new CommandError(
      "Without authentication --ui is for the user of this machine alone. Give --token-file or --authorization-server, or leave out --ui; or listen on 127.0.0.1 without --public-url, --allowed-host and --trusted-proxy.",
      2,
    );
  }
  if (ownerMode === "session") {
    throw new CommandError(
      "With --owner session the page of --ui would have no tasks, since it has no session. Give --token-file or --authorization-server, or leave out --owner session.",
      2,
    );
  }
}

/** @throws {@link CommandError} that names what is not an address of a proxy. */
export function toTrustedProxies({ trustedProxies }: { readonly trustedProxies?: readonly string[] }): TrustedProxies {
  try {
    return new TrustedProxies(trustedProxies);
  } catch (error) {
    throw new CommandError(`--trusted-proxy: ${errorSentence(error)}`, 2);
  }
}
