import { randomClauses } from "../random/random-sequence.js";
import type { Clause } from "../scene.js";
import { commitClauses } from "./commit.js";
import { documentClauses } from "./document.js";
import { durabilityClauses } from "./durability.js";
import { fenceClauses } from "./fence.js";
import { identityClauses } from "./identity.js";
import { itemClauses } from "./items.js";
import { leaseClauses } from "./lease.js";
import { lifecycleClauses } from "./lifecycle.js";
import { listClauses } from "./list.js";
import { orderClauses } from "./order.js";
import { quotaClauses } from "./quota.js";
import { removalClauses } from "./removal.js";
import { restartClauses } from "./restart.js";
import { runnableClauses } from "./runnable.js";
import { signalClauses } from "./signal.js";
import { valueClauses } from "./value.js";
import { visibilityClauses } from "./visibility.js";
import { watchClauses } from "./watch.js";

/** The whole store contract, in the order of `docs/store-contract.md`. */
export const clauses: readonly Clause[] = [
  ...identityClauses,
  ...leaseClauses,
  ...fenceClauses,
  ...commitClauses,
  ...orderClauses,
  ...visibilityClauses,
  ...valueClauses,
  ...itemClauses,
  ...restartClauses,
  ...removalClauses,
  ...listClauses,
  ...runnableClauses,
  ...signalClauses,
  ...watchClauses,
  ...documentClauses,
  ...durabilityClauses,
  ...quotaClauses,
  ...lifecycleClauses,
  ...randomClauses,
];
