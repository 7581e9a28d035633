import type { Client, JsonObject, ToolInfo } from "@resumable-mcp/client";
import type { TaskQuestion } from "@resumable-mcp/protocol";
import type { BoardState } from "../model/board-state.js";
import type { BoardTask } from "../model/board-task.js";
import type { TaskBoard } from "../model/task-board.js";
import type { ExtraAction } from "../terminal-ui-options.js";
import type { Background } from "./keys/terminal-reply.js";

/** The page on which a user signs in, for as long as the sign-in waits for the browser. */
export interface SignIn {
  readonly name: "sign_in";
  readonly address: string;
  readonly url: string;
  /** Takes the address to which a browser on another machine was sent; returns whether it was the answer. */
  readonly receive: (redirected: string) => boolean;
  readonly cancel: () => void;
}

type PlainName =
  | ("opening" | "menu" | "board" | "tools" | "stats" | "session")
  | ("servers" | "add_server" | "import_servers");

/** What is on the screen. */
export type Screen =
  | { readonly [Name in PlainName]: { readonly name: Name } }[PlainName]
  | SignIn
  | { readonly name: "detail"; readonly taskId: string }
  /** `given`: the arguments of a task that is run again; else those of the last time are filled in. */
  | { readonly name: "call"; readonly tool: ToolInfo; readonly given?: JsonObject | undefined }
  | { readonly name: "answer"; readonly taskId: string; readonly question: TaskQuestion }
  | { readonly name: "page"; readonly title: string; readonly lines: readonly string[] }
  | { readonly name: "palette"; readonly taskId: string | undefined }
  | {
      readonly name: "confirm";
      readonly text: string;
      /** What it is about, where that is more than the text names. */
      readonly lines?: readonly string[];
      readonly action: () => void;
    };

/** Where the user is and how they came there; the last screen is shown. */
export type Navigation = readonly [Screen, ...Screen[]];

/** A step of the user. */
export type NavigationAction =
  | { readonly type: "open"; readonly screen: Screen }
  /** Takes the place of the present screen. */
  | { readonly type: "replace"; readonly screen: Screen }
  | { readonly type: "back" }
  /** Leads to a place by its number: what was open before it is closed. */
  | { readonly type: "visit"; readonly screen: Screen }
  /** Takes a screen away that has nothing left to show, also when another stands before it. */
  | { readonly type: "close"; readonly screen: Screen };

/** Decides where the user is next; there is always the first screen. */
export function navigate(navigation: Navigation, action: NavigationAction): Navigation {
  const [first, ...rest] = navigation;
  switch (action.type) {
    case "open":
      return [first, ...rest, action.screen];
    case "replace":
      return rest.length === 0 ? [action.screen] : [first, ...rest.slice(0, -1), action.screen];
    case "visit":
      return rest.length === 1 && rest[0]?.name === action.screen.name ? navigation : [first, action.screen];
    case "back":
      return [first, ...rest.slice(0, -1)];
    case "close":
      return [first, ...rest.filter((screen) => screen !== action.screen)];
  }
}

/** The page that lists all keys of a screen. */
export function keysPage(lines: readonly string[]): Screen {
  return { name: "page", title: "The keys of this screen", lines };
}

/** The screen that is shown. */
export function currentScreen(navigation: Navigation): Screen {
  return navigation.at(-1) ?? navigation[0];
}

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
  readonly background: Background;
  /** Hears that the terminal's background is another one. */
  readonly onBackground?: (background: Background) => void;
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
