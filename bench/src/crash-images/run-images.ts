import { isResumableError } from "@resumable-mcp/core";
import type { StoreAdmin, StoreProblem } from "@resumable-mcp/core/store";
import { createFsStore, type Disk, type FsStoreLimits, type Host } from "@resumable-mcp/store-fs";
import { openFsAdmin } from "@resumable-mcp/store-fs/admin";
import {
  type CrashChoices,
  copyTree,
  crashImage,
  type DataLoss,
  type DiskEvent,
  emptyTree,
  type FolderNode,
  MemoryDisk,
  recordDisk,
} from "@resumable-mcp/store-fs/testing";
import { createRandom, type Random } from "../kills/kill-plan.js";
import { judgeImage } from "./judge-image.js";
import { keepLedger, type Ledger } from "./ledger.js";
import { finishTasks, workOnStore } from "./work-on-store.js";

/** Images of a run on a store that is made by it, or on one that is there. */
export interface ImageOptions {
  readonly images: number;
  readonly seed: number;
  readonly store: "new" | "old";
  /** Of so many images one is also checked, repaired, and run to the end of its tasks, which takes most of the time. */
  readonly thoroughEvery: number;
}

const directory = "/srv/resumable/store";
const imagesOfRun = 50;
/** Small, so that the journals of short tasks rotate and are compacted. */
const limits: Partial<FsStoreLimits> = {
  rotateBytes: 2_048,
  maxJournalFiles: 3,
  keepJournalFiles: 1,
  extendFromBytes: 1_024,
  maxExtendBytes: 2_048,
};

interface Recorded {
  readonly base: FolderNode;
  readonly events: readonly DiskEvent[];
  readonly ledger: Ledger;
}

/** Loses power at many moments of some runs, in many ways, and compares what is left with what was acknowledged. */
export async function runImages({ images, seed, store, thoroughEvery }: ImageOptions) {
  const random = createRandom(seed);
  const problems: string[] = [];
  let [events, acknowledged] = [0, 0];
  for (let first = 0; first < images; first += imagesOfRun) {
    const recorded = await record(random, store);
    events += recorded.events.length;
    acknowledged += acknowledgedIn(recorded.ledger);
    for (let image = first; image < Math.min(first + imagesOfRun, images); image += 1) {
      for (const problem of await losePower(recorded, createRandom(seed + image), image % thoroughEvery === 0))
        problems.push(`image ${image}: ${problem}`);
    }
  }
  return { images, events, acknowledged, problems };
}

function acknowledgedIn({ tasks, sessions }: Ledger): number {
  const events = [...tasks.values()].flatMap((task) => [...task.events.values(), ...task.signals]);
  return [...events, ...[...sessions.values()].flat()].filter(({ doneAt }) => doneAt !== undefined).length;
}

async function record(random: Random, kind: "new" | "old"): Promise<Recorded> {
  const base = emptyTree();
  if (kind === "old") await runOn(new MemoryDisk(base), random, "before", () => 0);
  const before = copyTree(base);
  const { disk, events } = recordDisk(new MemoryDisk(base));
  const ledger = await runOn(disk, random, "now", () => events.length);
  return { base: before, events, ledger };
}

async function runOn(disk: Disk, random: Random, name: string, moment: () => number): Promise<Ledger> {
  const inner = createFsStore({ directory, disk, host: hostOf(1), limits, createName: namesFrom(name) });
  const { store, ledger } = keepLedger(inner, moment);
  await workOnStore(store, { random, name, tasks: 6, sessions: 3 });
  await store.close();
  return ledger;
}

async function losePower(recorded: Recorded, random: Random, isThorough: boolean): Promise<readonly string[]> {
  const { base, events } = recorded;
  const at = momentIn(events, random);
  const { name, choices } = drawLoss(random);
  const image = crashImage(base, events.slice(0, at), choices);
  const problems = [
    ...(isThorough ? await withoutThrowing(() => judgeRepaired(copyTree(image), recorded, at)) : []),
    ...(await withoutThrowing(() => judgeOpened(image, recorded, at, isThorough))),
  ];
  return problems.map((problem) => `after ${at} of ${events.length} events, power takes ${name}: ${problem}`);
}

async function withoutThrowing(judge: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await judge();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? `, by ${error.cause}` : "";
    return [`${error}${cause}`];
  }
}

/** A server opens the store as it is, and may run its tasks to their end. */
async function judgeOpened(
  image: FolderNode,
  { ledger }: Recorded,
  at: number,
  isThorough: boolean,
): Promise<readonly string[]> {
  const store = createFsStore({ directory, disk: new MemoryDisk(image), host: hostOf(2), limits });
  try {
    return [...(await judgeImage(store, ledger, at)), ...(isThorough ? await finishTasks(store, ledger) : [])];
  } finally {
    await store.close();
  }
}

