import { basename, dirname } from "node:path";
import { emptyTree, type FileTree, type FolderNode, nodeAt, resized, withWritten } from "./memory-disk.js";
import type { DiskEvent } from "./recording-disk.js";

/** What becomes of a change that was not synced when power was lost. */
export interface CrashChoices {
  /** Whether a name that was made, moved or removed is as it was after that. */
  keepsName(): boolean;
  /** What is left of bytes that were written. */
  dataLoss(): DataLoss;
}

interface FileState {
  readonly kind: "file";
  readonly original: Buffer;
  readonly changes: DataChange[];
  /** As programs saw it. */
  length: number;
}

interface FolderState {
  readonly kind: "folder";
  /** As programs saw it. */
  readonly names: Map<string, NodeState>;
  readonly original: ReadonlyMap<string, NodeState>;
}

type NodeState = FileState | FolderState;

interface DataChange extends Syncable {
  readonly apply: (bytes: Buffer, loss: DataLoss) => Buffer;
}

interface Slot {
  readonly folder: FolderState;
  readonly name: string;
  readonly node: NodeState | undefined;
}

interface Syncable {
  isSynced: boolean;
  /** A sync that covered it failed, and later ones do not write it. */
  isLost?: boolean;
}

/** A change of names: both of a rename, which happens as a whole or not at all. */
interface NameChange extends Syncable {
  readonly slots: readonly Slot[];
  /** A sync of this folder makes it durable. */
  readonly durableBy: FolderState;
}

/**
 * Makes one of the states in which a loss of power could leave a disk, as POSIX allows it: what was written to a file
 * and not synced is there, lost, torn or zeros, each write for itself; a name is there only for sure when its folder was
 * synced after it, whatever happened to other names; a rename happens as a whole or not at all.
 *
 * Source: Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014), section 3; Mohan et al., "Finding
 * Crash-Consistency Bugs with Bounded Black-Box Crash Testing" (OSDI 2018).
 *
 * @param base the disk before the first event, all of it durable.
 * @param events what had happened when power was lost.
 */
export function crashImage(base: FolderNode, events: readonly DiskEvent[], choices: CrashChoices): FolderNode {
  const replay = new Replay(base);
  for (const event of events) replay.add(event);
  return replay.image(choices);
}

/** Follows what happened, and what of it is durable. */
class Replay {
  readonly #root: FolderState;
  readonly #openings = new Map<number, FileState>();
  readonly #changes: NameChange[] = [];
  readonly #syncs = new Map<number, readonly Syncable[]>();

  constructor(base: FolderNode) {
    this.#root = newFolder(namesOf(base, new Map()));
  }

  add(event: DiskEvent): void {
    switch (event.kind) {
      case "opened":
        this.#open(event.opening, event.path);
        break;
      case "wrote":
        this.#write(event.opening, event.bytes, event.position);
        break;
      case "truncated":
        this.#truncate(event.opening, event.length);
        break;
      case "made_folder":
        this.#set([this.#slot(event.path, newFolder(new Map()))]);
        break;
      case "unlinked":
      case "removed_folder":
        this.#set([this.#slot(event.path, undefined)]);
        break;
      case "linked":
        this.#set([this.#slot(event.to, this.#nodeAt(event.from))]);
        break;
      case "renamed":
        this.#set([this.#slot(event.to, this.#nodeAt(event.from)), this.#slot(event.from, undefined)]);
        break;
      case "sync_began":
        this.#syncs.set(event.sync, this.#changesOf(event.of));
        break;
      case "sync_ended":
        for (const change of this.#syncs.get(event.sync) ?? []) change.isSynced ||= change.isLost !== true;
        break;
      case "sync_lost":
        for (const change of this.#syncs.get(event.sync) ?? []) change.isLost = true;
    }
  }

  #open(opening: number, path: string): void {
    const there = this.#nodeAt(path);
    const file: NodeState = there ?? newFile(Buffer.alloc(0));
    if (file.kind === "folder") return;
    this.#openings.set(opening, file);
    if (there === undefined) this.#set([this.#slot(path, file)]);
  }

  #write(opening: number, bytes: Buffer, position: number | null): void {
    const file = this.#openings.get(opening);
    if (file === undefined) return;
    const at = position ?? file.length;
    file.length = Math.max(file.length, at + bytes.byteLength);
    file.changes.push({ isSynced: false, apply: (before, loss) => lossyWrite(before, bytes, at, loss) });
  }

