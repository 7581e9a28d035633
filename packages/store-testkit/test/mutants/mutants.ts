import { commitMutants } from "./journal/commit-mutants.js";
import { durabilityMutants } from "./journal/durability-mutants.js";
import { fenceMutants } from "./journal/fence-mutants.js";
import { itemMutants } from "./journal/item-mutants.js";
import { leaseMutants } from "./journal/lease-mutants.js";
import { orderMutants } from "./journal/order-mutants.js";
import { valueMutants } from "./journal/value-mutants.js";
import { visibilityMutants } from "./journal/visibility-mutants.js";
import { listMutants } from "./lists/list-mutants.js";
import { runnableMutants } from "./lists/runnable-mutants.js";
import type { Mutant } from "./mutant.js";
import { randomMutants } from "./random-mutants.js";
import { documentMutants } from "./signals/document-mutants.js";
import { signalMutants } from "./signals/signal-mutants.js";
import { watchMutants } from "./signals/watch-mutants.js";
import { artifactMutants } from "./tasks/artifact-mutants.js";
import { identityMutants } from "./tasks/identity-mutants.js";
import { lifecycleMutants } from "./tasks/lifecycle-mutants.js";
import { offerMutants } from "./tasks/offer-mutants.js";
import { ownerMutants } from "./tasks/owner-mutants.js";
import { quotaMutants } from "./tasks/quota-mutants.js";
import { removalMutants } from "./tasks/removal-mutants.js";
import { restartMutants } from "./tasks/restart-mutants.js";

/** All broken stores, in the order of the clauses that are meant for them. */
export const mutants: readonly Mutant[] = [
  ...identityMutants,
  ...leaseMutants,
  ...offerMutants,
  ...fenceMutants,
  ...commitMutants,
  ...orderMutants,
  ...visibilityMutants,
  ...valueMutants,
  ...itemMutants,
  ...artifactMutants,
  ...restartMutants,
  ...removalMutants,
  ...listMutants,
  ...runnableMutants,
  ...signalMutants,
  ...watchMutants,
  ...documentMutants,
  ...durabilityMutants,
  ...quotaMutants,
  ...ownerMutants,
  ...lifecycleMutants,
  ...randomMutants,
];
