import type { ServerConfig } from "@resumable-mcp/client";
import type { themeNames } from "./command-line/command-table.js";
import type { OnInterrupt } from "./command-line/parse-command-line.js";

/** Something that the embedding program adds to the menu, such as "kill the server". */
export interface ExtraAction {
  /** One character that is not used by the menu itself. */
  readonly key: string;
  readonly label: string;
  /** What it resolves to is shown as a notice; what it throws, as an error. */
  run(): Promise<string | undefined> | string | undefined;
}

/** What the user interface is opened with. */
export interface RunTerminalUiOptions {
  /** By default those of the last time. */
  readonly servers?: readonly ServerConfig[];
  /** By default one file per user. */
  readonly stateFile?: string;
  /** Who calls. By default the state file's own id, and on servers of this machine its user. */
  readonly clientId?: string;
  /** What Ctrl-C does to the tasks that run; by default they continue. */
  readonly onInterrupt?: OnInterrupt;
  /** Sentences and typed commands in place of screens; by default where `TERM` is `dumb` or `INK_SCREEN_READER` is `true`. */
  readonly screenReader?: boolean;
  /** The wheel moves and clicks choose; by default yes, unless `RESUMABLE_MCP_MOUSE` is `off`. */
  readonly mouse?: boolean;
  /** The colours; by default `RESUMABLE_MCP_THEME`, else those for the background that the terminal has. */
  readonly theme?: (typeof themeNames)[number];
  /** Its servers end with the user interface: what is not finished waits for the next time. */
  readonly serversEnd?: boolean;
  /** Added to the menu. */
  readonly extraActions?: readonly ExtraAction[];
}
