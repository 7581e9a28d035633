import {
  CommandError,
  errorSentence,
  type HttpValues,
  handleUncaughtExceptions,
  hidePassword,
  httpGroups,
  httpOptions,
  loadDatabasePackage,
  loadDefinition,
  oneOf,
  onStopSignal,
  parseCount,
  type Quotas,
  readDuration,
  readQuotas,
  readRecovery,
  readStorePlace,
  readStoreWait,
  readWebhook,
  recoverySentence,
  refuseFolderQuotas,
  type StopSignal,
  wholeNumber,
  withSettings,
} from "@resumable-mcp/command-line";
import { helpText, parseFlags } from "@resumable-mcp/command-line/options";
import type { Store } from "@resumable-mcp/core";
import { engineDefaults } from "@resumable-mcp/core/engine";
import type { SessionLimits } from "@resumable-mcp/mcp";
import { listedControlTools } from "@resumable-mcp/protocol";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { readKeyringFile, withEncryption } from "@resumable-mcp/store-encryption";
import { createFsStore } from "@resumable-mcp/store-fs";
import { readAuth } from "./auth/auth-flags.js";
import { newToken, type TokenFile } from "./auth/token-file.js";
import { httpLimits } from "./http-limits.js";
import { ownerModes } from "./locality.js";
import { readStack } from "./log.js";
import { readLogs } from "./log-flags.js";
import { type RunningServer, type ServeOptions, serve } from "./serve.js";
import { openTelemetry } from "./telemetry/open-telemetry.js";
import { readUi } from "./ui/ui-flags.js";

/** The version of this package, which the build and the test runner put here. */
declare const RESUMABLE_MCP_VERSION: string;

const usage =
  "Usage: resumable-mcp serve http MODULE [OPTIONS]     (installed alone: resumable-mcp-http MODULE [OPTIONS])";

/** The command-line program: serves a tools module until SIGINT or SIGTERM. */
export async function runHttpCommand(args: readonly string[]): Promise<void> {
  const { values: given, positionals } = parseFlags(args, httpOptions);
  const [module, ...rest] = positionals;
  if (given.help === true) return print(helpText({ usage, groups: httpGroups }, module === "all"));
  if (given.version === true) return print(`${RESUMABLE_MCP_VERSION}\n`);
  if (given["new-token"] !== undefined) {
    const { token, line } = newToken(given["new-token"]);
    return print(`token, shown this once: ${token}\nline for the token file: ${line}\n`);
  }
  if (module === undefined || rest.length > 0)
    throw new CommandError("Name one tools module, as in resumable-mcp serve http ./tools.ts.", 2);
  return serveModule(module, given);
}

async function serveModule(module: string, given: HttpValues): Promise<void> {
  const settings = await withSettings(httpOptions, module, given, process.env);
  const values: HttpValues = { ...(process.env.RESUMABLE_MCP_DEV === undefined ? {} : whileDeveloping), ...settings };
  hidePassword("resumable-mcp-http", values.store);
  const place = readStorePlace(values, ".resumable-mcp");
  const waitMs = readStoreWait(values["store-wait"]);
  const port = wholeNumber("port", values.port ?? "8001", { min: 0, max: 65_535 });
  const recovery = readRecovery(values);
  const quotas = readQuotas(values);
  const maxSessionsPerOwner = parseCount("max-sessions-per-owner", values["max-sessions-per-owner"]);
  const maxJsonValues = parseCount("max-json-values", values["max-json-values"]);
  const definition = await loadDefinition(module, values, panelPage);
  const fd = passedSocket(process.env);
  const { log, audit, reopen } = readLogs(values);
  const telemetry = await openTelemetry(values, definition, log);
  const { tokenFile, ...auth } = await readAuth(values, process.env, (message) => log("warn", message));
  const options: ServeOptions = {
    definition,
    ...(await createStore(place, {
      quotas,
      waitMs,
      keyring: values.keyring,
      withWebhook: await readWebhook(values, (message) => log("warn", message)),
      onWarning: (message) => log("warn", message),
    })),
    engineLimits: { ...quotas.engine, ...recovery },
    limitRules: quotas.rules,
    limits: { ...readRetry(values, fd), maxSessionsPerOwner, maxJsonValues },
    host: values.host,
    port,
    path: endpointPath(values.path ?? "/mcp"),
    allowedHosts: values["allowed-host"],
    allowedOrigins: values["allowed-origin"],
    trustedProxies: values["trusted-proxy"],
    insecure: values.insecure,
    maskErrors: values["mask-errors"],
    ownerMode: oneOf("owner", values.owner ?? "auto", ownerModes),
    log,
    audit,
    crossStreamReplay: values["cross-stream-replay"],
    handoff: values.handoff,
    fd,
    metrics: telemetry.metrics,
    ...auth,
    ...readUi(values, auth),
  };
  const exceptions = handleUncaughtExceptions(
    (error, taskId) =>
      log("error", `Uncaught exception: ${errorSentence(error)}`, { id: taskId, stack: readStack(error) }),
    httpLimits.drainTimeoutMs,
  );
  // Before the server waits for its database: without a listener the signal would end the process.
  const stopSignals = reloadOnSignal(tokenFile, reopen);
  const server = await serve({ ...options, runAttempt: exceptions.runAttempt });
  exceptions.release = (leave) => server.release(leave).finally(telemetry.shutdown);
  stopAtSignal(stopSignals, () => server.close().finally(telemetry.shutdown));
  process.on("unhandledRejection", (error) =>
    log("error", `Unhandled rejection of a promise: ${errorSentence(error)}`),
  );
  process.stderr.write(harmlessLines(banner(options, server)));
}

