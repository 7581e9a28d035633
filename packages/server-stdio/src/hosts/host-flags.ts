import { hostNames } from "@resumable-mcp/protocol/hosts";
import type { StartFlags } from "./server-start.js";

/** The flags that have to do with hosts. */
export const hostFlags = {
  "print-config": { type: "string" },
  install: { type: "string" },
  uninstall: { type: "string" },
  scope: { type: "string" },
  config: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;

/** What they say. */
export interface HostFlags extends StartFlags {
  readonly "print-config"?: string | undefined;
  readonly install?: string | undefined;
  readonly uninstall?: string | undefined;
  readonly scope?: string | undefined;
  readonly config?: string | undefined;
  readonly yes?: boolean | undefined;
}

const hosts = hostNames.join(", ");

/** How they are used. */
export const hostUsage = `  --print-config HOST    print what ${hosts} needs to start this server
  --install HOST         write it into the host's configuration file, after showing the change
  --uninstall HOST       undo that
  --scope user|project   which of the host's files (user)
  --config FILE          another file
  --yes, -y              write without asking`;

/** Whether something is to be done about a host, instead of serving. */
export function isAboutHost(flags: HostFlags): boolean {
  return [flags["print-config"], flags.install, flags.uninstall].some((host) => host !== undefined);
}
