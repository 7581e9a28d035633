/** The exit codes of the program; they are part of its interface and do not change. */
export const exitCodes = {
  ok: 0,
  /** The tool failed, or the server refused what was asked. */
  failed: 1,
  /** The command line is wrong, or there is no terminal to draw on. */
  usage: 2,
  /** A server does not answer, also where others do, or it is not an MCP server, or it refuses this client. */
  unreachable: 3,
  /** There is no such task, tool or server. */
  notFound: 4,
  /** The task is paused. */
  paused: 5,
  /** The task needs input. */
  inputRequired: 6,
  /** The task is not finished: `--timeout` is over, or `result` came too early. */
  unfinished: 7,
  cancelled: 8,
  /** The state file cannot be used. */
  state: 9,
  /** SIGHUP: the terminal was closed. */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

/** A command line that cannot be carried out: the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
