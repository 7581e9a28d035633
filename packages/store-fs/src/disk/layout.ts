import { createHash } from "node:crypto";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { NumberedFiles } from "./numbered-files.js";

/** The layout that this version reads and writes. */
export const layoutVersion = 3;

/** Names the places of a store's folder. */
export function makeLayout(directory: string) {
  return {
    directory,
    format: join(directory, "format.json"),
    tasks: join(directory, "tasks"),
    keys: join(directory, "keys"),
    owners: join(directory, "owners"),
    open: join(directory, "open"),
    done: join(directory, "done"),
    workers: join(directory, "workers"),
    documents: join(directory, "documents"),
    quarantine: join(directory, "quarantine"),
    trash: join(directory, "trash"),
    /** The id of a task is appended whenever it may have become runnable, so that other processes look. */
    notifications: join(directory, "notifications"),
    /** What a process knew of unfinished tasks, for the next one. */
    openTasks: join(directory, "open.jsonl"),
  } as const;
}

/** Where things are in a store's folder. */
export type Layout = ReturnType<typeof makeLayout>;

/** The folder that holds a task's folder: 256 of them, so that none becomes large. */
export function shardFolder(layout: Layout, taskId: string): string {
  return join(layout.tasks, (crc32(taskId) & 0xff).toString(16).padStart(2, "0"));
}

/** The folder of one task. */
export function taskFolder(layout: Layout, taskId: string): string {
  return join(shardFolder(layout, taskId), taskId);
}

/** The journal of a task, a file for each epoch. */
export const journalFiles = new NumberedFiles("journal.", ".jsonl");

/** The claims that share a folder of `keys/`. */
export const claimFiles = new NumberedFiles("", "");

/** The places that share a folder of `owners/`. */
export const placeFiles = new NumberedFiles("", "");

/** The versions of a document. */
export const versionFiles = new NumberedFiles("", ".json");

/** The file of one epoch. */
export function journalName(epoch: number): string {
  return journalFiles.nameOf(epoch);
}

/** Present while its holder has the lease of this epoch; removing it needs no space on the disk. */
export function leaseName(epoch: number, holder: string): string {
  return `lease.${epoch}.${holder}`;
}

/** Present while nothing changed in the folder that the holder of this lease has not seen. */
export function quietName(leaseFile: string): string {
  return leaseFile.replace(/^lease/, "quiet");
}

const safeName = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Names a worker of one opened store: the name of its file, and of its leases. A later process that gives its worker
 * the same name does not bring the leases of a dead one back to life.
 */
export function holderName(worker: string, instance: string): string {
  return `${fileName(worker)}.${instance}`;
}

/** A text from outside as a file name. */
export function fileName(text: string): string {
  return safeName.test(text) ? text : `h${hashText(text).slice(0, 40)}`;
}

/** A SHA-256 in hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const idPattern = /^[A-Za-z0-9_-]{16,64}$/;

/** Tells whether a task's id may become part of a path. */
export function isSafeId(id: string): boolean {
  return idPattern.test(id);
}
