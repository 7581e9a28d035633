import { engineDefaults } from "@resumable-mcp/core/engine";
import { storeQuotaDefaults } from "@resumable-mcp/core/store";
import { hostNames } from "@resumable-mcp/protocol/hosts";
import { every, flag, list, off, text, ungrouped, type ValuesOf } from "./option.js";

const seconds = (milliseconds: number) => `${milliseconds / 1_000}s`;

/** Where a store is, for servers and operators. */
export const storePlace = {
  store: text("DIR|URL", "folder of the tasks, or a database such as postgres://user@host:5432/database"),
  "store-password-file": text("FILE", "password of the database; else PGPASSWORD, PGPASSFILE or ~/.pgpass", "rest"),
  "store-schema": text("NAME", "schema of the database (resumable_mcp)", "rest"),
  keyring: text("FILE", "keys by which all contents of the store are encrypted; store new-key makes one", "rest"),
} as const;

/** What bounds a store, for servers, and for operators who ask what that refuses. */
export const storeQuotas = {
  "max-store-tasks": text(
    "N",
    `tasks in the store, finished ones included (${storeQuotaDefaults.maxStoreTasks})`,
    "settings",
  ),
  "max-store-bytes": text("SIZE", "size at which the store takes no new task, such as 20GiB (no limit)", "settings"),
  "min-free-disk": text("SIZE", "free disk below which a folder takes no new task (5 %, at most 1GiB)", "settings"),
  "max-unfinished-per-owner": list(
    "N|OWNER=N",
    `unfinished tasks of one owner (${engineDefaults.maxUnfinishedPerOwner}), such as sub:alice=5000 or session:*=100`,
    "settings",
  ),
} as const;

const settings = text("FILE", "options that are not given here (resumable.config.ts, .js or .mjs next to the module)");

const store = {
  ...storePlace,
  "store-connections": text("N", "connections of this process to the database, at least 3 (7)", "settings"),
  "store-durability": text(
    "machine|process",
    "what a checkpoint survives: loss of power, or only the death of this process (machine)",
    "settings",
  ),
} as const;

const serving = {
  "recover-after": text(
    "TIME",
    "how long a task waits for its caller after the server died, before it resumes alone: now, never, or a time (30s)",
  ),
  "version-wait": text(
    "TIME",
    `how long a task waits for its tool's version, before another continues it (${seconds(engineDefaults.versionWaitMs)})`,
    "settings",
  ),
  "control-tools": text(
    "all|minimal|none",
    "which tools that control tasks are listed; clients can call them all, but with none (as the module says, or minimal)",
    "rest",
  ),
  handoff: flag("answer long calls before the caller's time limit"),
  panel: off("hosts that show apps (MCP Apps) get no panel of tasks", "settings"),
  settings,
} as const;

const limits = {
  ...storeQuotas,
  "max-running": list(
    "N|TOOL=N",
    `tasks that run at once in this process (${engineDefaults.maxRunning}), and running tasks of one tool, such as render=2`,
  ),
  "max-running-per-owner": text("N", `running tasks of one owner (${engineDefaults.maxRunningPerOwner})`, "settings"),
  "slot-turn": text(
    "TIME",
    "after this time a task leaves its slot at its next checkpoint if another owner waits, or never (1m)",
    "settings",
  ),
  "keep-finished": list(
    "AGE|TOOL=AGE|OWNER=AGE",
    "how long finished tasks are kept (7d), such as render=1h or sub:alice=90d; the shorter age counts",
  ),
} as const;

const otlp = text(
  "URL",
  "send traces and metrics to this OpenTelemetry collector, as http://127.0.0.1:4318; its credentials come from OTEL_EXPORTER_OTLP_HEADERS",
);

/** What tells a receiver of tasks that end or ask. */
const webhook = {
  webhook: text("URL", "send a signed message here when a task fails, completes or needs input"),
  "webhook-secret-file": text("FILE", "lines with the whsec_… secrets that sign them", "rest"),
  "webhook-insecure": flag("the URL may be http to another machine", "settings"),
} as const;

