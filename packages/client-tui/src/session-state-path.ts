import { resolve } from "node:path";

/** Where the walkthrough's client leaves its state (feature 45): in the folder in which it runs. */
export function sessionStatePath(folder = process.cwd()): string {
  return resolve(folder, "session_state.json");
}
