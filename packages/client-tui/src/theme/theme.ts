import type { TaskStatus } from "@resumable-mcp/client";

/** How the parts of the screens look; nothing is told by colour alone. */
export interface Theme {
  readonly accent: string | undefined;
  readonly muted: boolean;
  readonly error: string | undefined;
  statusColor(status: TaskStatus): string | undefined;
}

const statusColors: Readonly<Record<TaskStatus, string | undefined>> = {
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