/** The options of `serve http`. */
export const httpGroups = {
  serving: {
    host: text("HOST", "address to listen on (127.0.0.1)"),
    port: text("PORT", "port to listen on, 0 for any free one (8001)"),
    path: text("PATH", "path of the endpoint (/mcp)"),
    ...serving,
    ui: flag(
      "show the panel in browsers too, at /ui; where others than this machine's user may call, they need tokens",
    ),
    retry: text("TIME", "how long clients wait before they reconnect; most try twice (7.5s)", "settings"),
    "drain-retry": text("TIME", "the same for clients of a server that stops on SIGTERM (15s)", "settings"),
    "cross-stream-replay": flag(
      "a client that reconnects gets the later events of all streams of its session; the specification forbids this",
      "settings",
    ),
  },
  store: {
    ...store,
    "store-wait": text("TIME", "how long to wait at the start for a database that cannot be reached (30s)", "settings"),
  },
  access: {
    "token-file": text("FILE", 'lines of "token subject", or "sha256:HASH subject"; callers need one of these tokens'),
    "new-token": text("SUBJECT", "print a new token and its line for a token file, and exit", "rest"),
    "public-url": text("URL", "the endpoint's URL as its callers know it, as https://mcp.example.com/mcp"),
    "authorization-server": list("URL", "issuer of the tokens of this server's users, who sign in there"),
    audience: list("NAME", "what tokens must name as their audience (the public URL)", "settings"),
    "required-scope": list("NAME", "scope that every token must have", "settings"),
    "implied-scopes": list('"NAME NAME..."', "a scope, and those that it includes", "settings"),
    "jwks-url": text("URL", "keys of the authorization server, if its metadata does not name them", "settings"),
    "introspection-url": text("URL", "ask the authorization server about each token (RFC 7662)", "settings"),
    "introspection-credentials-file": text(
      "FILE",
      '"client_id client_secret" of this server for that; else in RESUMABLE_MCP_INTROSPECTION_CREDENTIALS',
      "settings",
    ),
    "ui-client-id": text("ID", "what the panel is to the authorization server; else it registers itself", "settings"),
    "operator-scope": text(
      "NAME",
      "scope of an operator's token: it sees all servers of the store, and reads the tasks of all owners",
      "settings",
    ),
    "operator-act-scope": text("NAME", "scope by which it may also pause, resume, cancel and delete them", "settings"),
    "allowed-host": list("NAME", "public host name, behind a proxy"),
    "allowed-origin": list(
      "URL",
      "origin of web pages that may call, such as http://localhost:5173; loopback: all pages of this machine",
      "rest",
    ),
    "trusted-proxy": list("ADDR", "address or network of a proxy that says who its callers are", "rest"),
    owner: text(
      "auto|session|single-user",
      "whose tasks a call without a token or a client_id reaches. auto: those of this machine's user, else of its session; session: always of its session; single-user: one user sends all of them, also through a proxy (auto)",
      "rest",
    ),
    "mask-errors": flag(
      "callers see of what a tool throws only that it failed; the default where they may be others than this machine's user, and --no-mask-errors the opposite",
      "rest",
    ),
    insecure: flag("allow an address that others can reach, without authentication"),
  },
  limits: {
    ...limits,
    "max-sessions-per-owner": text("N", "sessions of one subject; of all local callers together (10000)", "settings"),
    "max-json-values": text("N", "values and keys of one message (50000)", "settings"),
  },
  observing: {
    otlp,
    ...webhook,
    "metrics-token-file": text(
      "FILE",
      'lines of "token subject" for those who may read /metrics; else this machine\'s user alone',
      "settings",
    ),
    "log-level": text("error|warn|info|silent", "what is logged on standard error (info)", "settings"),
    "log-format": text("json|text", "of that log; text is for people (json)", "settings"),
    "audit-log": text("FILE", "a line for each request; - is standard output. Opened again on SIGHUP", "rest"),
    ...every,
  },
} as const;

/** The options of `serve stdio`. */
export const stdioGroups = {
  serving: {
    name: text("NAME", "name of the server, for its store and for its host (as the module says)"),
    ...serving,
    "mask-errors": flag("the host sees of what a tool throws only that it failed; standard error says why", "rest"),
    supervise: off("serve in this process: a crash ends the connection"),
    command: text("COMMAND", "supervise any stdio server; what is not annotated as idempotent is never repeated"),
  },
  "the host's file": {
    "print-config": text("HOST", `print what a host needs: ${hostNames.join(", ")}`),
    install: text("HOST", "write it into the host's configuration file, after showing the change"),
    uninstall: text("HOST", "take it out again"),
    scope: text("user|project", "which of the host's files (user)"),
    config: text("FILE", "another file"),
    yes: { ...flag("write without asking"), short: "y" },
  },
  store,
  limits,
  observing: { otlp, ...webhook, ...every },
} as const;

/** The options of `wrap`, in addition to those of the server that it starts. */
export const wrapGroup = {
  url: text("URL", "the server's endpoint, in place of a command"),
  "mcp-servers": text("FILE", 'several servers, as hosts write them: {"mcpServers": {"NAME": {"command": …}}}'),
  "header-file": text("FILE", 'lines of "Name: value" that are sent to it with every request, such as its token'),
  "pass-header": list(
    "NAME",
    "a header of callers over HTTP that calls of a server by URL take along; it is not stored",
  ),
  "trust-annotations": flag(
    "what the server says of its tools is true: calls of tools that only read, or that are idempotent, are made again when the server dies",
  ),
  repeat: list("TOOL=always|never", "whether calls of a tool are made again then, whatever the server says of it"),
  shared: flag("one process of the server for all users; else each user has one"),
} as const;

/** The options of `serve http`, and of `serve stdio`. */
export const httpOptions = ungrouped(httpGroups);
export const stdioOptions = ungrouped(stdioGroups);

/** What they say. */
export type HttpValues = ValuesOf<typeof httpOptions>;
export type StdioValues = ValuesOf<typeof stdioOptions>;

/** Not settings: what they ask for happens once, or says where the settings are. */
export const notSettings = [
  ...(["help", "version", "settings", "new-token", "supervise", "command", "name"] as const),
  ...(["print-config", "install", "uninstall", "scope", "config", "yes"] as const),
] as const;
