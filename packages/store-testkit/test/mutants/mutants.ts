import { commitMutants } from "./commit-mutants.js";
import { documentMutants } from "./document-mutants.js";
import { durabilityMutants } from "./durability-mutants.js";
import { fenceMutants } from "./fence-mutants.js";
import { identityMutants } from "./identity-mutants.js";
import { itemMutants } from "./item-mutants.js";
import { leaseMutants } from "./lease-mutants.js";
import { lifecycleMutants } from "./lifecycle-mutants.js";
import { listMutants } from "./list-mutants.js";
import type { Mutant } from "./mutant.js";
import { orderMutants } from "./order-mutants.js";
import { quotaMutants } from "./quota-mutants.js";
import { randomMutants } from "./random-mutants.js";
import { removalMutants } from "./removal-mutants.js";
import { restartMutants } from "./restart-mutants.js";
import { runnableMutants } from "./runnable-mutants.js";
import { signalMutants } from "./signal-mutants.js";
import { valueMutants } from "./value-mutants.js";
import { visibilityMutants } from "./visibility-mutants.js";
import { watchMutants } from "./watch-mutants.js";

/** All broken stores, in the order of the clauses that are meant for them. */
export const mutants: readonly Mutant[] = [
  ...identityMutants,
  ...leaseMutants,
  ...fenceMutants,
  ...commitMutants,
  ...orderMutants,
  ...visibilityMutants,
  ...valueMutants,
  ...itemMutants,
  ...restartMutants,
  ...removalMutants,
  ...listMutants,
  ...runnableMutants,
  ...signalMutants,
  ...watchMutants,
  ...documentMutants,
  ...durabilityMutants,
  ...quotaMutants,
  ...lifecycleMutants,
  ...randomMutants,
];
