import { ClientError } from "./client-error.js";

/** A server reached over Streamable HTTP. */
export interface HttpServerConfig {
  readonly url: string;
  /** Sent as a bearer token; never written to the state file. */
  readonly token?: string;
  /** Sent with every request; never written to the state file, since such headers often hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that this client starts and speaks to over stdin and stdout. */
export interface StdioServerConfig {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to this program's own environment; never written to the state file. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One server, over either transport. */
export type ServerConfig = HttpServerConfig | StdioServerConfig;

/**
 * The address under which a server stands in the state file and in every answer: its URL, or its command line. It is shown,
 * so no password of a URL is part of it.
 */
export function serverAddress(config: ServerConfig): string {
  if ("command" in config) {
    return [config.command, ...(config.args ?? [])].join(" ").replace(/(\/\/[^\s/?#@:]*):[^\s/?#@]*@/g, "$1@");
  }
  if (!URL.canParse(config.url)) return config.url.replace(/\/\/.*@/, "//");
  return Object.assign(new URL(config.url), { username: "", password: "" }).href;
}

/** @throws {@link ClientError} `INVALID_SERVER` for a URL with a user or a password: requests carry neither. */
export function checkUser(config: ServerConfig): void {
  if ("command" in config || !URL.canParse(config.url)) return;
  const { username, password } = new URL(config.url);
  if (`${username}${password}` === "") return;
  throw new ClientError(
    "INVALID_SERVER",
    `The URL of ${serverAddress(config)} holds a user or a password. Leave them out; give a token (--token-file), or sign in.`,
  );
}
