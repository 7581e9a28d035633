import { dirname } from "node:path";
import type { Disk, FolderIdentity } from "../disk/disk.js";

/** A file of a tree. Two names of one file share the object. */
export interface FileNode {
  readonly kind: "file";
  bytes: Buffer;
}

/** A folder of a tree. */
export interface FolderNode {
  readonly kind: "folder";
  readonly names: Map<string, FileTree>;
}

/** Files and folders as plain data. */
export type FileTree = FileNode | FolderNode;

/** Makes an empty folder. */
export function emptyTree(): FolderNode {
  return { kind: "folder", names: new Map() };
}

const knownParts = new Map<string, readonly string[]>();
const maxKnownParts = 10_000;

/** The names in a path. Simulations ask for the same paths millions of times. */
function partsOf(path: string): readonly string[] {
  const known = knownParts.get(path);
  if (known !== undefined) return known;
  if (knownParts.size >= maxKnownParts) knownParts.clear();
  const parts = path.split("/").filter((part) => part !== "");
  knownParts.set(path, parts);
  return parts;
}

/** A file, or a folder of nodes of a kind. */
type Tree<Node> = { readonly kind: "file" } | { readonly kind: "folder"; readonly names: ReadonlyMap<string, Node> };

/** Finds what has a path, or gives `undefined`. */
export function nodeAt<Node extends Tree<Node>>(root: Node, path: string): Node | undefined {
  let node: Node | undefined = root;
  for (const part of partsOf(path)) node = node?.kind === "folder" ? node.names.get(part) : undefined;
  return node;
}

/** Copies a tree; names that share a file share its copy. */
export function copyTree(root: FolderNode): FolderNode {
  const files = new Map<FileNode, FileNode>();
  const copyFile = (file: FileNode): FileNode => {
    const copy = files.get(file) ?? { kind: "file", bytes: Buffer.from(file.bytes) };
    files.set(file, copy);
    return copy;
  };
  const copyFolder = ({ names }: FolderNode): FolderNode => {
    const copies = [...names].map(([name, node]): [string, FileTree] => {
      return [name, node.kind === "file" ? copyFile(node) : copyFolder(node)];
    });
    return { kind: "folder", names: new Map(copies) };
  };
  return copyFolder(root);
}

/**
 * A file system in memory, for tests: fast, and open to inspection by its tree. It has no permissions and no clock, and
 * everything in it is durable at once. Paths are absolute, with slashes.
 */
export class MemoryDisk implements Disk {
  readonly #files = new Map<number, FileNode>();
  readonly #root: FolderNode;
  readonly #identities = new WeakMap<FileTree, number>();
  /** How often names in a folder have changed. */
  readonly #changes = new WeakMap<FolderNode, number>();
  #nextIdentity = 1;
  #nextFile = 3;

  constructor(root: FolderNode = emptyTree()) {
    this.#root = root;
  }

  open(path: string, flags: "r" | "r+" | "a" | "wx"): number {
    const there = nodeAt<FileTree>(this.#root, path);
    if (there?.kind === "folder") throw systemError("EISDIR", "open", path);
    if (there !== undefined && flags === "wx") throw systemError("EEXIST", "open", path);
    const node = there ?? this.#create(path, flags);
    const file = this.#nextFile++;
    this.#files.set(file, node);
    return file;
  }

  #create(path: string, flags: string): FileNode {
    if (flags === "r" || flags === "r+") throw systemError("ENOENT", "open", path);
    const { folder, name } = this.#placeOf(path, "open");
    const node: FileNode = { kind: "file", bytes: Buffer.alloc(0) };
    this.#put(folder, name, node);
    return node;
  }

