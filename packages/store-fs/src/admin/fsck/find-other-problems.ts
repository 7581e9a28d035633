import { basename, join, sep } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import { fileLines } from "../../disk/file-lines.js";
import { isSafeId, taskFolder } from "../../disk/layout.js";
import { quarantineCopy, quarantinedAt } from "../../disk/quarantine.js";
import type { StoreContext } from "../../disk/store-context.js";
import { listIfExists, readFrom, unlinkIfExists } from "../../disk/whole-file.js";
import { parseDocument } from "../../index/document-files.js";
import { rewriteFinished } from "../../index/finished-compaction.js";
import { parseFinished, parseFinishedName } from "../../index/finished-line.js";
import { lookAtFormat, writeFormat } from "../../index/store-folder.js";
import { hashOfCall, parseClaim } from "../../index/task-keys.js";
import { taskExists } from "../../journal/task-folder.js";
import { readableView } from "../../journal/task-view.js";
import type { OpenStore } from "../../open-store.js";
import { moveAside, type Problem, RepairRefused, strayFile } from "./problem.js";

function pathsIn({ disk }: StoreContext, folder: string): readonly string[] {
  return (listIfExists(disk, folder) ?? []).map((name) => join(folder, name));
}

/** What is to say of each folder of such a name in a folder; nothing else belongs there. */
function inFolders(
  context: StoreContext,
  parent: string,
  names: RegExp,
  find: (folder: string) => readonly Problem[],
): readonly Problem[] {
  return pathsIn(context, parent).flatMap((path) => {
    const isExpected = names.test(basename(path)) && context.disk.stat(path)?.isFolder === true;
    return isExpected ? find(path) : strayFile(context, path);
  });
}

/** Reads every claim. */
export function findClaimProblems({ context }: OpenStore): readonly Problem[] {
  return inFolders(context, context.layout.keys, /^[0-9a-f]{3}$/, (bucket) =>
    pathsIn(context, bucket).flatMap((path) => claimProblem(context, path)),
  );
}

function claimProblem(context: StoreContext, path: string): readonly Problem[] {
  const [bucket = "", name = ""] = path.split(sep).slice(-2);
  if (!/^\d+$/.test(name)) return strayFile(context, path);
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined || parseClaim(bytes) !== undefined) return [];
  const message = "the claim cannot be read; the unfinished tasks show its call";
  const kept = `claim.${bucket}.${name}`;
  const description = `keep it in quarantine/${kept}, and claim the calls of the unfinished tasks that it may have been about`;
  const apply = async (store: OpenStore) => {
    claimAgain(store, bucket);
    quarantineCopy(store.context, path, kept, message);
    store.keys.void(path, "");
  };
  return [{ kind: "damaged_claim", severity: "damage", path, message, fix: { description, apply } }];
}

/** Claims every call again that a damaged claim may have been about, before that claim is emptied. */
function claimAgain({ context, finished, keys }: OpenStore, bucket: string): void {
  for (const taskId of finished.openIds()) {
    const record = readableView(context, taskId)?.record;
    if (!record || record.key === null || isFinal(record.status)) continue;
    if (hashOfCall(record.owner, record.key).startsWith(bucket)) keys.hasCall(record);
  }
}

/** Markers of tasks that are not there. */
export function findMarkerProblems({ context }: OpenStore): readonly Problem[] {
  const { disk, layout } = context;
  return (listIfExists(disk, layout.open) ?? []).flatMap((taskId): readonly Problem[] => {
    const path = join(layout.open, taskId);
    if (!isSafeId(taskId)) return strayFile(context, path);
    if (disk.exists(taskFolder(layout, taskId))) return [];
    const wasKept = quarantinedAt(context, taskId) !== undefined;
    const message = `marks a task as open that does not exist${wasKept ? " any more" : ""}`;
    const apply = async ({ context }: OpenStore) => {
      if (!context.disk.exists(taskFolder(layout, taskId))) unlinkIfExists(context.disk, path);
    };
    const fix = { description: "remove the marker, which is empty", apply };
    return [{ kind: "stale_marker", severity: "harmless", taskId, path, message, fix }];
  });
}

