import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Instant, Offers, WorkerOffers } from "@resumable-mcp/core/store";
import { parseDocument } from "@resumable-mcp/documents";
import { z } from "zod";
import { holderName } from "../disk/layout.js";
import type { Host, ProcessIdentity } from "../disk/platform.js";
import type { StoreContext } from "../disk/store-context.js";
import { createFile, listIfExists, readFrom, unlinkIfExists, withFile } from "../disk/whole-file.js";

const identitySchema = z.object({
  host: z.string(),
  bootId: z.string(),
  processNamespace: z.string(),
  pid: z.number(),
  startTime: z.string(),
  /** Its name, where its file's name is made of it. */
  worker: z.string().optional(),
  offers: z.custom<Offers>(isOffers).optional(),
});

/** What stands in the file of a worker before the number. */
type WorkerFacts = ProcessIdentity & { readonly worker?: string; readonly offers?: Offers };

/** A worker, by the name of its file. */
interface Registration {
  readonly name: string;
  readonly worker: string;
  readonly beat: number;
  readonly offers: Offers | undefined;
}

const beatWidth = 16;
/** A worker and its store, or a draft. */
const workerFile = /^(\.draft|[\w-]+)\.[\w-]+$/;
const storeWorker = "store";

/**
 * Tells which workers are alive. A worker's file names its process and what it offers, and holds a number that each heartbeat
 * raises, in place, so that a full disk stops no heartbeat.
 *
 * Alive is: the process is not known to be dead, and the number moved within a time by this observer's own clock.
 */
export class WorkerRegistry {
  /** Workers of this store, by file name: where the number stands in their file, and what it is. */
  readonly #own = new Map<string, { readonly position: number; readonly offers?: Offers; beat: number }>();
  readonly #seen = new Map<string, { beat: number; movedMs: number }>();
  /** Workers whose number moved since the last operation that knew the time: the next one tells when. */
  readonly #undated = new Set<string>();
  #latestMs: number | undefined;
  #hasTime = false;
  readonly #context: StoreContext;
  readonly #host: Host;

  constructor(context: StoreContext, host: Host) {
    this.#context = context;
    this.#host = host;
  }

