import type { BoardState } from "../model/board-state.js";
import type { LiveTask } from "../model/live-task.js";
import type { AppProps } from "./app-props.js";
import type { NavigationAction, Screen } from "./navigation.js";

/** What every screen is drawn from. */
export interface ScreenProps extends AppProps {
  readonly screen: Screen;
  readonly state: BoardState;
  readonly unfinished: readonly LiveTask[];
  readonly go: (action: NavigationAction) => void;
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
}