/** Reads the lists of finished tasks. */
export async function findListProblems({ context }: OpenStore): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  for (const name of listIfExists(context.disk, context.layout.done) ?? []) {
    const path = join(context.layout.done, name);
    if (parseFinishedName(name) === undefined) found.push(...strayFile(context, path));
    else found.push(...(await damagedLines(context, path, name)));
  }
  return found;
}

async function damagedLines(context: StoreContext, path: string, name: string): Promise<readonly Problem[]> {
  let damaged = 0;
  for await (const lines of fileLines(context.disk, path) ?? []) {
    for (const line of lines) if (parseFinished(line) === undefined) damaged += 1;
  }
  if (damaged === 0) return [];
  const message = `${damaged} lines cannot be read; the tasks themselves hold everything`;
  const description = `keep the file in quarantine/${name}, and write its good lines again`;
  const apply = async ({ context, workers }: OpenStore) => {
    const maker = parseFinishedName(name)?.instance ?? "";
    if (workers.isInstanceAlive(maker))
      throw new RepairRefused(`a live process (${maker}) appends to it; stop it first`);
    quarantineCopy(context, path, name, message);
    await rewriteFinished(context, name, (line) => parseFinished(line) !== undefined);
  };
  return [{ kind: "damaged_list", severity: "damage", path, message, fix: { description, apply } }];
}

/** Reads every document. */
export function findDocumentProblems({ context }: OpenStore): readonly Problem[] {
  return inFolders(context, context.layout.documents, /./, (kind) =>
    inFolders(context, kind, /./, (document) =>
      pathsIn(context, document).flatMap((path) => documentProblem(context, path)),
    ),
  );
}

function documentProblem(context: StoreContext, path: string): readonly Problem[] {
  const [kind = "", id = "", name = ""] = path.split(sep).slice(-3);
  if (!/^\d+\.json$/.test(name)) return strayFile(context, path);
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined || parseDocument(bytes) !== undefined) return [];
  const message = "the document cannot be read, and no other one can begin under its id";
  const fix = moveAside(path, message, { name: `${kind}.${id}.${name}` });
  return [{ kind: "damaged_server_document", severity: "damage", path, message, fix }];
}

/** What does not belong into the folders of the store, and what was left in `trash/`. */
export function findForeignFiles({ context, workers }: OpenStore): readonly Problem[] {
  const { layout } = context;
  const known = new Set(Object.values(layout));
  const namesIn = (folder: string) => pathsIn(context, folder);
  const except = (paths: readonly string[], pattern: RegExp) => paths.filter((path) => !pattern.test(basename(path)));
  const trash = namesIn(layout.trash);
  const others = [
    ...namesIn(layout.directory).filter((path) => !known.has(path)),
    ...except(namesIn(layout.tasks), /^[0-9a-f]{2}$/),
    ...namesIn(layout.tasks).flatMap((shard) => namesIn(shard).filter((path) => !isSafeId(basename(path)))),
    ...except(namesIn(layout.workers), /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/),
    ...except(trash, /^(new|del)\./),
  ];
  const isLeft = (path: string) => {
    const [kind, maker = "", , taskId = ""] = basename(path).split(".");
    // A task that is in its place has a line of its own, and an empty folder is the place of a later one.
    const isMaking = kind === "new" && !workers.isInstanceAlive(maker) && !taskExists(context, taskId);
    return isMaking && namesIn(path).length > 0;
  };
  return [...others.flatMap((path) => strayFile(context, path)), ...trash.filter(isLeft).map(leftInTrash)];
}

function leftInTrash(path: string): Problem {
  const message = "unfinished work of a process that died; no caller has seen it";
  const description = "empty trash/, as the next server does when it starts";
  const fix = { description, apply: ({ remover }: OpenStore) => remover.emptyTrash() };
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
  if (format === "ours" || format === "new") return [];
  const message = `format.json is ${format}. The journals tell the layout`;
  const description = "write it again, and keep what was there in quarantine/format.json";
  // Opening the store to repair it has done so already.
  const apply = async ({ context }: OpenStore) => writeFormat(context, lookAtFormat(context));
  return [
    { kind: "damaged_format", severity: "damage", path: context.layout.format, message, fix: { description, apply } },
  ];
}
