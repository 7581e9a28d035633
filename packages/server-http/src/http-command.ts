import {
  CommandError,
  controlToolsFlag,
  controlToolsUsage,
  countOf,
  durationOf,
  handleUncaughtExceptions,
  hidePassword,
  loadDatabasePackage,
  maskFlags,
  oneOf,
  onStopSignal,
  otlpUsage,
  parseFlags,
  type Quotas,
  quotaFlags,
  quotaUsage,
  readMaskErrors,
  readQuotas,
  readRecovery,
  readStorePlace,
  readStoreWait,
  recoveryFlags,
  recoverySentence,
  recoveryUsage,
  refuseFolderQuotas,
  type StopSignal,
  sentenceOf,
  storeFlags,
  storeUsage,
  storeWaitUsage,
  wholeNumber,
} from "@resumable-mcp/command-line";
import type { Store } from "@resumable-mcp/core";
import { engineDefaults } from "@resumable-mcp/core/engine";
import { type SessionLimits, sessionLimits } from "@resumable-mcp/mcp";
import { listedControlTools } from "@resumable-mcp/protocol";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { readKeyringFile, withEncryption } from "@resumable-mcp/store-encryption";
import { createFsStore } from "@resumable-mcp/store-fs";
import { authFlags, authUsage, readAuth } from "./auth/auth-flags.js";
import { newToken, type TokenFile } from "./auth/token-file.js";
import { httpLimits } from "./http-limits.js";
import { loadDefinition } from "./load-definition.js";
import type { OwnerMode } from "./locality.js";
import { stackOf } from "./log.js";
import { logFlags, logUsage, readLogs } from "./log-flags.js";
import { type RunningServer, type ServeOptions, serve } from "./serve.js";
import { metricsUsage, openTelemetry, telemetryFlags } from "./telemetry/open-telemetry.js";
import { readUi, uiFlags, uiUsage } from "./ui/ui-flags.js";

/** The version of this package, which the build and the test runner put here. */
declare const RESUMABLE_MCP_VERSION: string;

const usage = `Usage: resumable-mcp serve http MODULE [OPTIONS]     (installed alone: resumable-mcp-http MODULE [OPTIONS])
  --host HOST            address to listen on (127.0.0.1)
  --port PORT            port to listen on, 0 for any free one (8001)
  --path PATH            path of the endpoint (/mcp)
${storeUsage(".resumable-mcp")}
${storeWaitUsage}
${recoveryUsage}
${controlToolsUsage}
  --handoff              answer long calls before the caller's time limit
  --retry TIME           how long clients wait before they reconnect; most try twice, so that a call survives
                         an outage of up to twice this time (${seconds("retryMs")})
  --drain-retry TIME     the same for clients of a server that stops on SIGTERM (${seconds("drainRetryMs")})
  --cross-stream-replay  a client that reconnects gets the later events of all streams of its session;
                         the specification forbids this
${authUsage}
  --allowed-host NAME    public host name, behind a proxy; may be repeated
  --allowed-origin URL   origin of web pages that may call, such as http://localhost:5173; may be repeated;
                         loopback: all pages that this machine serves
${quotaUsage}
  --max-sessions-per-owner N
                         sessions of one subject; of all local callers without a token together (10000)
  --trusted-proxy ADDR   address or network of a proxy that says who its callers are; may be repeated
  --max-json-values N    values and keys of one message (50000)
  --owner auto|session   whose tasks a call without a token or a client_id reaches. auto: those of this machine's
                         user if only this machine can have sent it, else those of its session. session: always
                         those of its session (auto)
  --single-user          all calls without a token or a client_id come from one user, also through a proxy
  --mask-errors          callers see of what a tool throws only that it failed, and under which id the log says
                         why; the default where callers may be others than this machine's user
  --no-mask-errors       callers see what a tool throws
${otlpUsage}
${metricsUsage}
${logUsage}
${uiUsage}
  --insecure             allow an address that others can reach, without authentication
  --version              print the version of this program`;

