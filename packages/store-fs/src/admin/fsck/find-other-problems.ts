import { basename, join, sep } from "node:path";
import { isSafeId } from "../../disk/layout.js";
import { listIfExists, readFrom } from "../../disk/whole-file.js";
import { parseDocument } from "../../index/document-files.js";
import { lookAtFormat, lostFormat, writeFormat } from "../../index/format-file.js";
import { emptyTrash } from "../../index/task-remover.js";
import type { OpenStore } from "../../open-store.js";
import { foreignFile } from "./find-claim-problems.js";
import type { Problem } from "./problem.js";
import { leftDraft, moveAside } from "./problem.js";

/** Reads every document. */
export function findDocumentProblems({ context }: OpenStore): readonly Problem[] {
  return inFolders(context, context.layout.documents, (kind) =>
    inFolders(context, kind, (document) =>
      (listIfExists(context.disk, document) ?? []).flatMap((name) => documentProblem(context, join(document, name))),
    ),
  );
}

/** What is to say of each folder in a folder; nothing else belongs there. */
function inFolders(
  { disk }: OpenStore["context"],
  parent: string,
  find: (folder: string) => readonly Problem[],
): readonly Problem[] {
  return (listIfExists(disk, parent) ?? []).flatMap((name) => {
    const folder = join(parent, name);
    return disk.stat(folder)?.isFolder === true ? find(folder) : [foreignFile(folder)];
  });
}

function documentProblem(context: OpenStore["context"], path: string): readonly Problem[] {
  const [kind = "", id = "", name = ""] = path.split(sep).slice(-3);
  if (name.startsWith(".draft.")) return leftDraft(context, path);
  if (!/^\d+\.json$/.test(name)) return [foreignFile(path)];
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined || parseDocument(bytes) !== undefined) return [];
  const message = "the document cannot be read, and no other one can begin under its id";
  const fix = moveAside(path, message, { name: `${kind}.${id}.${name}` });
  return [{ kind: "damaged_server_document", severity: "damage", path, message, fix }];
}

/** What does not belong into the folders of the store, and what was left in `trash/`. */
export function findForeignFiles({ context, workers }: OpenStore): readonly Problem[] {
  const { disk, layout } = context;
  const known = new Set(Object.values(layout));
  const namesIn = (folder: string) => (listIfExists(disk, folder) ?? []).map((name) => join(folder, name));
  const isDraft = (path: string) => basename(path).startsWith(".draft.");
  const others = [
    ...namesIn(layout.directory).filter((path) => !known.has(path)),
    ...namesIn(layout.tasks).filter((path) => !/^[0-9a-f]{2}$/.test(basename(path))),
    ...namesIn(layout.tasks).flatMap((shard) => namesIn(shard).filter((path) => !isSafeId(basename(path)))),
    ...namesIn(layout.workers).filter(
      (path) => isDraft(path) || !/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(basename(path)),
    ),
  ];
  const trash = namesIn(layout.trash);
  return [
    ...others.flatMap((path) => (isDraft(path) ? leftDraft(context, path) : [foreignFile(path)])),
    ...trash.filter((path) => !/^(new|del)\./.test(basename(path))).map(foreignFile),
    ...trash.filter((path) => isLeft(path, (instance) => workers.isInstanceAlive(instance))).map(leftInTrash),
  ];
}

function isLeft(path: string, isAlive: (instance: string) => boolean): boolean {
  const [kind, maker = ""] = basename(path).split(".");
  return kind === "new" && !isAlive(maker);
}

function leftInTrash(path: string): Problem {
  const apply = ({ context, remover, workers }: OpenStore) =>
    emptyTrash(context, remover, (instance) => workers.isInstanceAlive(instance));
  const message = "a process died while it made this, before any caller knew of it";
  const fix = { description: "empty trash/, as the next server does when it starts", apply };
  return { kind: "leftover", severity: "harmless", path, message, fix };
}

/** What was set aside before. A program never empties this folder. */
export function findQuarantined({ context }: OpenStore): readonly Problem[] {
  const { disk, layout } = context;
  return (listIfExists(disk, layout.quarantine) ?? [])
    .filter((name) => !name.endsWith(".report.json"))
    .map((name) => {
      const isTask = isSafeId(name.split(".")[0] ?? "") && disk.stat(join(layout.quarantine, name))?.isFolder === true;
      const path = join(layout.quarantine, name);
      const message = "was set aside; read the report next to it, and remove both when you do not need them any more";
      return { kind: "quarantined", severity: isTask ? "damage" : "harmless", path, message };
    });
}

/** A lost `format.json`, where the journals tell the layout. */
export function findFormatProblems({ context }: OpenStore): readonly Problem[] {
  const format = lookAtFormat(context);
  if (format.kind !== "lost") return [];
  return [
    {
      kind: "damaged_format",
      severity: "damage",
      path: context.layout.format,
      message: `${lostFormat(format.was)} The journals tell the layout`,
      fix: {
        description: "write it again, and keep what was there in quarantine/format.json",
        // Opening the store to repair it has done so already.
        apply: async ({ context }) => writeFormat(context, lookAtFormat(context)),
      },
    },
  ];
}
