import { join } from "node:path";
import { z } from "zod";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, readFrom } from "../disk/whole-file.js";
import type { TaskRemover } from "./task-remover.js";

const noteSchema = z.object({
  id: z.string(),
  birth: z.string(),
  owner: z.string(),
  key: z.nullable(z.string()),
  lastSeq: z.number(),
  createdAt: z.string(),
  finishedAt: z.optional(z.string()),
});

/**
 * Finishes what processes that died left in `trash/`: deletions, and tasks that never came to be.
 *
 * @param isAlive tells whether the store that made a name is still in use.
 */
export async function emptyTrash(
  context: StoreContext,
  remover: TaskRemover,
  isAlive: (instance: string) => boolean,
): Promise<void> {
  for (const name of listIfExists(context.disk, context.layout.trash) ?? []) {
    const place = join(context.layout.trash, name);
    const [kind, subject = ""] = name.split(".");
    if (kind === "new" && !isAlive(subject)) context.disk.removeTree(place);
    if (kind === "del") await finishDeletion(context, remover, place);
  }
}

async function finishDeletion(context: StoreContext, remover: TaskRemover, place: string): Promise<void> {
  const note = (listIfExists(context.disk, place) ?? []).find((name) => name.startsWith("deleted."));
  const text = note === undefined ? undefined : readFrom(context.disk, join(place, note))?.toString("utf8");
  const parsed = noteSchema.safeParse(parseJson(text ?? ""));
  if (!parsed.success) return context.disk.removeTree(place);
  const { finishedAt, ...rest } = parsed.data;
  await remover.complete({ ...rest, ...(finishedAt !== undefined && { finishedAt }) }, place);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
