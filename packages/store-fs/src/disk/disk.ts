import type { DocumentDisk } from "@resumable-mcp/documents";

/** What the store knows of a file or folder. */
export interface DiskStat {
  readonly size: number;
  readonly modifiedMs: number;
  readonly isFolder: boolean;
}

/** A watch that can be ended. */
export interface DiskWatch {
  close(): void;
}

/** Which folder it is, and whether names in it came or went. */
export interface FolderIdentity {
  /** Device and number. */
  readonly id: string;
  /** Differs after a folder in it was made or removed. */
  readonly state: string;
}

/** What a file system says of itself, as statfs(2) does. */
export interface FileSystem {
  /** The number of its kind. */
  readonly type: number;
  readonly bytes: number;
  /** Of them, those that this user may still write. */
  readonly freeBytes: number;
  /** Files that it can hold; 0 where it has no such limit. */
  readonly files: number;
  readonly freeFiles: number;
}

/**
 * The file system, as far as the store uses it: everything that can fail goes through here.
 *
 * Calls throw what Node throws, with its `code`. All but the syncs are synchronous on purpose: between two of them
 * nothing else of this process can happen, which is what the fencing of the journals rests on.
 */
export interface Disk extends DocumentDisk {
  /** `wx` creates exclusively; `a` appends to what may exist. Fails for a link, and waits for nothing. */
  open(path: string, flags: "r" | "r+" | "a" | "wx"): number;
  /** Gives a file a second name; fails with `EEXIST` when the name is taken. */
  link(from: string, to: string): void;
  /** As `syncData`, and lets nothing else happen meanwhile. */
  syncDataNow(file: number): void;
  /** Cuts an open file to a length. By its descriptor: another file may have its name by now. */
  truncate(file: number, length: number): void;
  /** Resolves to `undefined` for what does not exist. */
  stat(path: string): DiskStat | undefined;
  /** Tells one folder from another that takes its place; `undefined` for what does not exist. */
  identify(path: string): FolderIdentity | undefined;
  /** The path without links; what does not exist stays as it is. */
  realPath(path: string): string;
  /** What is there, and no link followed; `undefined` for what does not exist. */
  kindOf(path: string): "file" | "folder" | "link" | "other" | undefined;
  /** Tells whether there is something of this name, as far as the system lets it be seen. Throws nothing. */
  exists(path: string): boolean;
  /** The names in a folder. Fails for a link as for a file. */
  list(folder: string): readonly string[];
  /** Makes a folder and those above it, for this user alone; nothing happens when it exists. */
  makeFolder(path: string): void;
  /** Removes an empty folder. */
  removeFolder(path: string): void;
  /** Removes a folder with all that is in it. */
  removeTree(path: string): void;
  /** As `syncFolder`, and lets nothing else happen meanwhile. */
  syncFolderNow(path: string): void;
  /** The file system that holds what exists at this path, where the platform tells. */
  fileSystem(path: string): FileSystem | undefined;
  /** Tells of changes, with the name of what changed where the platform knows it. */
  watch(path: string, changed: (name: string | undefined) => void, failed: () => void): DiskWatch;
}

/** Tells whether the system refused something. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Tells whether something failed with one of these system codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}
