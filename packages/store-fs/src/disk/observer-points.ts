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
  "store.signal.linked",
  "store.delete.trashed",
  "store.delete.listed",
  "store.quarantine.moved",
] as const;

/** A point at which the observer of a file store is called. */
export type ObserverPoint = (typeof observerPoints)[number];
