import { type EngineLimits, engineDefaults } from "@resumable-mcp/core";
import type { StoreQuotas } from "@resumable-mcp/core/store";
import type { ServerDefinition } from "@resumable-mcp/mcp";
import { recoverySentence } from "@resumable-mcp/mcp/command-line";
import { createFsStore } from "@resumable-mcp/store-fs";
import { supervisorLimits } from "./limits.js";
import type { StdioServer, WriteMessage } from "./serve-host.js";
import { createStdioServer } from "./serve-stdio.js";

/** What the command line says about a server. */
export interface DefinitionOptions {
  /** Folder of the store. */
  readonly directory: string;
  readonly handoff: boolean | undefined;
  readonly engineLimits: Partial<EngineLimits>;
  readonly storeLimits: Partial<StoreQuotas>;
  /** Shows a sentence to the operator. */
  readonly say: (sentence: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Makes the server of a definition, with a store in a folder. */
export function serveDefinition(
  definition: ServerDefinition,
  { directory, handoff, engineLimits, storeLimits, say, onError }: DefinitionOptions,
  write: WriteMessage,
): StdioServer {
  const store = createFsStore({ directory, limits: storeLimits, onWarning: onError });
  const { recoverAfterMs = engineDefaults.recoverAfterMs } = engineLimits;
  const { drainTimeoutMs } = supervisorLimits;
  return createStdioServer(
    {
      definition,
      store,
      engineLimits,
      onOpened: (counts) => say(recoverySentence(counts, recoverAfterMs)),
      onError,
      drainTimeoutMs,
      handoff,
    },
    write,
  );
}