/** A task does not wait: neither for its caller, who is not away, nor for a server with the previous code. */
const whileDeveloping = { "recover-after": "now", "version-wait": "0ms", "drain-retry": "250ms" } as const;

function print(text: string): void {
  process.stdout.write(text);
}

/** The page is larger than all else of a server: it is loaded where it is first shown. */
async function panelPage(): Promise<string> {
  const { panelHtml } = await import("@resumable-mcp/panel");
  return panelHtml;
}

interface CreateStoreOptions {
  readonly quotas: Quotas;
  readonly waitMs: number;
  readonly keyring: string | undefined;
  readonly withWebhook: (store: Store) => Store;
  readonly onWarning: (message: string) => void;
}

/** A database may start at the same moment as this program; a folder is there or not. */
async function createStore(
  place: ReturnType<typeof readStorePlace>,
  { quotas, waitMs, keyring: path, withWebhook, onWarning }: CreateStoreOptions,
): Promise<Pick<ServeOptions, "store" | "storeWait">> {
  const keyring = path === undefined ? undefined : await readKeyringFile(path);
  const made = (store: Store) => withWebhook(keyring === undefined ? store : withEncryption(store, keyring));
  if ("directory" in place) {
    const limits = { ...quotas.store, ...quotas.folder };
    return { store: made(createFsStore({ ...place, limits, onWarning })) };
  }
  refuseFolderQuotas(quotas);
  const { createPostgresStore, isServerAway } = await loadDatabasePackage(
    () => import("@resumable-mcp/store-postgres"),
  );
  const store = createPostgresStore({ ...place, limits: { ...place.limits, ...quotas.store }, onWarning });
  return { store: made(store), storeWait: { waitMs, isServerAway } };
}

/** Clients wait for it with a request open, and give that up after a minute or a few. */
const maxRetryMs = 60 * 60_000;
/** No connection is refused then: the first attempt waits in the socket's queue until the next process accepts it. */
const onPassedSocket = { retryMs: 1_000, drainRetryMs: 1_000 };

/**
 * Reads the flags that say when clients come back to a broken stream.
 *
 * @param fd the listening socket that a parent owns, if one does.
 * @throws {@link CommandError} that names the flag and what it takes.
 */
export function readRetry(
  flags: Pick<HttpValues, "retry" | "drain-retry">,
  fd: number | undefined,
): Partial<Pick<SessionLimits, "retryMs" | "drainRetryMs">> {
  const retryMs = readDuration("retry", flags.retry, { maxMs: maxRetryMs });
  const drainRetryMs = readDuration("drain-retry", flags["drain-retry"], { maxMs: maxRetryMs });
  return {
    ...(fd === undefined ? {} : onPassedSocket),
    ...(retryMs === undefined ? {} : { retryMs }),
    ...(drainRetryMs === undefined ? {} : { drainRetryMs }),
  };
}

function endpointPath(path: string): string {
  if (/^\/[\w\-./]*$/.test(path)) return path;
  throw new CommandError(`--path must begin with a slash, not ${JSON.stringify(path)}.`, 2);
}

/** Socket activation, as systemd does it (sd_listen_fds): the first passed socket has number 3. */
function passedSocket({ LISTEN_FDS, LISTEN_PID }: NodeJS.ProcessEnv): number | undefined {
  return LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) >= 1 ? 3 : undefined;
}

function banner({ definition, engineLimits, ui }: ServeOptions, { url, owner, recovery }: RunningServer): string {
  const tools = definition.tools.map(
    ({ name, description }) => `tool: ${name}: ${/^\s*(.{0,100})/.exec(description)?.[1]}\n`,
  );
  const controls = listedControlTools(definition.controlTools).map((name) => `${definition.prefix ?? ""}${name}`);
  const others = controls.length === 0 ? "" : `control tools: ${controls.join(", ")}\n`;
  const unfinished = recoverySentence(recovery, engineLimits?.recoverAfterMs ?? engineDefaults.recoverAfterMs);
  const panel = ui === undefined ? "" : `panel: ${new URL("/ui", url).href}\n`;
  return `${definition.name} ${definition.version}\n${tools.join("")}${others}tasks belong to: ${owner}\n${unfinished}\n${panel}listening on ${url}\n`;
}

/**
 * Reads files again on SIGHUP.
 *
 * @returns the signals that stop the server. With nothing to read again SIGHUP is one of them: the terminal was closed.
 */
function reloadOnSignal(tokenFile: TokenFile | undefined, reopen: (() => void) | undefined): readonly StopSignal[] {
  if (tokenFile === undefined && reopen === undefined) return ["SIGINT", "SIGTERM", "SIGHUP"];
  process.on("SIGHUP", () => {
    reopen?.();
    void tokenFile?.reload();
  });
  return ["SIGINT", "SIGTERM"];
}

function stopAtSignal(signals: readonly StopSignal[], close: () => Promise<void>): void {
  onStopSignal(signals, (signal) => {
    // A program in front, such as `resumable-mcp dev`, replaces this server: no user stopped it.
    const isReplaced = process.send !== undefined && signal === "SIGTERM";
    if (!isReplaced) process.stderr.write("Server stopped by user\n");
    void close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${harmlessLines(errorSentence(error))}\n`);
        process.exit(1);
      },
    );
  });
}
