import type { Client } from "@resumable-mcp/client";
import type { TaskBoard } from "../model/task-board.js";
import type { ExtraAction } from "./extra-action.js";
import type { ScreenSize } from "./screen-size.js";

/** What the whole user interface is made from. */
export interface AppProps {
  readonly client: Client;
  readonly board: TaskBoard;
  readonly extraActions: readonly ExtraAction[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Puts a text where the terminal's user can paste it from. */
  readonly copy: (text: string) => void;
  readonly onExit: (reason: "quit" | "interrupt") => void;
  /** The size of the terminal. */
  readonly size: ScreenSize;
}
