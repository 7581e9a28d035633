import { resolve } from "node:path";
import { engineDefaults } from "@resumable-mcp/core";
import {
  loadServer,
  readQuotas,
  readRecoverAfter,
  recoverySentence,
  runCommand,
  sentenceOf,
} from "@resumable-mcp/mcp/command-line";
import { createFsStore } from "@resumable-mcp/store-fs";
import { dataFolder, surroundings } from "./data-folder.js";
import { supervisorLimits } from "./limits.js";
import type { PlainCommand } from "./plain-command.js";
import { serveStdio } from "./serve-stdio.js";

/** Serves a tools module to the host at the other end of stdin and stdout, then ends the process. */
export function serveModule(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  return runCommand(program, () => serve(program, module, flags));
}

async function serve(program: string, module: string, flags: PlainCommand["flags"]): Promise<void> {
  const quotas = readQuotas(flags);
  const engineLimits = { ...quotas.engine, ...readRecoverAfter(flags["recover-after"]) };
  const definition = await loadServer(module);
  const directory = resolve(flags.store ?? dataFolder(flags.name ?? definition.name, surroundings()));
  const say = (sentence: string) => process.stderr.write(`${program}: ${sentence}\n`);
  const log = (error: unknown) => say(sentenceOf(error));
  process.on("unhandledRejection", log);
  await serveStdio({
    definition,
    store: createFsStore({ directory, limits: quotas.store, onWarning: log }),
    engineLimits,
    onOpened: (counts) => say(recoverySentence(counts, engineLimits.recoverAfterMs ?? engineDefaults.recoverAfterMs)),
    onError: log,
    drainTimeoutMs: supervisorLimits.drainTimeoutMs,
    ...(flags.handoff === undefined ? {} : { handoff: flags.handoff }),
  });
  process.exit(0);
}
