import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { withDefaults } from "@resumable-mcp/core/internal";
import type { Disk } from "./disk.js";
import { FileSyncs } from "./file-syncs.js";
import { type Layout, makeLayout } from "./layout.js";
import { type FsStoreLimits, fsStoreDefaults } from "./limits.js";
import { nodeDisk } from "./node-disk.js";

/** How a store's context is made; all but the directory has a default. */
export interface ContextOptions
  extends Partial<Pick<StoreContext, "disk" | "instance" | "warn" | "observe" | "unique">> {
  readonly directory: string;
  readonly durable: boolean;
  readonly limits?: Partial<FsStoreLimits>;
  readonly readOnly?: boolean;
}

/** Makes the context of one opened store. */
export function createContext(options: ContextOptions): StoreContext {
  const unique = options.unique ?? (() => randomBytes(9).toString("base64url"));
  const disk = options.disk ?? nodeDisk;
  return {
    // A store follows no link, but for the one that its user names.
    layout: makeLayout(disk.realPath(resolve(options.directory))),
    disk,
    syncs: new FileSyncs(disk),
    durable: options.durable,
    limits: withDefaults<FsStoreLimits>(fsStoreDefaults, options.limits),
    instance: options.instance ?? unique(),
    readOnly: options.readOnly ?? false,
    warn: options.warn ?? (() => {}),
    observe: options.observe ?? (() => {}),
    unique,
  };
}

/** What every part of one opened store shares. */
export interface StoreContext {
  readonly layout: Layout;
  readonly disk: Disk;
  readonly syncs: FileSyncs;
  /** A commit survives the loss of power: every acknowledgement waits for its sync. */
  readonly durable: boolean;
  readonly limits: FsStoreLimits;
  /** Names this opened store among all that ever used the folder. */
  readonly instance: string;
  /** Nothing is repaired, set aside or taken over. */
  readonly readOnly: boolean;
  /** Receives a sentence for the operator on what was found and repaired. */
  readonly warn: (message: string) => void;
  readonly observe: (point: ObserverPoint, taskId?: string) => void;
  /** Makes a name that no other process makes. */
  readonly unique: () => string;
}

/** Named points at which the observer is called, in the order in which an operation reaches them. */
export const observerPoints = [
  "store.create.prepared",
  "store.create.published",
  "store.create.linked",
  "store.create.claimed",
  "store.create.synced",
  "store.takeover.announced",
  "store.takeover.read",
  "store.takeover.sealed",
  "store.takeover.synced",
  "store.commit.before",
  "store.commit.keyed",
  "store.commit.appended",
  "store.commit.synced",
  "store.rotate.sealed",
  "store.compact.written",
  "store.compact.removed",
  "store.record.written",
  "store.record.renamed",
  "store.done.appended",
  "store.done.closed",
  "store.artifact.appended",
  "store.signal.linked",
  "store.delete.trashed",
  "store.delete.listed",
  "store.quarantine.moved",
] as const;

/** A point at which the observer of a file store is called. */
export type ObserverPoint = (typeof observerPoints)[number];