  /** Notes the time; the newest one noted counts where an operation does not get the time. */
  noteTime(now: Instant): void {
    if (this.#latestMs === undefined || now.monotonicMs > this.#latestMs) this.#latestMs = now.monotonicMs;
    this.#hasTime = true;
    if (this.#undated.size === 0) return;
    for (const name of this.#undated) {
      const entry = this.#seen.get(name);
      if (entry !== undefined) entry.movedMs = this.#latestMs;
    }
    this.#undated.clear();
  }

  /** Notes that an operation begins which does not get the time: the newest one noted may be long ago. */
  noteNoTime(): void {
    this.#hasTime = false;
  }

  /** Says that a worker of this store is alive, and what it offers now. @returns the name of its file. */
  beat(worker: string, given?: Offers): string {
    const name = holderName(worker, this.#context.instance);
    const known = this.#own.get(name);
    const beat = (known?.beat ?? 0) + 1;
    const offers = given ?? known?.offers;
    const isSame = known !== undefined && isDeepStrictEqual(offers, known.offers);
    if (isSame && this.#writeBeat(name, known.position, beat)) known.beat = beat;
    else this.#register({ name, worker, beat, offers });
    this.#saw(name, beat);
    return name;
  }

  #saw(name: string, beat: number): void {
    this.#seen.set(name, { beat, movedMs: this.#latestMs ?? 0 });
    if (!this.#hasTime) this.#undated.add(name);
  }

  #writeBeat(name: string, position: number, beat: number): boolean {
    const { disk } = this.#context;
    const path = this.#pathOf(name);
    if (disk.stat(path) === undefined) return false;
    withFile(disk, path, "r+", (file) => disk.write(file, beatBytes(beat), position));
    return true;
  }

  #register({ name, worker, beat, offers }: Registration): void {
    const { disk, layout, unique } = this.#context;
    const facts: WorkerFacts = { ...this.#host.identity, worker, offers };
    const identity = Buffer.from(`${JSON.stringify(facts)}\n`);
    const draft = join(layout.workers, `.draft.${unique()}`);
    createFile(disk, draft, Buffer.concat([identity, beatBytes(beat)]));
    disk.rename(draft, this.#pathOf(name));
    // A copy: what the caller changes later is a change.
    this.#own.set(name, { position: identity.byteLength, offers: structuredClone(offers), beat });
  }

  /** The worker lives in this very store, not in another of this or any process. */
  isOwn(name: string): boolean {
    return this.#own.has(name);
  }

  /** Tells whether a worker is alive, by the newest time that was noted. */
  isAlive(name: string, ttlMs: number): boolean {
    const beat = this.#own.get(name)?.beat ?? this.#beatOfLiving(name);
    if (beat === undefined) {
      this.#seen.delete(name);
      return false;
    }
    const before = this.#seen.get(name);
    if (before?.beat === beat) return this.#undated.has(name) || (this.#latestMs ?? 0) - before.movedMs < ttlMs;
    this.#saw(name, beat);
    return true;
  }

  /** The number of another store's worker, if its process is not known to be gone. */
  #beatOfLiving(name: string): number | undefined {
    const entry = this.#read(name);
    return entry === undefined || this.#host.processState(entry.identity) === "dead" ? undefined : entry.beat;
  }

  /** The processes of all workers, without those that are known to be dead. */
  listProcesses(): readonly string[] {
    const processes = (listIfExists(this.#context.disk, this.#context.layout.workers) ?? []).flatMap((name) => {
      const identity = name.startsWith(".") ? undefined : this.#read(name)?.identity;
      if (identity === undefined || this.#host.processState(identity) === "dead") return [];
      return [`process ${identity.pid} on ${identity.host}`];
    });
    return [...new Set(processes)];
  }

  /** Says that a worker is alive, what it offers, and that this store is alive with it. */
  heartbeat(worker: string, offers?: Offers): void {
    this.beat(worker, offers);
    this.beat(storeWorker);
  }

  /** What each other living worker offers, by the newest time that was noted. */
  listOffers(worker: string, ttlMs: number): readonly WorkerOffers[] {
    const own = holderName(worker, this.#context.instance);
    return (listIfExists(this.#context.disk, this.#context.layout.workers) ?? []).flatMap((name) => {
      const identity = name === own || name.startsWith(".") ? undefined : this.#read(name)?.identity;
      const { worker: other = name, offers } = identity ?? {};
      return offers !== undefined && this.isAlive(name, ttlMs) ? [{ worker: other, offers }] : [];
    });
  }

  /** Notes that this store is in use, before it makes anything that others might take for left behind. */
  open(): void {
    this.beat(storeWorker);
  }

  /** Tells whether an opened store may still be in use. */
  isInstanceAlive(instance: string): boolean {
    return instance === this.#context.instance || !this.#isDead(holderName(storeWorker, instance));
  }

  /**
   * Removes the files of workers whose process has ended, or whose last heartbeat is long ago. Other files,
   * by name or content, are not the store's and stay.
   */
  forgetDead(): void {
    const { disk, layout } = this.#context;
    // The file system's own clock, by a file that was written a moment ago.
    const nowMs = disk.stat(this.#pathOf(holderName(storeWorker, this.#context.instance)))?.modifiedMs ?? 0;
    for (const name of listIfExists(disk, layout.workers) ?? []) {
      if (this.#own.has(name) || !this.#isWorkers(name)) continue;
      const silentMs = nowMs - (disk.stat(this.#pathOf(name))?.modifiedMs ?? nowMs);
      // What is not in place yet belongs to a store that is being opened just now, or was when its process died.
      const isDeparted = !name.startsWith(".") && this.#isDead(name);
      if (silentMs > this.#context.limits.forgetWorkerMs || isDeparted) unlinkIfExists(disk, this.#pathOf(name));
    }
  }

  /** A loss of power leaves a file that was not synced empty, or full of zeros. */
  #isWorkers(name: string): boolean {
    if (!workerFile.test(name) || this.#context.disk.kindOf(this.#pathOf(name)) !== "file") return false;
    const bytes = readFrom(this.#context.disk, this.#pathOf(name)) ?? Buffer.alloc(0);
    return bytes.every((byte) => byte === 0) || this.#read(name) !== undefined;
  }

  #isDead(name: string): boolean {
    return this.#beatOfLiving(name) === undefined;
  }

  #read(name: string): { readonly identity: WorkerFacts; readonly beat: number } | undefined {
    const text = readFrom(this.#context.disk, this.#pathOf(name))?.toString("utf8") ?? "";
    const [line = "", beat = ""] = text.split("\n");
    const parsed = parseDocument(identitySchema, line);
    // A number that is none would never stand still.
    return "document" in parsed && /^\d+$/.test(beat) ? { identity: parsed.document, beat: Number(beat) } : undefined;
  }

  #pathOf(name: string): string {
    return join(this.#context.layout.workers, name);
  }

  /** Removes the files of this store's workers. */
  close(): void {
    for (const name of this.#own.keys()) unlinkIfExists(this.#context.disk, this.#pathOf(name));
    this.#own.clear();
  }
}

/** They were written by a process of this or of a later version: what else stands in them is kept. */
function isOffers(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((offer: unknown) => {
    return typeof offer === "object" && offer !== null && "version" in offer && typeof offer.version === "string";
  });
}

function beatBytes(beat: number): Buffer {
  return Buffer.from(`${String(beat).padStart(beatWidth, "0")}\n`);
}
