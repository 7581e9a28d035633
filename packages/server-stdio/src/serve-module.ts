import {
  CommandError,
  cannotStartCode,
  type DatabasePlace,
  errorSentence,
  handleUncaughtExceptions,
  loadDatabasePackage,
  loadDefinition,
  type Quotas,
  readOtlp,
  readQuotas,
  readRecovery,
  readStorePlace,
  readWebhook,
  recoverySentence,
  refuseFolderQuotas,
  stdioOptions,
  withSettings,
} from "@resumable-mcp/command-line";
import type { Store } from "@resumable-mcp/core";
import { engineDefaults } from "@resumable-mcp/core/engine";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { dataFolder, environment } from "./data-folder.js";
import type { Flags } from "./flags.js";
import { supervisorLimits } from "./limits.js";
import { serveHost } from "./serve-host.js";

/**
 * Serves a tools module to the host at the other end of stdin and stdout, then ends the process.
 *
 * The server is bundled with the SDKs and zod, which starts sooner. A `setup` is written against the SDK that is installed,
 * whose classes it may compare, so that such a module is served by the installed packages; docs/decisions/0015. So is a module
 * whose tasks are in a database, whose package is not bundled.
 */
export async function serveModule(program: string, module: string, given: Flags): Promise<never> {
  const flags = await withSettings(stdioOptions, module, given, process.env);
  const quotas = readQuotas(flags);
  const engineLimits = { ...engineDefaults, ...quotas.engine, ...readRecovery(flags) };
  const definition = await loadDefinition(module, flags, panelPage);
  const { setup, setup2026, name } = definition;
  const otlp = readOtlp(flags.otlp);
  const place = readStorePlace(flags, dataFolder(flags.name ?? name, environment()));
  if (!("directory" in place)) refuseFolderQuotas(quotas);
  const encrypted = await readEncryption(flags.keyring);
  const say = (sentence: string) => void process.stderr.write(`${program}: ${harmlessLines(sentence)}\n`);
  const onError = (error: unknown) => say(errorSentence(error));
  process.on("unhandledRejection", onError);
  const withWebhook = await readWebhook(flags, say);
  let shutdown = async (): Promise<void> => {};
  const exceptions = handleUncaughtExceptions((error, taskId) => {
    const ofTask = taskId === undefined ? "" : ` of task ${taskId}`;
    say(`Uncaught exception${ofTask}: ${(error instanceof Error && error.stack) || errorSentence(error)}`);
  }, supervisorLimits.drainTimeoutMs);
  await serveHost({
    definition,
    onError,
    async makeServer(write) {
      const isInstalled = setup !== undefined || setup2026 !== undefined || !("directory" in place);
      const loading = isInstalled ? import("./with-setup.js") : import("./serve-definition.js");
      const { createFsStore, createStdioServer } = await loading.catch(refuseToStart);
      if (otlp !== undefined) shutdown = await exportTo(otlp, definition, say);
      const store = withWebhook(
        encrypted(
          "directory" in place
            ? createFsStore({ ...place, limits: { ...quotas.store, ...quotas.folder }, onWarning: onError })
            : await createDatabaseStore(place, quotas.store, onError),
        ),
      );
      const options = {
        definition,
        store,
        engineLimits,
        limitRules: quotas.rules,
        onOpened: (counts: Parameters<typeof recoverySentence>[0]) =>
          say(recoverySentence(counts, engineLimits.recoverAfterMs)),
        onError,
        drainTimeoutMs: supervisorLimits.drainTimeoutMs,
        handoff: flags.handoff,
        maskErrors: flags["mask-errors"],
        runAttempt: exceptions.runAttempt,
      };
      const server = createStdioServer(options, write);
      exceptions.release = server.release;
      return server;
    },
  });
  await shutdown();
  process.exit(0);
}

/** Sends traces and metrics to a collector. Gives what sends the last of them. */
async function exportTo(
  otlp: URL,
  { name: serviceName, version: serviceVersion }: ServerDefinition,
  onProblem: (sentence: string) => void,
): Promise<() => Promise<void>> {
  const { startExport } = await import("./telemetry-export.js").catch(refuseToStart);
  return startExport({ serviceName, serviceVersion, otlp, onProblem }).shutdown;
}

/** The page is larger than all else of the server: it is loaded where a host shows it first. */
async function panelPage(): Promise<string> {
  const { panelHtml } = await import("./panel-page.js");
  return panelHtml;
}

/** The package is loaded only where there is a keyring. */
async function readEncryption(path: string | undefined): Promise<(store: Store) => Store> {
  if (path === undefined) return (store) => store;
  const { readKeyringFile, withEncryption } = await import("./encryption.js");
  const keyring = await readKeyringFile(path);
  return (store) => withEncryption(store, keyring);
}

async function createDatabaseStore(
  place: DatabasePlace,
  limits: Quotas["store"],
  onWarning: (message: string) => void,
): Promise<Store> {
  const { createPostgresStore } = await loadDatabasePackage(() => import("./postgres-store.js"));
  return createPostgresStore({ ...place, limits: { ...place.limits, ...limits }, onWarning });
}

/** The host has its first answer already: only the exit code says that the next process would fail the same way. */
function refuseToStart(cause: unknown): never {
  const text = `The server's code cannot be loaded (${errorSentence(cause)}). Install this package again.`;
  throw new CommandError(text, cannotStartCode, cause);
}
