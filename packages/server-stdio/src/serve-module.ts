import { resolve } from "node:path";
import { loadServer, oneOf, readQuotas, runCommand, sentenceOf } from "@resumable-mcp/mcp/command-line";
import { createFsStore } from "@resumable-mcp/store-fs";
import { dataFolder, surroundings } from "./data-folder.js";
import type { PlainCommand } from "./plain-command.js";
import { serveStdio } from "./serve-stdio.js";
import { supervisorLimits } from "./supervisor-limits.js";

/** Serves a tools module to the host at the other end of stdin and stdout, then ends the process. */
export function serveModule(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  return runCommand(program, () => serve(program, module, flags));
}

async function serve(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  const quotas = readQuotas(flags);
  const definition = await loadServer(module);
  const directory = resolve(flags.store ?? dataFolder(flags.name ?? definition.name, surroundings()));
  const log = (error: unknown) => process.stderr.write(`${program}: ${sentenceOf(error)}\n`);
  process.on("unhandledRejection", log);
  await serveStdio({
    definition,
    store: createFsStore({ directory, limits: quotas.store }),
    engineLimits: quotas.engine,
    recover: oneOf("recover", flags.recover ?? "attached", ["attached", "all"]),
    onError: log,
    drainTimeoutMs: supervisorLimits.drainTimeoutMs,
    ...(flags.handoff === undefined ? {} : { handoff: flags.handoff }),
  });
  process.exit(0);
}
