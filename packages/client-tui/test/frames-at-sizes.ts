import type { TaskInfo } from "@resumable-mcp/client";
import { large, least, usual } from "./draw.js";
import { fakeTask } from "./fake-client.js";
import { type OpenScreensOptions, openScreens } from "./open-screens.js";

export type Screens = ReturnType<typeof openScreens>;
/** Keys, each pressed when a text is there, and what happens elsewhere meanwhile. */
export type Way = readonly (readonly [text: string, key: string | ((screens: Screens) => void)])[];

/** What a user comes to by a way through the screens, at each of the three sizes: 80×24, 120×40 and 40×10. */
export async function frames(tasks: readonly TaskInfo[], way: Way, end: string, options: OpenScreensOptions = {}) {
  const shown = [];
  for (const size of [usual, large, least]) {
    const screens = openScreens(tasks, { ...options, size });
    for (const [text, next] of way) {
      await screens.until(text);
      if (typeof next === "string") screens.press(next);
      else next(screens);
    }
    shown.push(await screens.until(end));
  }
  return shown;
}

/** Three calls of one tool, which differ in what they were called with. */
export const alike = ["berlin.csv", "paris.csv", "rome.csv"].map((label, index) =>
  fakeTask(`task-${index}`, { tool: "convert_files", label, createdAt: `2026-11-21T09:00:0${3 - index}.000Z` }),
);
