import { randomClauses } from "../random/random-sequence.js";
import type { Clause } from "../scene.js";
import { artifactClauses } from "./artifact.js";
import { commitClauses } from "./commit.js";
import { documentClauses } from "./document.js";
import { durabilityClauses } from "./durability.js";
import { itemClauses, restartClauses } from "./generation.js";
import { identityClauses } from "./identity.js";
import { fenceClauses, leaseClauses } from "./lease.js";
import { lifecycleClauses } from "./lifecycle.js";
import { listClauses } from "./list.js";
import { offerClauses } from "./offer.js";
import { ownerClauses } from "./owner.js";
import { quotaClauses } from "./quota.js";
import { orderClauses, visibilityClauses } from "./reading.js";
import { removalClauses } from "./removal.js";
import { runnableClauses } from "./runnable.js";
import { signalClauses } from "./signal.js";
import { valueClauses } from "./value.js";
import { watchClauses } from "./watch.js";

/** The whole store contract, in the order of `docs/store-contract.md`. */
export const clauses: readonly Clause[] = [
  ...identityClauses,
  ...leaseClauses,
  ...offerClauses,
  ...fenceClauses,
  ...commitClauses,
  ...orderClauses,
  ...visibilityClauses,
  ...valueClauses,
  ...itemClauses,
  ...artifactClauses,
  ...restartClauses,
  ...removalClauses,
  ...listClauses,
  ...runnableClauses,
  ...signalClauses,
  ...watchClauses,
  ...documentClauses,
  ...durabilityClauses,
  ...quotaClauses,
  ...ownerClauses,
  ...lifecycleClauses,
  ...randomClauses,
];
