import type { StoreContext } from "../../disk/store-context.js";
import { moveAside } from "./move-aside.js";
import type { Problem } from "./problem.js";

/** A file that is younger may be on its way to its place. */
const draftAgeMs = 10 * 60_000;

/** A file that never came to its place, if it is old enough. */
export function leftDraft({ disk }: StoreContext, path: string): readonly Problem[] {
  const ageMs = Date.now() - (disk.stat(path)?.modifiedMs ?? Date.now());
  if (ageMs < draftAgeMs) return [];
  const message = "a file whose process died before it came to its place";
  return [{ kind: "leftover", severity: "harmless", path, message, remedy: moveAside(path, message) }];
}
