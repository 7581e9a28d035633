import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Resolves when whatever callers have sent by now was heard: that they give up, or that their connection ended.
 *
 * The first turn may be past its look at the sockets already, so it takes two.
 */
export async function hearCallers(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
