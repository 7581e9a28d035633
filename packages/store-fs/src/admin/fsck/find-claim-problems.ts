import { join } from "node:path";
import { isFinal } from "@resumable-mcp/core";
import { quarantineCopy } from "../../disk/quarantine.js";
import { listIfExists, readFrom } from "../../disk/whole-file.js";
import { hashOfCall, parseClaim } from "../../index/task-keys.js";
import type { OpenStore } from "../../open-store.js";
import type { Problem } from "./problem.js";
import { leftDraft, moveAside } from "./problem.js";

const bucketPattern = /^[0-9a-f]{3}$/;

/** Reads every claim. */
export function findClaimProblems({ context }: OpenStore): readonly Problem[] {
  const { disk, layout } = context;
  return (listIfExists(disk, layout.keys) ?? []).flatMap((bucket) => {
    const folder = join(layout.keys, bucket);
    if (!bucketPattern.test(bucket)) return [foreignFile(folder)];
    return (listIfExists(disk, folder) ?? []).flatMap((name) => claimProblem(context, bucket, name));
  });
}

function claimProblem(context: OpenStore["context"], bucket: string, name: string): readonly Problem[] {
  const path = join(context.layout.keys, bucket, name);
  if (name.includes(".draft.")) return leftDraft(context, path);
  if (!/^\d+$/.test(name)) return [foreignFile(path)];
  const bytes = readFrom(context.disk, path);
  if (bytes === undefined || parseClaim(bytes) !== undefined) return [];
  const message = "the claim cannot be read: its call is found among the unfinished tasks";
  const description = `keep it in quarantine/claim.${bucket}.${name}, and claim the calls of the unfinished tasks that it may have been about`;
  const fix = { description, apply: (store: OpenStore) => restoreClaim(store, { path, bucket, name, message }) };
  return [{ kind: "damaged_claim", severity: "damage", path, message, fix }];
}

/** A problem with something that this program did not make. */
export function foreignFile(path: string): Problem {
  const message = "not a file of the store";
  return { kind: "foreign", severity: "harmless", path, message, fix: moveAside(path, message) };
}

/** Every call that the claim may have been about is claimed again before the claim is emptied. */
async function restoreClaim(
  store: OpenStore,
  { path, bucket, name, message }: { path: string; bucket: string; name: string; message: string },
): Promise<void> {
  const { context, finished, keys, reader } = store;
  for (const taskId of finished.openIds()) {
    const record = (await reader.read(taskId).catch(() => undefined))?.record;
    if (!record || record.key === null || isFinal(record.status)) continue;
    const { owner, key } = record;
    if (!hashOfCall(owner, key).startsWith(bucket)) continue;
    for (let claims = keys.look(owner, key); claims.isDoubtful; claims = keys.look(owner, key)) {
      if (!(await keys.restore(claims, owner, key))) break;
    }
    await keys.sync(owner, key);
  }
  quarantineCopy(context, path, `claim.${bucket}.${name}`, message);
  keys.void(path, "");
}
