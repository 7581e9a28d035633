import { parseArgs } from "node:util";
import type { QuotaFlags } from "@resumable-mcp/mcp/command-line";

/** The flags of a command line that asks for nothing but a server. */
const flags = {
  store: { type: "string" },
  name: { type: "string" },
  "recover-after": { type: "string" },
  handoff: { type: "boolean" },
  "no-supervise": { type: "boolean" },
  // Those of `quotaFlags`, which would have to be loaded.
  "max-store-tasks": { type: "string" },
  "max-store-bytes": { type: "string" },
  "max-unfinished-per-owner": { type: "string" },
  "max-running-per-owner": { type: "string" },
  "keep-finished": { type: "string" },
} as const;

/** A command line that asks for nothing but a server. */
export interface PlainCommand {
  readonly module: string;
  readonly flags: QuotaFlags & {
    readonly store?: string | undefined;
    readonly name?: string | undefined;
    readonly "recover-after"?: string | undefined;
    readonly handoff?: boolean | undefined;
    readonly "no-supervise"?: boolean | undefined;
  };
}

/**
 * Reads the command line with which hosts start servers, before anything is loaded. Pure.
 *
 * @returns `undefined` for any other command line: then the parser of all flags decides.
 */
export function plainCommand(args: readonly string[]): PlainCommand | undefined {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: flags, allowPositionals: true });
    const [module, ...rest] = positionals;
    return module === undefined || rest.length > 0 ? undefined : { module, flags: values };
  } catch {
    return undefined;
  }
}
