export type { CrashChoices, DataLoss } from "./testing/crash-image.js";
export { crashImage } from "./testing/crash-image.js";
export type { FileNode, FolderNode } from "./testing/memory-disk.js";
export { copyTree, emptyTree, MemoryDisk, withoutStack } from "./testing/memory-disk.js";
export type { DiskEvent, Recording } from "./testing/recording-disk.js";
export { recordDisk, SyncLost } from "./testing/recording-disk.js";
