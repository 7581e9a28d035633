import { formatDuration, type ProgressNumbers, progressNumbers } from "@resumable-mcp/protocol/display";
import { cutText, plainText, textWidth } from "./plain-text.js";

export { formatDuration, progressNumbers };

/** The contents of a progress line. */
export interface ProgressFacts extends ProgressNumbers {
  readonly name: string;
  readonly message?: string;
  readonly elapsedMs?: number;
}

const mostBarColumns = 20;
const leastBarColumns = 5;

/** Columns of the part that moves where the end is unknown. */
const movingColumns = 3;

/**
 * Draws a bar of so many columns. Without a known percentage it is a line of dots, in which a part goes back and forth while
 * a `phase` is given that grows.
 */
export function progressBar(percent: number | undefined, columns: number, phase?: number): string {
  if (percent === undefined) return phase === undefined ? "·".repeat(columns) : movingBar(columns, phase);
  const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * columns);
  return "█".repeat(full) + "░".repeat(columns - full);
}

function movingBar(columns: number, phase: number): string {
  const part = Math.min(movingColumns, columns);
  const span = columns - part;
  const step = span === 0 ? 0 : phase % (2 * span);
  const before = Math.min(step, 2 * span - step);
  return "·".repeat(before) + "▒".repeat(part) + "·".repeat(span - before);
}

/** One line of at most so many columns: `name ████░░ 30% (15/50) message 12s`. The message gives way first. */
export function progressLine(facts: ProgressFacts, columns: number): string {
  const elapsed = facts.elapsedMs === undefined ? "" : formatDuration(facts.elapsedMs);
  const numbers = progressNumbers(facts);
  const name = cutText(plainText(facts.name), Math.max(8, Math.floor(columns / 3)));
  const fixed = [name, numbers, elapsed].filter((part) => part !== "");
  const used = fixed.reduce((sum, part) => sum + textWidth(part) + 1, 0);
  const bar = Math.min(mostBarColumns, Math.floor(columns / 8), columns - used - 1);
  const room = columns - used - (bar >= leastBarColumns ? bar + 1 : 0);
  const message = cutText(plainText(facts.message ?? ""), Math.max(0, room - 1));
  const parts = [
    name,
    bar >= leastBarColumns ? progressBar(facts.percent, bar, facts.progress) : "",
    numbers,
    message,
    elapsed,
  ];
  return cutText(parts.filter((part) => part !== "").join(" "), columns);
}
