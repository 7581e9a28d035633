import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TaskRecord } from "@resumable-mcp/core";
import { BoundedCache } from "@resumable-mcp/core/internal";
import { type CountedGroup, storeErrors } from "@resumable-mcp/core/store";
import { z } from "zod";
import { decodeWhole, encodeLine } from "../disk/checked-line.js";
import { hashText, placeFiles, taskFolder, versionFiles } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, linkUnlessTaken, listIfExists, readFrom, unlinkIfExists } from "../disk/whole-file.js";
import { lookAt } from "../journal/task-folder.js";
import { readableView } from "../journal/task-view.js";
import type { WorkerRegistry } from "../task/worker-registry.js";

const placeSchema = z.object({
  /** A hash of whose place it is. */
  group: z.string(),
  /** What has the place: the marker of a task, or the folder of a document, below the store's folder. */
  subject: z.string(),
});
type OwnerPlace = z.infer<typeof placeSchema>;

/** The places that share a folder. */
interface Bucket {
  readonly folder: string;
  /** Lowest first. */
  readonly numbers: readonly number[];
  /** The numbers of places whose subject a living process is about to make. */
  readonly pending: ReadonlySet<number>;
}

type Owned = Pick<TaskRecord, "owner" | "id">;

/** So many places may be added while a folder is listed without being seen. */
const maxUnseen = 32;
/** A folder with fewer places is not tidied. */
const minTidied = 64;

/**
 * How many unfinished tasks each owner has, and how many documents each group, counted over all processes.
 *
 * A place is a numbered file, created exclusively, before what it is for: a process that counted up to the highest number,
 * and then gets the next one, has counted all that there are. It counts while its subject is there, or while its
 * maker is at work, which a second name of the file shows. The highest number of a folder is never removed.
 *
 * Places are not synced. After a loss of power an owner may have a few tasks more.
 */
export class OwnerPlaces {
  readonly #context: StoreContext;
  readonly #workers: Pick<WorkerRegistry, "isInstanceAlive">;
  readonly #isUnfinished: (taskId: string) => Promise<boolean>;
  /** What places say, which never changes. */
  #known: BoundedCache<Map<number, OwnerPlace>>;
  /** By folder: with how many places it is tidied again. */
  readonly #tidyAt: BoundedCache<number>;

  constructor(
    context: StoreContext,
    workers: Pick<WorkerRegistry, "isInstanceAlive">,
    isUnfinished: (taskId: string) => Promise<boolean>,
  ) {
    this.#context = context;
    this.#workers = workers;
    this.#isUnfinished = isUnfinished;
    const maxEntries = context.limits.maxKnownClaims;
    this.#known = emptyCache(context);
    this.#tidyAt = new BoundedCache({ maxEntries, maxBytes: maxEntries });
  }

  /**
   * Takes a place for an unfinished task, which has its marker when its making ends.
   *
   * @returns what is to be called when the task is made, or is not going to be; `undefined` when the owner has `max`.
   */
  takeForTask({ owner, id }: Owned, max = Number.POSITIVE_INFINITY): Promise<(() => void) | undefined> {
    return this.#take(placeOfTask(owner, id), max);
  }

  /** As `takeForTask`. @throws {@link ResumableError} `LIMIT_EXCEEDED` when the owner has `max`. */
  async begin(task: Owned, max?: number): Promise<() => void> {
    const endMaking = await this.takeForTask(task, max);
    if (endMaking === undefined) throw storeErrors.tooManyUnfinished(max ?? 0);
    return endMaking;
  }

