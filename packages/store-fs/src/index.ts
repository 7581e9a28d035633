export { createFsStore } from "./create-fs-store.js";
export type { Disk, DiskStat, DiskWatch, FolderIdentity } from "./disk.js";
export type {
  CheckedFsStore,
  CheckFsStoreOptions,
  FsStoreProblem,
  RepairedProblem,
} from "./doctor/check-fs-store.js";
export { checkFsStore, repairFsStore } from "./doctor/check-fs-store.js";
export type { ProblemKind } from "./doctor/problem.js";
export type { FsStoreOptions } from "./fs-store-options.js";
export type { FsStoreLimits } from "./limits.js";
export { fsStoreDefaults } from "./limits.js";
export { nodeDisk } from "./node-disk.js";
export type { ObserverPoint } from "./observer-points.js";
export { observerPoints } from "./observer-points.js";
export type { Host, ProcessIdentity } from "./platform.js";
export { createHost } from "./platform.js";
