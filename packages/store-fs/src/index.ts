export type { FsStoreOptions } from "./create-fs-store.js";
export { createFsStore } from "./create-fs-store.js";
export type { Disk } from "./disk/disk.js";
export type { FsStoreLimits } from "./disk/limits.js";
export { fsStoreDefaults } from "./disk/limits.js";
export { nodeDisk } from "./disk/node-disk.js";
export type { Host, ProcessIdentity } from "./disk/platform.js";
export { createHost } from "./disk/platform.js";
export { observerPoints } from "./disk/store-context.js";
