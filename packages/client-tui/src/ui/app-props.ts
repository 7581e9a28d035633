import type { Client } from "@resumable-mcp/client";
import type { TaskBoard } from "../model/task-board.js";
import type { ExtraAction } from "./extra-action.js";
import type { ScreenSize } from "./use-screen-size.js";

/** What the whole user interface is made from. */
export interface AppProps {
  readonly client: Client;
  readonly board: TaskBoard;
  readonly extraActions: readonly ExtraAction[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onExit: (reason: "quit" | "interrupt") => void;
  /** Instead of the terminal's size, for tests. */
  readonly size?: ScreenSize;
}
