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

/** The address under which a server stands in the state file and in every answer: its URL, or its command line. */
export function serverAddress(config: ServerConfig): string {
  if ("command" in config) return [config.command, ...(config.args ?? [])].join(" ");
  return URL.canParse(config.url) ? new URL(config.url).href : config.url;
}
