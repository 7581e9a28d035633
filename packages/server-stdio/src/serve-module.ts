import { resolve } from "node:path";
import { loadServer, readQuotas, readRecoverAfter, runCommand } from "@resumable-mcp/mcp/command-line";
import { dataFolder, environment } from "./data-folder.js";
import type { PlainCommand } from "./plain-command.js";

/**
 * Serves a tools module to the host at the other end of stdin and stdout, then ends the process.
 *
 * This file is bundled with the SDKs and zod, which starts sooner. A `setup` is written against the SDK that is installed,
 * whose classes it may compare, so that such a module is served by the installed packages; docs/decisions/0059.
 */
export function serveModule(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  return runCommand(program, async () => {
    const quotas = readQuotas(flags);
    const engineLimits = { ...quotas.engine, ...readRecoverAfter(flags["recover-after"]) };
    const definition = await loadServer(module);
    const { setup, setup2026 } = definition;
    const hasSetup = setup !== undefined || setup2026 !== undefined;
    const { serveDefinition } = hasSetup ? await import("./with-setup.js") : await import("./serve-definition.js");
    const directory = resolve(flags.store ?? dataFolder(flags.name ?? definition.name, environment()));
    const { handoff } = flags;
    await serveDefinition(definition, { program, directory, engineLimits, storeLimits: quotas.store, handoff });
    process.exit(0);
  });
}
