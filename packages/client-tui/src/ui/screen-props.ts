import type { Client } from "@resumable-mcp/client";
import type { BoardState } from "../model/board-state.js";
import type { BoardTask } from "../model/board-task.js";
import type { TaskBoard } from "../model/task-board.js";
import type { ExtraAction } from "../terminal-ui-options.js";
import type { NavigationAction, Screen } from "./navigation.js";

/** The size of the terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

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

/** What every screen is drawn from; its size is what header, notice and keys leave. */
export interface ScreenProps extends AppProps, ScreenSize {
  readonly screen: Screen;
  readonly state: BoardState;
  readonly unfinished: readonly BoardTask[];
  readonly go: (action: NavigationAction) => void;
  readonly nowMs: number;
}

/** What the screen of a name is drawn from. */
export type PropsOf<Name extends Screen["name"]> = ScreenProps & {
  readonly screen: Extract<Screen, { readonly name: Name }>;
};
