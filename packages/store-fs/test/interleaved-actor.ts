import { workerData } from "node:worker_threads";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { createFsStore } from "../src/create-fs-store.js";
import type { Disk } from "../src/disk/disk.js";
import { nodeDisk } from "../src/disk/node-disk.js";
import type { Host } from "../src/disk/platform.js";
import { awaitFirstCue, type Cue, type Fact, type Report, report, type TurnMemory } from "./turns.js";

/*
 * One process of interleavings.proof.test.ts, as a thread: a real store on the real disk, which stops at every step until it is
 * allowed to continue, or to die.
 */

const memory: TurnMemory = workerData;
const now = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 1_000 };

/** The steps of the model: what lies between two of them is done without stopping. */
const steps = new Set([
  "store.commit.before",
  "store.commit.appended",
  "store.takeover.announced",
  "store.takeover.read",
  "store.takeover.sealed",
  "unlink quiet",
]);

class Killed extends Error {
  readonly code = "EIO";
  readonly syscall = "killed";
}

let stopsAt: (step: string) => boolean = () => false;
let dead = false;

function stop(step: string): void {
  if (dead || !stopsAt(step)) return;
  const cue = report(memory, { kind: "stopped", at: step });
  if (cue.kind !== "die") return;
  dead = true;
  throw new Killed("the process died");
}

/** A disk that stops before each operation on a task's files, and is out of reach for a process that died. */
function steppedDisk(): Disk {
  const paths = new Map<number, string>();
  const before = (operation: string, path: string) => {
    if (dead) throw new Killed("the process died");
    const [, name = ""] = /\/tasks\/[^/]+\/[^/]+\/?([a-z]*)/.exec(path) ?? [];
    if (path.includes("/tasks/")) stop(`${operation} ${name}`);
  };
  return {
    ...nodeDisk,
    open(path, flags) {
      before("open", path);
      const file = nodeDisk.open(path, flags);
      paths.set(file, path);
      return file;
    },
    read(file, into, position) {
      before("read", paths.get(file) ?? "");
      return nodeDisk.read(file, into, position);
    },
    write(file, bytes, position) {
      before("write", paths.get(file) ?? "");
      return nodeDisk.write(file, bytes, position);
    },
    exists(path) {
      before("exists", path);
      return nodeDisk.exists(path);
    },
    list(path) {
      before("list", path);
      return nodeDisk.list(path);
    },
    rename(from, to) {
      before("rename", from);
      nodeDisk.rename(from, to);
    },
    unlink(path) {
      before("unlink", path);
      nodeDisk.unlink(path);
    },
  };
}

let store: Store | undefined;
let scene = { taskId: "", name: "" };
let held: { readonly lease: Lease; readonly lastSeq: number; readonly marks: readonly string[] } | undefined;
let nextPid = 1;

/** Everybody takes everybody else for dead: that is when take-overs meet. */
function host(): Host {
  const pid = nextPid++;
  const identity = { host: "h", bootId: "b", processNamespace: "n", pid, startTime: scene.name };
  return { identity, processState: () => "dead" };
}

async function begin({ directory, taskId, name }: Extract<Cue, { kind: "begin" }>): Promise<void> {
  stopsAt = () => false;
  await store?.close().catch(() => undefined);
  [dead, held] = [false, undefined];
  scene = { taskId, name };
  store = createFsStore({
    directory,
    durability: "process",
    disk: steppedDisk(),
    host: host(),
    limits: { takeOverPollMs: 0, maxTakeOverPolls: 0 },
    observer: stop,
  });
  if (name === "W") await take(store, []);
}

async function take(opened: Store, facts: Fact[]): Promise<void> {
  const { taskId, name } = scene;
  const taken = await opened.acquireLease({ taskId, worker: name, ttlMs: 60_000, now });
  if (taken === undefined) return;
  const { record } = taken.snapshot;
  const marks = Array.isArray(record.state) ? record.state.map(String) : [];
  facts.push({ kind: "saw", marks });
  held = { lease: taken.lease, lastSeq: record.lastSeq, marks };
}

async function write(opened: Store, facts: Fact[], count: number): Promise<void> {
  for (let n = 1; n <= count && held !== undefined; n += 1) {
    const { lease } = held;
    const mark = `${scene.name}${n}`;
    const marks = [...held.marks, mark];
    const events = [{ type: "checkpoint", progress: marks.length, state: marks, items: [mark] }] as const;
    const { lastSeq } = (await opened.commit({ lease, afterSeq: held.lastSeq, events, consume: [], now })).record;
    facts.push({ kind: "acknowledged", epoch: lease.epoch, seq: lastSeq, mark });
    held = { lease, lastSeq, marks };
  }
}

async function perform(cue: Cue): Promise<Report> {
  const facts: Fact[] = [];
  try {
    if (cue.kind === "begin") await begin(cue);
    if (cue.kind !== "perform" || store === undefined) return { kind: "finished", facts };
    stopsAt = cue.byOperation ? () => true : (step) => steps.has(step);
    if (cue.part === "take") await take(store, facts);
    if (cue.part === "read") facts.push(await look(store));
    else await write(store, facts, cue.part === "write" ? 2 : 1);
    return { kind: "finished", facts };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { kind: "finished", facts, error: dead ? "died" : code };
  }
}

/** Reads as a follower does: what it was shown once must never change. */
async function look(opened: Store): Promise<Fact> {
  const { events } = await opened.readEvents(scene.taskId, { afterSeq: 0, limit: 100 });
  const marks = events.flatMap((event) => (event.type === "checkpoint" ? (event.items ?? []).map(String) : []));
  return { kind: "saw", marks };
}

for (let cue = awaitFirstCue(memory); ; ) cue = report(memory, await perform(cue));