  /** As `begin`, for a document, whose folder has a version when its making ends. */
  async beginDocument(kind: string, counted: CountedGroup, folder: string): Promise<() => void> {
    const subject = folder.slice(this.#context.layout.directory.length + 1);
    const endMaking = await this.#take({ group: groupOf(kind, counted.group), subject }, counted.max);
    if (endMaking === undefined) throw storeErrors.groupFull(counted);
    return endMaking;
  }

  /** The folders of the documents that a group may have, those that were deleted included. */
  foldersOf(kind: string, group: string): readonly string[] {
    const hash = groupOf(kind, group);
    const folder = this.#folderOf({ group: hash });
    const places = placeFiles.list(this.#context.disk, folder).map((number) => this.#read(folder, number));
    const subjects = places.flatMap((place) => (place?.group === hash ? [place.subject] : []));
    return [...new Set(subjects)].map((subject) => join(this.#context.layout.directory, subject));
  }

  /** Takes places for all tasks that have a marker, when all places were lost. */
  restore(): void {
    this.#known = emptyCache(this.#context);
    for (const taskId of listIfExists(this.#context.disk, this.#context.layout.open) ?? []) {
      const owner = readableView(this.#context, taskId)?.record.owner;
      if (owner === undefined) continue;
      const place = placeOfTask(owner, taskId);
      const folder = this.#folderOf(place);
      for (let end: (() => void) | undefined; end === undefined; end?.()) end = this.#claim(this.#look(folder), place);
    }
  }

  async #take(place: OwnerPlace, max: number): Promise<(() => void) | undefined> {
    const { takeOverPollMs, maxTakeOverPolls } = this.#context.limits;
    const folder = this.#folderOf(place);
    const freed = new Set<string>();
    for (let polls = 0; ; ) {
      const { taken, isPending, counted } = this.#count(this.#look(folder), place, freed, max);
      if (taken.size < max) {
        const end = this.#claim(counted, place);
        if (end !== undefined) return end;
        continue;
      }
      if (await this.#free(taken, freed)) continue;
      if (!isPending || polls >= maxTakeOverPolls) return undefined;
      polls += 1;
      await delay(takeOverPollMs);
    }
  }

  /** Takes the next number. @returns what ends the making, or `undefined` when another process took that number meanwhile. */
  #claim({ folder, numbers }: Bucket, place: OwnerPlace): (() => void) | undefined {
    const { disk, instance, unique } = this.#context;
    const number = (numbers.at(-1) ?? 0) + 1;
    const pending = join(folder, `new.${number}.${instance}.${unique()}`);
    if (numbers.length === 0) disk.makeFolder(folder);
    createFile(disk, pending, encodeLine(JSON.stringify(place)));
    if (!linkUnlessTaken(disk, pending, join(folder, placeFiles.nameOf(number)))) {
      unlinkIfExists(disk, pending);
      return undefined;
    }
    return () => {
      unlinkIfExists(disk, pending);
      if (numbers.length >= (this.#tidyAt.get(folder) ?? minTidied)) this.#tidy(folder);
    };
  }

  #look(folder: string): Bucket {
    const names = listIfExists(this.#context.disk, folder) ?? [];
    const pending = names.flatMap((name) => {
      const [kind, number, instance = ""] = name.split(".");
      return kind === "new" && this.#workers.isInstanceAlive(instance) ? [Number(number)] : [];
    });
    return { folder, numbers: placeFiles.numbersIn(names), pending: new Set(pending) };
  }

  /** A listing may miss a name that was added meanwhile, though it has a later one. */
  #lookAgain(before: Bucket): Bucket {
    const { folder, numbers } = before;
    const now = this.#look(folder);
    return now.numbers.join() === numbers.join() ? before : this.#lookAgain(now);
  }

  /** What the other places of a group are for, without what is known to have ended. Nothing is read where there is room in any case. */
  #count(bucket: Bucket, { group, subject }: OwnerPlace, freed: ReadonlySet<string>, max: number) {
    const taken = new Set<string>();
    let isPending = false;
    if (bucket.numbers.length + maxUnseen < max) return { taken, isPending, counted: bucket };
    const counted = this.#lookAgain(bucket);
    const { folder, numbers, pending } = counted;
    for (const number of numbers) {
      const place = this.#read(folder, number);
      if (place?.group !== group || place.subject === subject) continue;
      const isMaking = pending.has(number);
      if (!isMaking && (freed.has(place.subject) || !this.#isThere(place.subject))) continue;
      taken.add(place.subject);
      isPending ||= isMaking;
    }
    return { taken, isPending, counted };
  }

  /**
   * Notes what has ended although it has a marker: the marker goes a moment after the end, as long as the lease is there.
   *
   * @returns whether there is any.
   */
  async #free(taken: ReadonlySet<string>, freed: Set<string>): Promise<boolean> {
    const { disk, layout } = this.#context;
    const before = freed.size;
    for (const subject of taken) {
      const [kind, taskId = ""] = subject.split("/");
      if (kind !== "open" || freed.has(subject)) continue;
      const hasLease = (lookAt(disk, taskFolder(layout, taskId))?.leases.length ?? 0) > 0;
      if (hasLease && !(await this.#isUnfinished(taskId))) freed.add(subject);
    }
    return freed.size > before;
  }

  #isThere(subject: string): boolean {
    const { disk, layout } = this.#context;
    const path = join(layout.directory, subject);
    return subject.startsWith("open/") ? disk.exists(path) : versionFiles.list(disk, path).length > 0;
  }

  /** Removes places that do not count any more, now and then. */
  #tidy(folder: string): void {
    const { disk } = this.#context;
    const names = listIfExists(disk, folder) ?? [];
    if (names.length < (this.#tidyAt.get(folder) ?? minTidied)) return;
    const { numbers, pending } = this.#look(folder);
    const isCounted = (number: number) => {
      const place = this.#read(folder, number);
      return pending.has(number) || (place !== undefined && this.#isThere(place.subject));
    };
    const ended = numbers.slice(0, -1).filter((number) => !isCounted(number));
    for (const number of ended) unlinkIfExists(disk, join(folder, placeFiles.nameOf(number)));
    for (const name of names) {
      const [kind, number] = name.split(".");
      if (kind === "new" && !pending.has(Number(number))) unlinkIfExists(disk, join(folder, name));
    }
    const left = numbers.length - ended.length;
    this.#tidyAt.set(folder, 2 * left + minTidied, 1);
    const known = this.#known.get(folder);
    for (const number of ended) known?.delete(number);
  }

  #read(folder: string, number: number): OwnerPlace | undefined {
    const known = this.#known.get(folder) ?? new Map<number, OwnerPlace>();
    const before = known.get(number);
    if (before !== undefined) return before;
    const bytes = readFrom(this.#context.disk, join(folder, placeFiles.nameOf(number)));
    const place = bytes && placeSchema.safeParse(decodeWhole(bytes)).data;
    if (place !== undefined) this.#known.set(folder, known.set(number, place), known.size);
    return place;
  }

  #folderOf({ group }: Pick<OwnerPlace, "group">): string {
    return join(this.#context.layout.owners, group.slice(0, 3));
  }
}

function placeOfTask(owner: string, taskId: string): OwnerPlace {
  return { group: groupOf("", owner), subject: `open/${taskId}` };
}

function groupOf(kind: string, group: string): string {
  return hashText(JSON.stringify([kind, group]));
}

function emptyCache({ limits }: StoreContext): BoundedCache<Map<number, OwnerPlace>> {
  return new BoundedCache({ maxEntries: Number.POSITIVE_INFINITY, maxBytes: limits.maxKnownClaims });
}