  #truncate(opening: number, length: number): void {
    const file = this.#openings.get(opening);
    if (file === undefined) return;
    file.length = length;
    file.changes.push({ isSynced: false, apply: (bytes, loss) => (loss === "kept" ? resized(bytes, length) : bytes) });
  }

  #set(slots: readonly [Slot, ...Slot[]]): void {
    for (const { folder, name, node } of slots) {
      if (node === undefined) folder.names.delete(name);
      else folder.names.set(name, node);
    }
    this.#changes.push({ isSynced: false, slots, durableBy: slots[0].folder });
  }

  #slot(path: string, node: NodeState | undefined): Slot {
    const folder = this.#nodeAt(dirname(path));
    if (folder?.kind !== "folder") throw new Error(`${path} was changed in no folder`);
    return { folder, name: basename(path), node };
  }

  #nodeAt(path: string): NodeState | undefined {
    return nodeAt<NodeState>(this.#root, path);
  }

  /** What a sync that begins now covers: it is durable when the sync ends. */
  #changesOf(of: Extract<DiskEvent, { kind: "sync_began" }>["of"]): readonly Syncable[] {
    if ("opening" in of) return [...(this.#openings.get(of.opening)?.changes ?? [])];
    const folder = this.#nodeAt(of.folder);
    return this.#changes.filter((change) => change.durableBy === folder);
  }

  image(choices: CrashChoices): FolderNode {
    const root = treeOf(this.#root, this.#durableNames(choices), choices, new Map());
    if (root.kind === "file") throw new Error("the root of a disk is a folder");
    return root;
  }

  #durableNames(choices: CrashChoices): DurableNames {
    const names = new Map<FolderState, Map<string, NodeState>>();
    for (const { slots, isSynced } of this.#changes) {
      if (!isSynced && !choices.keepsName()) continue;
      for (const { folder, name, node } of slots) {
        const now = names.get(folder) ?? new Map(folder.original);
        names.set(folder, now);
        if (node === undefined) now.delete(name);
        else now.set(name, node);
      }
    }
    return names;
  }
}

/** The names in folders in which some changed. */
type DurableNames = ReadonlyMap<FolderState, ReadonlyMap<string, NodeState>>;

function treeOf(node: NodeState, names: DurableNames, choices: CrashChoices, made: Map<NodeState, FileTree>): FileTree {
  const known = made.get(node);
  if (known !== undefined) return known;
  const tree: FileTree = node.kind === "file" ? { kind: "file", bytes: bytesOf(node, choices) } : emptyTree();
  made.set(node, tree);
  if (node.kind === "file" || tree.kind === "file") return tree;
  for (const [name, child] of names.get(node) ?? node.original) {
    tree.names.set(name, treeOf(child, names, choices, made));
  }
  return tree;
}

function bytesOf({ original, changes }: FileState, choices: CrashChoices): Buffer {
  return changes.reduce((bytes, { isSynced, apply }) => apply(bytes, isSynced ? "kept" : choices.dataLoss()), original);
}

function newFile(original: Buffer): FileState {
  return { kind: "file", original, changes: [], length: original.byteLength };
}

function newFolder(original: ReadonlyMap<string, NodeState>): FolderState {
  return { kind: "folder", original, names: new Map(original) };
}

/** The state of a tree that is durable as it is. */
function stateOf(tree: FileTree, made: Map<FileTree, NodeState>): NodeState {
  const known = made.get(tree);
  if (known !== undefined) return known;
  const state = tree.kind === "file" ? newFile(tree.bytes) : newFolder(namesOf(tree, made));
  made.set(tree, state);
  return state;
}

function namesOf(tree: FolderNode, made: Map<FileTree, NodeState>): ReadonlyMap<string, NodeState> {
  return new Map([...tree.names].map(([name, child]) => [name, stateOf(child, made)]));
}

/**
 * What is left of bytes that were written and not synced.
 *
 * - `kept` all · `dropped` nothing, not even the file's new length · `zeroed` the length, with zeros where nothing was before
 * - `cut` what comes before a byte, in a file that ends there · `torn` some sectors of the file, and its whole length
 */
export type DataLoss =
  | "kept"
  | "dropped"
  | "zeroed"
  | { readonly cutAt: number }
  | { readonly tornBy: (sector: number) => boolean };

/** What a disk writes as a whole. */
const sectorBytes = 512;

/** A file's bytes after a write of which a part was lost. */
function lossyWrite(before: Buffer, bytes: Uint8Array, position: number, loss: DataLoss): Buffer {
  if (loss === "kept") return withWritten(before, bytes, position);
  if (loss === "dropped") return before;
  const end = Math.max(before.byteLength, position + bytes.byteLength);
  if (loss === "zeroed") return resized(before, end);
  if ("cutAt" in loss)
    return withWritten(before, bytes.subarray(0, Math.floor(loss.cutAt * bytes.byteLength)), position);
  let after = resized(before, end);
  for (let from = 0; from < bytes.byteLength; ) {
    const sector = Math.floor((position + from) / sectorBytes);
    const to = Math.min((sector + 1) * sectorBytes - position, bytes.byteLength);
    if (loss.tornBy(sector)) after = withWritten(after, bytes.subarray(from, to), position + from);
    from = to;
  }
  return after;
}
