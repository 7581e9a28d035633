import { resolve } from "node:path";
import { loadServer, readQuotas, readRecoverAfter, runCommand, sentenceOf } from "@resumable-mcp/mcp/command-line";
import { dataFolder, environment } from "./data-folder.js";
import type { PlainCommand } from "./plain-command.js";
import { serveHost } from "./serve-host.js";

/**
 * Serves a tools module to the host at the other end of stdin and stdout, then ends the process.
 *
 * The server is bundled with the SDKs and zod, which starts sooner. A `setup` is written against the SDK that is installed,
 * whose classes it may compare, so that such a module is served by the installed packages; docs/decisions/0059.
 */
export function serveModule(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  return runCommand(program, async () => {
    const { store: storeLimits, engine } = readQuotas(flags);
    const engineLimits = { ...engine, ...readRecoverAfter(flags["recover-after"]) };
    const definition = await loadServer(module);
    const { setup, setup2026, name } = definition;
    const hasSetup = setup !== undefined || setup2026 !== undefined;
    const directory = resolve(flags.store ?? dataFolder(flags.name ?? name, environment()));
    const { handoff } = flags;
    const say = (sentence: string) => void process.stderr.write(`${program}: ${sentence}\n`);
    const onError = (error: unknown) => say(sentenceOf(error));
    process.on("unhandledRejection", onError);
    await serveHost({
      definition,
      onError,
      async makeServer(write) {
        const { serveDefinition } = hasSetup ? await import("./with-setup.js") : await import("./serve-definition.js");
        return serveDefinition(definition, { directory, handoff, engineLimits, storeLimits, say, onError }, write);
      },
    });
    process.exit(0);
  });
}