/** `check` reads the store, `repair` leaves nothing to be repaired, and then all that was acknowledged is there. */
async function judgeRepaired(image: FolderNode, { ledger }: Recorded, at: number): Promise<readonly string[]> {
  const disk = new MemoryDisk(image);
  const machine = { disk, host: hostOf(2) };
  const admin = () => openFsAdmin(directory, machine);
  if (!disk.exists(directory)) return [];
  const before = await tryCheck(admin());
  if (before === undefined) return [];
  const refused = (await admin().repair(true)).filter(({ outcome }) => outcome === "refused");
  const left = (await admin().check()).problems.filter(({ kind }) => kind !== "quarantined");
  const store = createFsStore({ directory, ...machine, limits });
  try {
    return [
      ...before.problems.filter(isLostTask(ledger, at)).map(({ message }) => `check: ${message}`),
      ...refused.map(({ problem, reason }) => `repair refuses ${problem.kind}: ${reason}`),
      ...left.map(({ kind, path, message }) => `after repair: ${kind} ${path} ${message}`),
      ...(await judgeImage(store, ledger, at)).map((problem) => `after repair: ${problem}`),
    ];
  } finally {
    await store.close();
  }
}

/** Power was lost before there was a store. */
async function tryCheck(admin: StoreAdmin) {
  try {
    return await admin.check();
  } catch (error) {
    if (isResumableError(error, "STORE_MISSING")) return undefined;
    throw error;
  }
}

/** A task that was acknowledged is never damaged. */
function isLostTask({ tasks }: Ledger, at: number) {
  return ({ kind, taskId = "" }: StoreProblem) => {
    const doneAt = tasks.get(taskId)?.doneAt;
    return kind === "damaged" && doneAt !== undefined && doneAt <= at;
  };
}

/** Any moment, or one directly before a sync ends, at which there is most to lose. */
function momentIn(events: readonly DiskEvent[], random: Random): number {
  const at = random.between(1, events.length);
  if (random.next() < 0.5) return at;
  const end = events.findIndex((event, place) => place >= at && event.kind === "sync_ended");
  return end < 0 ? at : end;
}

/** Processes before and after the loss of power: the machine has started again, so those before are dead. */
function hostOf(start: number): Host {
  const identity = { host: "machine", bootId: `boot-${start}`, processNamespace: "", pid: start, startTime: "" };
  return { identity, processState: (other) => (other.bootId === identity.bootId ? "alive" : "dead") };
}

/** The same names in every run: the same seed draws the same images. */
function namesFrom(run: string): () => string {
  let count = 0;
  return () => `${run}-${count++}`;
}

/** Draws what becomes of everything that was not synced. */
function drawLoss(random: Random): { readonly name: string; readonly choices: CrashChoices } {
  const name = random.pick(lossNames);
  return { name, choices: losses[name](random) };
}

const losses = {
  "all that was not synced": () => ({ keepsName: () => false, dataLoss: () => "dropped" as const }),
  nothing: () => ({ keepsName: () => true, dataLoss: () => "kept" as const }),
  "data, not names": () => ({ keepsName: () => true, dataLoss: () => "dropped" as const }),
  "data, which became zeros": () => ({ keepsName: () => true, dataLoss: () => "zeroed" as const }),
  "names, not data": () => ({ keepsName: () => false, dataLoss: () => "kept" as const }),
  "some names": (random: Random) => ({ keepsName: () => isHeads(random), dataLoss: () => "kept" as const }),
  "some data": (random: Random) => ({ keepsName: () => true, dataLoss: () => drawDataLoss(random) }),
  "some of both": (random: Random) => ({ keepsName: () => isHeads(random), dataLoss: () => drawDataLoss(random) }),
  "a little": (random: Random) => ({
    keepsName: () => random.between(1, 8) > 1,
    dataLoss: () => (random.between(1, 8) > 1 ? ("kept" as const) : drawDataLoss(random)),
  }),
  "nearly all": (random: Random) => ({
    keepsName: () => random.between(1, 8) === 1,
    dataLoss: () => (random.between(1, 8) === 1 ? drawDataLoss(random) : ("dropped" as const)),
  }),
} satisfies { readonly [name: string]: (random: Random) => CrashChoices };

type LossName = keyof typeof losses;
const lossNames = Object.keys(losses) as [LossName, ...LossName[]];

function isHeads(random: Random): boolean {
  return random.next() < 0.5;
}

function drawDataLoss(random: Random): DataLoss {
  const cutAt = random.next();
  return random.pick<DataLoss>(["kept", "dropped", "zeroed", { cutAt }, { tornBy: () => isHeads(random) }]);
}
