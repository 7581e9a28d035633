import type { OnInterrupt } from "./command-line/parse-command-line.js";

/** What becomes of unfinished tasks when the user leaves; `stop`: their server ends, too. */
export type TaskFate = OnInterrupt | "stop";

/** What the user reads of so many unfinished tasks after the screens. */
export function farewell(count: number, fate: TaskFate): string {
  const [subject, is] = count === 1 ? ["1 task", "is"] : [`${count} tasks`, "are"];
  switch (fate) {
    case "detach":
      return `${subject} ${count === 1 ? "continues" : "continue"} without you. Come back with: resumable-mcp\n`;
    case "stop":
      return `${subject} ${is} not finished. The server stops now; start it again to continue from the last checkpoint.\n`;
    case "pause":
      return `${subject} ${is} not finished; what ran was asked to pause. Come back with: resumable-mcp\n`;
    case "cancel":
      return `${subject} ${count === 1 ? "was" : "were"} not finished; what ran was cancelled.\n`;
  }
}
