import type { Bug } from "./bug.js";
import { databaseBugs } from "./database-bugs.js";
import { deliveryBugs } from "./delivery-bugs.js";
import { durabilityBugs } from "./durability-bugs.js";
import { recoveryBugs } from "./recovery-bugs.js";
import { waitingBugs } from "./waiting-bugs.js";

/**
 * Defects that the simulator has to find: those of durability, delivery and waiting that were fixed before, as far as they
 * can exist in it, and others of the same kinds.
 */
export const bugs: readonly Bug[] = [
  ...durabilityBugs,
  ...waitingBugs,
  ...deliveryBugs,
  ...recoveryBugs,
  ...databaseBugs,
];
