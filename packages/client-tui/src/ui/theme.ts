import type { TaskStatus } from "@resumable-mcp/protocol";
import type { ForegroundColorName } from "chalk";
import { createContext, useContext } from "react";
import type { Background } from "./keys/terminal-reply.js";

/** The colours of the screens; nothing depends on them alone. */
export interface Theme {
  readonly status: Readonly<Record<TaskStatus, ForegroundColorName | undefined>>;
  readonly accent: ForegroundColorName;
}

const dark: Theme = {
  status: {
    pending: undefined,
    running: "cyan",
    paused: "yellow",
    input_required: "magenta",
    completed: "green",
    failed: "red",
    cancelled: "gray",
  },
  accent: "cyan",
};

/** The colours for each background: yellow and cyan cannot be read on white. */
export const themes: Readonly<Record<Background, Theme>> = {
  dark,
  light: { status: { ...dark.status, running: "blue", paused: undefined }, accent: "blue" },
};

/** The theme of the screens below it. */
export const ThemeContext = createContext(themes.dark);

/** The colours for the present background. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
