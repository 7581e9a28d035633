import { useEffect, useState } from "react";
import type { TaskBoard } from "../model/task-board.js";

/** Loads a value once, when its screen is opened; a failure is a notice. */
export function useLoaded<T>(load: () => Promise<T>, board: Pick<TaskBoard, "notice">): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    load().then(
      (loaded) => setValue(() => loaded),
      (error: unknown) => board.notice("error", error instanceof Error ? error.message : String(error)),
    );
  }, []);
  return value;
}
