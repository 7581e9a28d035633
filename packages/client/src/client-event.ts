import type { Json } from "./json.js";
import type { Question, TaskStatus } from "./tasks/task-info.js";

/** What somebody who follows a call sees, in order, each thing once. */
export type ClientEvent =
  | {
      readonly type: "progress";
      readonly progress: number;
      readonly total?: number;
      /** 0 to 100, where the total is known. */
      readonly percent?: number;
      readonly message?: string;
      /** Place in the task's journal; absent on servers without tasks. */
      readonly seq?: number;
      /** Stands for everything before it, which is not told again. */
      readonly snapshot?: true;
      /** The task began anew, so progress is lower than before. */
      readonly restarted?: true;
    }
  | {
      readonly type: "log";
      readonly level: string;
      readonly data: Json;
      readonly seq?: number;
    }
  | { readonly type: "status"; readonly status: TaskStatus }
  | { readonly type: "question"; readonly question: Question }
  | {
      readonly type: "reconnecting";
      readonly attempt: number;
      readonly nextDelayMs: number;
      readonly reason: string;
    }
  | { readonly type: "reconnected" }
  | { readonly type: "session_changed"; readonly previous: string; readonly sessionId?: string }
  /** The reader was so far behind that this many log messages had to be left out. */
  | { readonly type: "dropped"; readonly count: number };
