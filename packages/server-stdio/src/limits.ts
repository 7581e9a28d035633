/** Every limit of the supervisor, with its unit in its name. */
export const supervisorLimits = {
  /** Deaths of the server within `crashWindowMs`, after which the supervisor gives up. */
  maxCrashes: 8,
  crashWindowMs: 60_000,
  /** Before the server is started again; doubled for every death within the window. */
  restartDelayMs: 50,
  maxRestartDelayMs: 5_000,
  /** Requests in flight; more are refused. */
  maxPending: 1_000,
  /** Pages of a server's list of tools that are read; tools of later ones are never delivered twice. */
  maxToolPages: 100,
  /** How long a call waits for the list of tools that says whether its argument `client_id` names its client. */
  toolListTimeoutMs: 10_000,
  /** Servers that are given the same request, where no task of its own counts its deaths. */
  maxDeliveries: 4,
  /** Of one line. */
  maxLineBytes: 64 * 1024 * 1024,
  /** How long the server may take to stop. */
  drainTimeoutMs: 10_000,
  /** What it gets beyond that before it is killed. */
  killAfterMs: 2_000,
  /** How long a dead server's output stays open with nothing to read in it: a child of that server may hold it without end. */
  lastWordsMs: 1_000,
  /** Of the stack of what a tool threw, in characters, in a line on standard error. */
  maxStackLength: 4_000,
} as const;

/** Limits of the supervisor, as numbers. */
export type SupervisorLimits = { readonly [Name in keyof typeof supervisorLimits]: number };

/** Limits of changing hosts' configuration files. */
export const installLimits = {
  /** Of a configuration file that is changed. */
  maxConfigBytes: 64 * 1024 * 1024,
  /** Of one file. */
  maxBackups: 100,
} as const;