const flags = {
  host: { type: "string" },
  port: { type: "string" },
  path: { type: "string" },
  ...storeFlags,
  "store-wait": { type: "string" },
  ...recoveryFlags,
  ...controlToolsFlag,
  handoff: { type: "boolean" },
  ...authFlags,
  ...telemetryFlags,
  ...uiFlags,
  "allowed-host": { type: "string", multiple: true },
  "allowed-origin": { type: "string", multiple: true },
  owner: { type: "string" },
  "single-user": { type: "boolean" },
  insecure: { type: "boolean" },
  ...maskFlags,
  ...logFlags,
  ...quotaFlags,
  retry: { type: "string" },
  "drain-retry": { type: "string" },
  "cross-stream-replay": { type: "boolean" },
  "max-sessions-per-owner": { type: "string" },
  "max-json-values": { type: "string" },
  "trusted-proxy": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** The command-line program: serves a tools module until SIGINT or SIGTERM. */
export async function runHttpCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseFlags(args, flags, usage);
  const [module, ...rest] = positionals;
  if (values.help === true || values.version === true) {
    process.stdout.write(`${values.help === true ? usage : RESUMABLE_MCP_VERSION}\n`);
    return;
  }
  if (values["new-token"] !== undefined) {
    const { token, line } = newToken(values["new-token"]);
    process.stdout.write(`token, shown this once: ${token}\nline for the token file: ${line}\n`);
    return;
  }
  if (module === undefined || rest.length > 0) throw new CommandError(`Name one tools module.\n${usage}`, 2);
  hidePassword("resumable-mcp-http", values.store);
  const place = readStorePlace(values, ".resumable-mcp");
  const waitMs = readStoreWait(values["store-wait"]);
  const port = wholeNumber("port", values.port ?? "8001", { min: 0, max: 65_535 });
  const recovery = readRecovery(values);
  const quotas = readQuotas(values);
  const maxSessionsPerOwner = countOf("max-sessions-per-owner", values["max-sessions-per-owner"]);
  const maxJsonValues = countOf("max-json-values", values["max-json-values"]);
  const definition = await loadDefinition(module, values);
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
    maskErrors: readMaskErrors(values),
    ownerMode: readOwnerMode(values),
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
    (error, taskId) => log("error", `Uncaught exception: ${sentenceOf(error)}`, { id: taskId, stack: stackOf(error) }),
    httpLimits.drainTimeoutMs,
  );
  // Before the server waits for its database: without a listener the signal would end the process.
  const stopSignals = reloadOnSignal(tokenFile, reopen);
  const server = await serve({ ...options, runAttempt: exceptions.runAttempt });
  exceptions.release = (leave) => server.release(leave).finally(telemetry.shutdown);
  stopAtSignal(stopSignals, () => server.close().finally(telemetry.shutdown));
  process.on("unhandledRejection", (error) => log("error", `Unhandled rejection of a promise: ${sentenceOf(error)}`));
  process.stderr.write(harmlessLines(banner(options, server)));
}

interface CreateStoreOptions {
  readonly quotas: Quotas;
  readonly waitMs: number;
  readonly keyring: string | undefined;
  readonly onWarning: (message: string) => void;
}

/** A database may start at the same moment as this program; a folder is there or not. */
async function createStore(
  place: ReturnType<typeof readStorePlace>,
  { quotas, waitMs, keyring: path, onWarning }: CreateStoreOptions,
): Promise<Pick<ServeOptions, "store" | "storeWait">> {
  const keyring = path === undefined ? undefined : await readKeyringFile(path);
  const encrypted = (store: Store) => (keyring === undefined ? store : withEncryption(store, keyring));
  if ("directory" in place) {
    const limits = { ...quotas.store, ...quotas.folder };
    return { store: encrypted(createFsStore({ ...place, limits, onWarning })) };
  }
  refuseFolderQuotas(quotas);
  const { createPostgresStore, isServerAway } = await loadDatabasePackage(
    () => import("@resumable-mcp/store-postgres"),
  );
  const store = createPostgresStore({ ...place, limits: { ...place.limits, ...quotas.store }, onWarning });
  return { store: encrypted(store), storeWait: { waitMs, isServerAway } };
}

function seconds(limit: "retryMs" | "drainRetryMs"): string {
  return `${sessionLimits[limit] / 1_000}s`;
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
  flags: { readonly retry?: string | undefined; readonly "drain-retry"?: string | undefined },
  fd: number | undefined,
): Partial<Pick<SessionLimits, "retryMs" | "drainRetryMs">> {
  const retryMs = durationOf("retry", flags.retry, { maxMs: maxRetryMs });
  const drainRetryMs = durationOf("drain-retry", flags["drain-retry"], { maxMs: maxRetryMs });
  return {
    ...(fd === undefined ? {} : onPassedSocket),
    ...(retryMs === undefined ? {} : { retryMs }),
    ...(drainRetryMs === undefined ? {} : { drainRetryMs }),
  };
}

function readOwnerMode(values: { readonly owner?: string; readonly "single-user"?: boolean }): OwnerMode {
  const mode = oneOf("owner", values.owner ?? "auto", ["auto", "session"]);
  if (values["single-user"] !== true) return mode;
  if (values.owner === undefined) return "single-user";
  throw new CommandError("--owner and --single-user exclude each other. Give one of them.", 2);
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
  const controls = listedControlTools(definition.controlTools);
  const others = controls.length === 0 ? "" : `control tools: ${controls.join(", ")}\n`;
  const unfinished = recoverySentence(recovery, engineLimits?.recoverAfterMs ?? engineDefaults.recoverAfterMs);
  const panel = ui === undefined ? "" : `panel: ${new URL("/ui", url).href}\n`;
  return `${definition.name} ${definition.version}\n${tools.join("")}${others}owner: ${owner}\n${unfinished}\n${panel}listening on ${url}\n`;
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
        process.stderr.write(`${harmlessLines(sentenceOf(error))}\n`);
        process.exit(1);
      },
    );
  });
}
