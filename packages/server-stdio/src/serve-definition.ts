import { type EngineLimits, engineDefaults } from "@resumable-mcp/core";
import type { StoreQuotas } from "@resumable-mcp/core/store";
import type { ServerDefinition } from "@resumable-mcp/mcp";
import { recoverySentence, sentenceOf } from "@resumable-mcp/mcp/command-line";
import { createFsStore } from "@resumable-mcp/store-fs";
import { supervisorLimits } from "./limits.js";
import { serveStdio } from "./serve-stdio.js";

/** What the command line says about a server. */
export interface DefinitionOptions {
  readonly program: string;
  /** Folder of the store. */
  readonly directory: string;
  readonly handoff?: boolean | undefined;
  readonly engineLimits: Partial<EngineLimits>;
  readonly storeLimits: Partial<StoreQuotas>;
}

/** Serves a definition to the host at the other end of stdin and stdout until the host disconnects. */
export async function serveDefinition(definition: ServerDefinition, options: DefinitionOptions): Promise<void> {
  const { program, directory, engineLimits, storeLimits, handoff } = options;
  const say = (sentence: string) => process.stderr.write(`${program}: ${sentence}\n`);
  const log = (error: unknown) => say(sentenceOf(error));
  process.on("unhandledRejection", log);
  await serveStdio({
    definition,
    store: createFsStore({ directory, limits: storeLimits, onWarning: log }),
    engineLimits,
    onOpened: (counts) => say(recoverySentence(counts, engineLimits.recoverAfterMs ?? engineDefaults.recoverAfterMs)),
    onError: log,
    drainTimeoutMs: supervisorLimits.drainTimeoutMs,
    handoff,
  });
}