  close(file: number): void {
    if (!this.#files.delete(file)) throw systemError("EBADF", "close", String(file));
  }

  read(file: number, into: Uint8Array, position: number): number {
    const part = this.fileOf(file).bytes.subarray(position, position + into.byteLength);
    into.set(part);
    return part.byteLength;
  }

  write(file: number, bytes: Uint8Array, position: number | null): number {
    const node = this.fileOf(file);
    node.bytes = withWritten(node.bytes, bytes, position ?? node.bytes.byteLength);
    return bytes.byteLength;
  }

  truncate(file: number, length: number): void {
    const node = this.fileOf(file);
    node.bytes = resized(node.bytes, length);
  }

  stat(path: string) {
    const node = nodeAt<FileTree>(this.#root, path);
    if (node === undefined) return undefined;
    const size = node.kind === "file" ? node.bytes.byteLength : 0;
    return { size, modifiedMs: 0, isFolder: node.kind === "folder" };
  }

  identify(path: string): FolderIdentity | undefined {
    const node = nodeAt<FileTree>(this.#root, path);
    if (node === undefined) return undefined;
    const known = this.#identities.get(node) ?? this.#nextIdentity++;
    this.#identities.set(node, known);
    return { id: String(known), state: String(node.kind === "folder" ? (this.#changes.get(node) ?? 0) : 0) };
  }

  realPath(path: string): string {
    return path;
  }

  kindOf(path: string): "file" | "folder" | undefined {
    return nodeAt<FileTree>(this.#root, path)?.kind;
  }

  exists(path: string): boolean {
    return nodeAt<FileTree>(this.#root, path) !== undefined;
  }

  list(folder: string): readonly string[] {
    return [...this.#folderAt(folder).names.keys()].sort();
  }

  makeFolder(path: string): void {
    let folder = this.#root;
    for (const part of partsOf(path)) {
      const known = folder.names.get(part);
      if (known?.kind === "file") throw systemError("ENOTDIR", "mkdir", path);
      const next = known ?? emptyTree();
      if (known === undefined) this.#put(folder, part, next);
      folder = next;
    }
  }

  link(from: string, to: string): void {
    const node = this.#nodeOf(from, "link");
    const { folder, name } = this.#placeOf(to, "link");
    if (folder.names.has(name)) throw systemError("EEXIST", "link", to);
    this.#put(folder, name, node);
  }

  rename(from: string, to: string): void {
    const node = this.#nodeOf(from, "rename");
    const source = this.#placeOf(from, "rename");
    const { folder, name } = this.#placeOf(to, "rename");
    const there = folder.names.get(name);
    if (there?.kind === "folder" && there.names.size > 0) throw systemError("ENOTEMPTY", "rename", to);
    this.#drop(source.folder, source.name);
    this.#put(folder, name, node);
  }

  unlink(path: string): void {
    if (this.#nodeOf(path, "unlink").kind === "folder") throw systemError("EISDIR", "unlink", path);
    this.#remove(path, "unlink");
  }

  removeFolder(path: string): void {
    const node = this.#nodeOf(path, "rmdir");
    if (node.kind === "file") throw systemError("ENOTDIR", "rmdir", path);
    if (node.names.size > 0) throw systemError("ENOTEMPTY", "rmdir", path);
    this.#remove(path, "rmdir");
  }

  removeTree(path: string): void {
    if (this.exists(path)) this.#remove(path, "rm");
  }

  async syncData(file: number): Promise<void> {
    this.fileOf(file);
  }

  syncDataNow(file: number): void {
    this.fileOf(file);
  }

  async syncFolder(path: string): Promise<void> {
    this.#folderAt(path);
  }

  syncFolderNow(path: string): void {
    this.#folderAt(path);
  }

  fileSystem(): undefined {
    return undefined;
  }

  /** Sends no notice, and says so: watchers poll. */
  watch(_path: string, _changed: unknown, failed: () => void) {
    queueMicrotask(failed);
    return { close() {} };
  }

  /** What is open under a number. */
  protected fileOf(file: number): FileNode {
    const node = this.#files.get(file);
    if (node === undefined) throw systemError("EBADF", "write", String(file));
    return node;
  }

  #folderAt(path: string): FolderNode {
    const node = nodeAt<FileTree>(this.#root, path);
    if (node === undefined) throw systemError("ENOENT", "scandir", path);
    if (node.kind === "file") throw systemError("ENOTDIR", "scandir", path);
    return node;
  }

  #nodeOf(path: string, call: string): FileTree {
    const node = nodeAt<FileTree>(this.#root, path);
    if (node === undefined) throw systemError("ENOENT", call, path);
    return node;
  }

  #placeOf(path: string, call: string): { readonly folder: FolderNode; readonly name: string } {
    const name = partsOf(path).at(-1) ?? "";
    const folder = nodeAt<FileTree>(this.#root, dirname(path));
    if (folder === undefined) throw systemError("ENOENT", call, path);
    if (folder.kind === "file") throw systemError("ENOTDIR", call, path);
    return { folder, name };
  }

  #remove(path: string, call: string): void {
    const { folder, name } = this.#placeOf(path, call);
    this.#drop(folder, name);
  }

  #put(folder: FolderNode, name: string, node: FileTree): void {
    folder.names.set(name, node);
    this.#noteChange(folder);
  }

  #drop(folder: FolderNode, name: string): void {
    folder.names.delete(name);
    this.#noteChange(folder);
  }

  #noteChange(folder: FolderNode): void {
    this.#changes.set(folder, (this.#changes.get(folder) ?? 0) + 1);
  }
}

/** Bytes after a write at a position; a gap before it holds zeros. */
export function withWritten(before: Buffer, bytes: Uint8Array, position: number): Buffer {
  const after = resized(before, Math.max(before.byteLength, position + bytes.byteLength));
  after.set(bytes, position);
  return after;
}

/** A copy of some length, cut or filled with zeros. */
export function resized(before: Buffer, length: number): Buffer {
  const after = Buffer.alloc(length);
  after.set(before.subarray(0, length));
  return after;
}

function systemError(code: string, syscall: string, path: string): Error {
  return withoutStack(() => Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path }));
}

/** Makes an error without its stack, which costs more than all else where errors come by the thousand and say nothing wrong. */
export function withoutStack<Made extends Error>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
