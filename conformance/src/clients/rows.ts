import { callRows } from "./call-rows.js";
import { eraRows } from "./era-rows.js";
import { questionRows } from "./question-rows.js";
import type { Row } from "./row.js";

/** All that is shown, in the order of the tables. */
export const rows: readonly Row[] = [...callRows, ...questionRows, ...eraRows];
