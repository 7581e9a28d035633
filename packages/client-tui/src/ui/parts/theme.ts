import type { TaskStatus } from "@resumable-mcp/client";
import type { ForegroundColorName } from "chalk";
import { createContext, useContext } from "react";

/** How the parts of the screens look; nothing depends on colour alone. */
export interface Theme {
  readonly accent: ForegroundColorName | undefined;
  readonly muted: boolean;
  readonly error: ForegroundColorName | undefined;
  statusColor(status: TaskStatus): ForegroundColorName | undefined;
}

const statusColors: Readonly<Record<TaskStatus, ForegroundColorName | undefined>> = {
  pending: undefined,
  running: "cyan",
  paused: "yellow",
  input_required: "magenta",
  completed: "green",
  failed: "red",
  cancelled: "gray",
};

/** Creates the theme, with or without colours. */
export function createTheme(options: { readonly colors: boolean }): Theme {
  if (!options.colors) return { accent: undefined, muted: false, error: undefined, statusColor: () => undefined };
  return { accent: "cyan", muted: true, error: "red", statusColor: (status) => statusColors[status] };
}

/** The theme of the screens below. */
export const ThemeContext = createContext<Theme>(createTheme({ colors: true }));

/** Reads the theme. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
