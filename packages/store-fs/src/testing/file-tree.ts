/** A file of a {@link FileTree}. Two names of one file share the object. */
export interface FileNode {
  readonly kind: "file";
  bytes: Buffer;
}

/** A folder of a {@link FileTree}. */
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

/** The parts of an absolute path. */
export function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

/** Finds what has a path, or gives `undefined`. */
export function nodeAt(root: FolderNode, path: string): FileTree | undefined {
  let node: FileTree | undefined = root;
  for (const part of partsOf(path)) node = node?.kind === "folder" ? node.names.get(part) : undefined;
  return node;
}

/** Copies a tree; names that share a file share its copy. */
export function copyTree(root: FolderNode): FolderNode {
  const copies = new Map<FileTree, FileTree>();
  const copy = (node: FileTree): FileTree => {
    const known = copies.get(node);
    if (known !== undefined) return known;
    const made: FileTree = node.kind === "file" ? { kind: "file", bytes: Buffer.from(node.bytes) } : emptyTree();
    copies.set(node, made);
    if (node.kind === "folder" && made.kind === "folder") {
      for (const [name, child] of node.names) made.names.set(name, copy(child));
    }
    return made;
  };
  const names = [...root.names].map(([name, child]) => [name, copy(child)] as const);
  return { kind: "folder", names: new Map(names) };
}
