// What a program needs for its own options, and for tasks in a terminal. It is light: a terminal waits until it is loaded.
export { didYouMean } from "../did-you-mean.js";
export { tellHistory } from "../tasks/task-history.js";
export { formatTask, formatTasks } from "../tasks/task-text.js";
export { helpText, row } from "./help-text.js";
export type { Option } from "./option.js";
export { parseFlags } from "./parse-flags.js";
export { readDuration } from "./read-duration.js";
