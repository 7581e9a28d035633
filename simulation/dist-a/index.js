// src/index.ts
import "@modelcontextprotocol/sdk/server/mcp.js";
import "@modelcontextprotocol/sdk/types.js";
import "@modelcontextprotocol/sdk/validation/ajv";
import "@modelcontextprotocol/server";
import "@modelcontextprotocol/server/validators/ajv";
import { randomInt } from "crypto";
import { parseArgs } from "util";

// src/world/random.ts
var Random = class _Random {
  #state;
  constructor(seed) {
    this.#state = seed >>> 0;
  }
  /** From 0 to below 1 (mulberry32, public domain). */
  next() {
    this.#state = this.#state + 1831565813 >>> 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  }
  /** A whole number from 0 to below `end`. */
  below(end2) {
    return Math.floor(this.next() * end2);
  }
  between(low, high) {
    return low + this.next() * (high - low);
  }
  /** True in so many of a hundred cases. */
  percent(chance) {
    return this.next() * 100 < chance;
  }
  pick(values) {
    const value = values[this.below(values.length)];
    if (value === void 0) throw new RangeError("There is nothing to choose from.");
    return value;
  }
  /** A source of its own, so that choices here do not change those elsewhere. */
  fork() {
    return new _Random(Math.floor(this.next() * 2 ** 32));
  }
};

// src/run/draw-plan.ts
function drawPlan(seed) {
  const random = new Random(seed);
  const mode = random.pick(["chaos", "chaos", "chaos", "poison", "waiting"]);
  const durability = random.percent(70) ? "machine" : "process";
  const workers = random.pick([1, 2, 2, 3]);
  const calmMs = random.pick([5e3, 15e3, 4e4]);
  const owners = Array.from({ length: random.pick([1, 2, 3]) }, (_, index) => `owner-number-${index}`);
  const calls = Array.from(
    { length: 1 + random.below(10) },
    (_, index) => drawCall(random, { index, owners, calmMs, mode })
  );
  const faultCount = random.pick([0, 2, 5, 10, 20, 40]);
  const frame = { calmMs, workers, durability, mode };
  const drawn = mode === "poison" ? [] : Array.from({ length: faultCount }, () => drawFault(random, frame));
  const faults = mode === "waiting" ? drawn.map((fault, index) => ({ ...fault, atMs: 2500 * (index + 1) })) : drawn;
  return {
    seed,
    mode,
    durability,
    workers,
    limits: {
      leaseTtlMs: 3e3,
      heartbeatMs: 1e3,
      pollMs: 300,
      recoverAfterMs: random.pick([0, 2e3, 8e3]),
      maxRunning: random.pick([2, 4, 32]),
      waitInPlaceMs: random.pick([200, 3e3]),
      graceMs: 1e3,
      trialMs: random.pick([500, 3e3]),
      crashBackoffMs: 200,
      // Where tools work while processes are killed at random, only they could be blamed.
      maxCrashesWithoutProgress: mode === "chaos" ? 1e3 : 3,
      maxCrashesInCompany: mode === "chaos" ? 1e3 : 10,
      maxDeathsInWaits: mode === "chaos" ? 1e3 : 100
    },
    storeLimits: {
      rotateBytes: random.pick([700, 3e3, 1e6]),
      maxJournalFiles: random.pick([3, 12]),
      keepJournalFiles: 2
    },
    probeEveryMs: random.pick([0, 0, 700]),
    restartMs: random.pick([20, 300, 3e3]),
    calmMs,
    calls,
    faults: faults.toSorted((one, other) => one.atMs - other.atMs)
  };
}
function drawCall(random, { index, owners, calmMs, mode }) {
  const length = random.pick([1, 3, 8, 20]);
  const program = Array.from({ length }, () => mode === "waiting" ? drawWait(random) : drawOperation(random));
  if (mode === "poison" && index === 0) program.splice(random.below(length), 0, { op: "poison" });
  const run = random.percent(15) ? "shared" : `run-${index}`;
  const interventions = Array.from({ length: random.pick([0, 0, 1, 3]) }, () => ({
    atMs: random.between(0, calmMs),
    what: random.pick(["pause", "resume", "cancel", "detach", "drop", "drop"])
  }));
  return {
    name: `caller-${index}`,
    owner: random.pick(owners),
    via: random.pick(["engine", "engine", "2025", "2026"]),
    input: {
      run,
      program: run === "shared" ? [
        { op: "work", ms: 300 },
        { op: "sleep", ms: 2e3 }
      ] : program
    },
    detached: random.percent(30),
    callId: random.percent(40) ? `call-${index}-of-the-run` : void 0,
    returnsPercent: random.pick([0, 60, 100, 100]),
    answersPercent: random.pick([0, 70, 100, 100]),
    interventions,
    atMs: random.between(0, calmMs * 0.7)
  };
}
function drawOperation(random) {
  const kind = random.below(100);
  if (kind < 45) return { op: "work", ms: random.pick([0, 1, 20, 400]) };
  if (kind < 60) return { op: "step" };
  if (kind < 72) return { op: "sleep", ms: random.pick([50, 1e3, 6e3]) };
  if (kind < 84) return { op: "ask", ...random.percent(30) && { timeoutMs: 5e3 } };
  if (kind < 92) return { op: "fail", times: random.pick([1, 2]) };
  if (kind < 97) return { op: "stubborn", ms: random.pick([500, 4e3]) };
  return { op: "give_up" };
}
function drawWait(random) {
  return random.percent(50) ? { op: "ask" } : { op: "sleep", ms: random.pick([1e3, 6e3, 2e4]) };
}
function drawFault(random, frame) {
  const { calmMs, workers, durability, mode } = frame;
  const kinds = [
    "kill",
    "kill",
    "kill_all",
    "die_at_call",
    "die_at_call",
    "die_at_call",
    "die_at_point",
    "die_at_point",
    "die_at_point",
    "freeze",
    "clock",
    "drift",
    "full",
    "slow",
    "errors",
    "drain",
    ...durability === "machine" ? ["power", "power", "power"] : []
  ];
  const kind = random.pick(mode === "waiting" ? ["kill", "kill_all"] : kinds);
  return { atMs: random.between(0, calmMs), kind, slot: random.below(workers), amount: drawAmount(random, kind) };
}
function drawAmount(random, kind) {
  if (kind === "die_at_call") return random.pick([1, 3, 10, 30, 100]) + random.below(10);
  if (kind === "die_at_point") return random.below(1e6);
  if (kind === "clock") return random.pick([-6e5, -5e3, 5e3, 6e5]);
  if (kind === "drift") return random.pick([-0.01, -1e-3, 1e-3, 0.01]);
  return random.pick([100, 2e3, 5e3, 12e3]);
}

// ../packages/core/src/errors.ts
var brand = /* @__PURE__ */ Symbol.for("resumable-mcp.error");
var retryBrand = /* @__PURE__ */ Symbol.for("resumable-mcp.retryable");
var terminalBrand = /* @__PURE__ */ Symbol.for("resumable-mcp.terminal");
var interruptedBrand = /* @__PURE__ */ Symbol.for("resumable-mcp.interrupted");
function isBranded(error, mark) {
  return typeof error === "object" && error !== null && mark in error;
}
function causeOf({ cause }) {
  return cause === void 0 ? void 0 : { cause };
}
var ResumableError = class extends Error {
  name = "ResumableError";
  code;
  details;
  [brand] = true;
  constructor(code, message, options) {
    super(message, causeOf(options));
    this.code = code;
    this.details = options.details;
  }
};
function invalidValue(what, problems) {
  return new ResumableError("INVALID_VALUE", `${what} is not valid: ${problems.slice(0, 10).join("; ")}.`, {
    details: { what, problems }
  });
}
var RetryableError = class extends Error {
  name = "RetryableError";
  /** How long to wait before the next attempt, in milliseconds; the retry policy decides when absent. */
  delayMs;
  [retryBrand] = true;
  constructor(message, options = {}) {
    super(message, causeOf(options));
    this.delayMs = options.delayMs;
  }
};
var TerminalError = class extends Error {
  name = "TerminalError";
  [terminalBrand] = true;
};
var TaskInterrupted = class extends Error {
  name = "TaskInterrupted";
  reason;
  [interruptedBrand] = true;
  constructor(reason) {
    super(`The attempt stops: ${reason}. Let this error pass; the engine knows what to do.`);
    this.reason = reason;
  }
};
function isResumableError(error, ...codes) {
  if (!isBranded(error, brand)) return false;
  return codes.length === 0 || "code" in error && codes.some((code) => code === error.code);
}
var isRetryableError = (error) => isBranded(error, retryBrand);
var isTerminalError = (error) => isBranded(error, terminalBrand);

// ../packages/core/src/limits.ts
var engineDefaults = {
  /** A worker without a heartbeat for this long has lost its leases. */
  leaseTtlMs: 15e3,
  heartbeatMs: 5e3,
  /**
   * A task whose caller was connected when its process died resumes without that caller after this time, counted from
   * when a process first sees it. 0: at once; `Infinity`: never.
   */
  recoverAfterMs: 3e4,
  /** How often to look where no notification came. */
  pollMs: 1e3,
  /** How long a notification about a running task may wait for a commit that brings the news along. */
  notificationDelayMs: 50,
  /** Attempts that run at once in this process. */
  maxRunning: 32,
  maxRunningPerOwner: 16,
  /** Attempts that wait in place for an answer or a time; they take no slot. Beyond that a wait ends its attempt. */
  maxWaitingInPlace: 64,
  /** Unfinished tasks that one owner may have, as far as this process knows them. */
  maxUnfinishedPerOwner: 1e3,
  /** How long finished tasks are kept. */
  ttlMs: 7 * 24 * 60 * 60 * 1e3,
  sweepEveryMs: 60 * 60 * 1e3,
  /** The first sweep after the start; servers that restart often sweep too. */
  firstSweepMs: 6e4,
  /** The same call gets a completed task that was not delivered, for this long. */
  reuseResultMs: 10 * 60 * 1e3,
  /** After this time without a checkpoint, a pause or cancellation is carried out without the tool. */
  graceMs: 1e4,
  drainTimeoutMs: 1e4,
  /** Waits of `ask` and `sleep` longer than this end the attempt and free its slot. */
  waitInPlaceMs: 3e4,
  /** Deaths in a row without progress that no other task can have caused. */
  maxCrashesWithoutProgress: 3,
  /** Deaths in a row without progress in all, also those that another task may have caused. */
  maxCrashesInCompany: 10,
  /** Deaths in a row of a task that only waited: a tool that begins another wait before each death ends too. */
  maxDeathsInWaits: 100,
  crashBackoffMs: 1e3,
  /** How long a task whose process died once keeps other such tasks from running at the same time; four times as long for each further death. */
  trialMs: 3e4,
  /** After a failed write the task waits, in memory, and doubles the wait up to the second figure. */
  writeBackoffMs: 500,
  maxWriteBackoffMs: 3e4,
  /** Deleting or restarting a task waits so long for a process that is just writing it. */
  claimPatienceMs: 2e3,
  /** Tasks taken from the store's list of runnable ones at a time. */
  lookBatch: 200,
  /** Deletions of one sweep. */
  sweepBatch: 1e3,
  /** Events that a follower reads at once. */
  followBatch: 256,
  maxInputBytes: 1024 * 1024
};
var taskDefaults = {
  maxSteps: 1e4,
  maxStepBytes: 1024 * 1024,
  maxStateBytes: 1024 * 1024,
  /** Of one checkpoint. */
  maxAppendBytes: 4 * 1024 * 1024,
  /** Of all checkpoints together. */
  maxItemsBytes: 1024 * 1024 * 1024,
  maxOutputBytes: 4 * 1024 * 1024,
  maxMessageLength: 2e3,
  maxLogBytes: 64 * 1024,
  /** Log entries between two commits; the oldest beyond that are dropped, and the drop is logged. */
  maxPendingLogs: 1e3,
  maxKeyLength: 200
};
var fixedLimits = {
  /** A call that found its task waits for it within this time, or not at all. */
  arrivalMs: 1e3,
  /** Calls that found their tasks and may still begin to wait; the oldest is forgotten first. */
  maxArrivals: 1e3,
  /** Times that journals name, of which the clock's distance is known; beyond it the wall clock decides over the oldest. */
  maxDueTimes: 1e5,
  /** Others may restart, finish or delete a failed task meanwhile; after this many lost races the call begins a new task. */
  maxContinueTries: 5,
  /** Unfinished tasks that are counted one by one when an engine opens. */
  maxCountedTasks: 1e3,
  /** Tasks on a page that the engine reads for itself. */
  taskPage: 1e3,
  /** Pages that are read for a suspect at most: what is older than that many tasks is taken for innocent. */
  maxCompanionPages: 10,
  itemPage: 1e3,
  /** Yields of a `finally` block that are ignored; then the tool is left. */
  maxYieldsInFinally: 1e3,
  /** Of the message of an error that a journal keeps, in characters. */
  maxFailureLength: 2e3
};
var storeQuotaDefaults = {
  /** Events of one task, all together. */
  maxJournalEvents: 1e8,
  /** What is kept of one task's journal, its items included. */
  maxJournalBytes: 4 * 1024 * 1024 * 1024,
  /** Tasks and bytes of a store that still takes new ones. Only where they are set is a store measured. */
  maxStoreTasks: Number.POSITIVE_INFINITY,
  maxStoreBytes: Number.POSITIVE_INFINITY
};
function withDefaults(defaults, given = {}) {
  const filled = { ...defaults, ...given };
  for (const name in defaults) filled[name] ??= defaults[name];
  return filled;
}
function checkLimit(limit, value, allowed) {
  if (value <= allowed) return;
  throw new ResumableError(
    "LIMIT_EXCEEDED",
    `${limit} allows ${allowed}, and this would be ${value}. Make it smaller, or raise the limit where the tool or engine is defined.`,
    { details: { limit, value, allowed } }
  );
}

// ../packages/core/src/engine/clock.ts
var systemClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, keepAlive = false) {
    const timer = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1));
    if (!keepAlive && typeof timer === "object") timer.unref?.();
    return () => clearTimeout(timer);
  }
};
function instantOf(clock) {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
}
var lastMs = 864e13;
function isoOf(wallMs) {
  return new Date(Math.min(wallMs, lastMs)).toISOString();
}
function repeat(clock, { firstMs, everyMs }, run, onError) {
  let stopped2 = false;
  let stopTimer = () => {
  };
  const arm = (delayMs) => {
    if (stopped2) return;
    stopTimer = clock.after(delayMs, () => {
      void run().catch(onError).finally(() => arm(everyMs));
    });
  };
  arm(firstMs);
  return () => {
    stopped2 = true;
    stopTimer();
  };
}
var DueTimes = class {
  #clock;
  /** By the time in the journal: monotonic milliseconds. */
  #known = /* @__PURE__ */ new Map();
  constructor(clock) {
    this.#clock = clock;
  }
  /** Milliseconds until a time of the wall clock comes; 0 or less when it has come. */
  leftMs(wallMs) {
    if (!Number.isFinite(wallMs)) return wallMs;
    const nowMs = this.#clock.monotonicMs();
    const dueMs2 = this.#known.get(wallMs) ?? this.#note(wallMs, nowMs + wallMs - this.#clock.wallMs());
    return dueMs2 - nowMs;
  }
  #note(wallMs, dueMs2) {
    this.#known.set(wallMs, dueMs2);
    const [oldest] = this.#known.keys();
    if (this.#known.size > fixedLimits.maxDueTimes && oldest !== void 0) this.#known.delete(oldest);
    return dueMs2;
  }
};

// ../packages/core/src/engine/engine.ts
function ownerTag(kind, id) {
  return `${kind}:${id}`;
}

// ../packages/core/src/task/task-event.ts
function isFinalEvent(event) {
  return event.type === "completed" || event.type === "failed" || event.type === "cancelled";
}
var pinned = /^JSON_RPC_(-32[0-9]{3})$/;
function rpcFailureCode(error) {
  if (typeof error !== "object" || error === null || !("code" in error)) return void 0;
  const { code } = error;
  const reserved = Number.isInteger(code) && Number(code) >= -32768 && Number(code) <= -32e3;
  return reserved ? `JSON_RPC_${String(code)}` : void 0;
}
function rpcCodeOf(failure) {
  const code = pinned.exec(failure.code)?.[1];
  return code === void 0 ? void 0 : Number(code);
}

// ../packages/store-fs/src/journal/task-folder.ts
import { join as join4 } from "path";

// ../packages/store-fs/src/disk/layout.ts
import { createHash } from "crypto";
import { join as join3 } from "path";
import { crc32 } from "zlib";

// ../packages/store-fs/src/disk/numbered-files.ts
import { dirname as dirname2, join as join2 } from "path";

// ../packages/store-fs/src/disk/disk.ts
function isSystemError(error) {
  return error instanceof Error && "code" in error && "syscall" in error;
}
function hasCode(error, ...codes) {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}

// ../packages/store-fs/src/disk/whole-file.ts
import { dirname, join } from "path";
function readFrom(disk, path, position = 0) {
  const file = openIfExists(disk, path);
  if (file === void 0) return void 0;
  try {
    const size = disk.stat(path)?.size ?? 0;
    return readRange(disk, file, position, Math.max(size - position, 0));
  } finally {
    disk.close(file);
  }
}
function ifThere(call) {
  try {
    return call();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return void 0;
    throw error;
  }
}
function openIfExists(disk, path) {
  return ifThere(() => disk.open(path, "r"));
}
function readRange(disk, file, position, length) {
  return readInto(disk, file, position, Buffer.allocUnsafe(length));
}
function readInto(disk, file, position, into) {
  let filled = 0;
  while (filled < into.byteLength) {
    const count = disk.read(file, into.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return into.subarray(0, filled);
}
function writeAll(disk, file, bytes, position = null) {
  const count = disk.write(file, bytes, position);
  if (count === bytes.byteLength) return;
  throw Object.assign(new Error(`ENOSPC: ${count} of ${bytes.byteLength} bytes were written`), {
    code: "ENOSPC",
    syscall: "write"
  });
}
function createFile(disk, path, bytes) {
  appendTo(disk, path, bytes, "wx");
}
function appendTo(disk, path, bytes, flags2 = "a") {
  const file = disk.open(path, flags2);
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}
function touchFile(disk, path) {
  disk.close(disk.open(path, "a"));
}
function linkUnlessTaken(disk, from, to) {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}
function createWhole(disk, path, bytes, unique, isSynced = false) {
  const draft = join(dirname(path), `.draft.${unique}`);
  createFile(disk, draft, bytes);
  try {
    if (isSynced) syncPathNow(disk, draft);
    return linkUnlessTaken(disk, draft, path);
  } finally {
    unlinkIfExists(disk, draft);
  }
}
function replaceWhole(disk, path, bytes, unique, isSynced) {
  const draft = join(dirname(path), `.draft.${unique}`);
  try {
    createFile(disk, draft, bytes);
    if (isSynced) syncPathNow(disk, draft);
    disk.rename(draft, path);
  } catch (error) {
    unlinkIfExists(disk, draft);
    throw error;
  }
}
function unlinkIfExists(disk, path) {
  const removed = ifThere(() => {
    disk.unlink(path);
    return true;
  });
  return removed ?? false;
}
function listIfExists(disk, folder) {
  return ifThere(() => disk.list(folder));
}
async function syncPath(disk, path) {
  const file = disk.open(path, "r+");
  try {
    await disk.syncData(file);
  } finally {
    disk.close(file);
  }
}
function syncPathNow(disk, path) {
  withFile(disk, path, "r+", (file) => disk.syncDataNow(file));
}
function rewriteInPlace(disk, path, length) {
  withFile(disk, path, "r+", (file) => disk.write(file, readRange(disk, file, 0, length), 0));
}
function withFile(disk, path, flags2, run) {
  const file = disk.open(path, flags2);
  try {
    return run(file);
  } finally {
    disk.close(file);
  }
}

// ../packages/store-fs/src/disk/numbered-files.ts
var NumberedFiles = class {
  #prefix;
  #suffix;
  constructor(prefix, suffix) {
    this.#prefix = prefix;
    this.#suffix = suffix;
  }
  nameOf(number) {
    return `${this.#prefix}${number}${this.#suffix}`;
  }
  /** The number of a file's name, if it is one of these. */
  numberOf(name) {
    if (!name.startsWith(this.#prefix) || !name.endsWith(this.#suffix)) return void 0;
    const digits2 = name.slice(this.#prefix.length, name.length - this.#suffix.length);
    return /^\d+$/.test(digits2) ? Number(digits2) : void 0;
  }
  /** The numbers in a folder, lowest first; none where there is no folder. */
  list(disk, folder) {
    return this.numbersIn(listIfExists(disk, folder) ?? []);
  }
  /** The numbers of names, lowest first. */
  numbersIn(names) {
    return names.flatMap((name) => this.numberOf(name) ?? []).sort((left, right) => left - right);
  }
  /** Makes an empty file and opens it for appending. @returns `undefined` when the number is taken. */
  open(disk, folder, number) {
    try {
      return disk.open(join2(folder, this.nameOf(number)), "wx");
    } catch (error) {
      if (hasCode(error, "EEXIST")) return void 0;
      throw error;
    }
  }
  /**
   * Makes a file whole, and its folder where there is none.
   *
   * @returns its path, or `undefined` when the number is taken.
   */
  create(disk, folder, number, whole) {
    return this.publish(disk, draftFile(disk, folder, whole), number);
  }
  /** Gives a draft its number. @returns its path, or `undefined` when the number is taken. */
  publish(disk, draft, number) {
    const path = join2(dirname2(draft), this.nameOf(number));
    try {
      return linkUnlessTaken(disk, draft, path) ? path : void 0;
    } finally {
      unlinkIfExists(disk, draft);
    }
  }
};
function draftFile(disk, folder, { bytes, unique }) {
  const draft = join2(folder, `.draft.${unique}`);
  for (; ; ) {
    disk.makeFolder(folder);
    try {
      appendTo(disk, draft, bytes, "wx");
      return draft;
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
}
var missing = /* @__PURE__ */ Symbol("missing");
function newest(list, read) {
  for (let numbers = list(); ; ) {
    for (const number of numbers.toReversed()) {
      const value = read(number);
      if (value === missing) break;
      if (value !== void 0) return value;
    }
    const again = list();
    if (again.join() === numbers.join()) return void 0;
    numbers = again;
  }
}

// ../packages/store-fs/src/disk/layout.ts
var layoutVersion = 1;
function layoutOf(directory) {
  return {
    directory,
    format: join3(directory, "format.json"),
    tasks: join3(directory, "tasks"),
    keys: join3(directory, "keys"),
    open: join3(directory, "open"),
    done: join3(directory, "done"),
    workers: join3(directory, "workers"),
    documents: join3(directory, "documents"),
    quarantine: join3(directory, "quarantine"),
    trash: join3(directory, "trash"),
    /** One byte is appended whenever a task may have become runnable, so that other processes look. */
    notifications: join3(directory, "notifications")
  };
}
function shardFolder(layout, taskId) {
  return join3(layout.tasks, (crc32(taskId) & 255).toString(16).padStart(2, "0"));
}
function taskFolder(layout, taskId) {
  return join3(shardFolder(layout, taskId), taskId);
}
var journalFiles = new NumberedFiles("journal.", ".jsonl");
var claimFiles = new NumberedFiles("", "");
var versionFiles = new NumberedFiles("", ".json");
function journalName(epoch) {
  return journalFiles.nameOf(epoch);
}
function leaseName(epoch, holder) {
  return `lease.${epoch}.${holder}`;
}
function quietName(leaseFile) {
  return leaseFile.replace(/^lease/, "quiet");
}
var safeName = /^[A-Za-z0-9_-]{1,100}$/;
function holderName(worker, instance) {
  return `${fileName(worker)}.${instance}`;
}
function fileName(text2) {
  return safeName.test(text2) ? text2 : `h${hashOf(text2).slice(0, 40)}`;
}
function hashOf(text2) {
  return createHash("sha256").update(text2).digest("hex");
}
var idPattern = /^[A-Za-z0-9_-]{16,64}$/;
function isSafeId(id) {
  return idPattern.test(id);
}

// ../packages/store-fs/src/journal/task-folder.ts
var plainKinds = ["pause", "resume", "cancel", "detach", "delivered", "undelivered"];
var signalPattern = /^signal\.(\d+)\.([a-z_]+)\.[A-Za-z0-9_-]+$/;
function lookAt(disk, folder) {
  const names = listIfExists(disk, folder);
  return names && parseNames(names);
}
function parseNames(names) {
  const epochs = [];
  const leases = [];
  const signals = [];
  const answers = [];
  const quiet = [];
  for (const name of names) {
    const epoch = journalFiles.numberOf(name);
    if (epoch !== void 0) epochs.push(epoch);
    else if (name.startsWith("lease.")) leases.push(name);
    else if (name.startsWith("answer.")) answers.push(name);
    else if (name.startsWith("quiet.")) quiet.push(name);
    else signals.push(...parseSignal(name) ?? []);
  }
  epochs.sort((left, right) => left - right);
  signals.sort((left, right) => left.order - right.order || (left.id < right.id ? -1 : 1));
  return { epochs, newest: epochs.at(-1) ?? 0, leases, signals, answers, quiet };
}
function parseSignal(name) {
  const match = name.startsWith("signal.") ? signalPattern.exec(name) : null;
  const kind = plainKinds.find((known2) => known2 === match?.[2]);
  return kind && [{ id: name, order: Number(match?.[1]), kind }];
}
function parseLease(name) {
  const [, epoch, ...holder] = name.split(".");
  return { epoch: Number(epoch), holder: holder.join(".") };
}
function signalFile(id) {
  return id.startsWith("answer.") ? id.split(".").slice(0, 3).join(".") : id;
}
function disturb({ disk, layout }, taskId) {
  const folder = taskFolder(layout, taskId);
  for (const name of lookAt(disk, folder)?.quiet ?? []) unlinkIfExists(disk, join4(folder, name));
}
function* taskIds({ disk, layout }) {
  for (const shard of listIfExists(disk, layout.tasks) ?? []) {
    for (const id of listIfExists(disk, join4(layout.tasks, shard)) ?? []) if (isSafeId(id)) yield id;
  }
}
function taskExists({ disk, layout }, taskId) {
  return isSafeId(taskId) && disk.stat(taskFolder(layout, taskId)) !== void 0;
}

// ../packages/store-fs/src/disk/node-disk.ts
import fs3 from "fs";

// ../packages/documents/src/document-disk.ts
import fs from "fs";
import { open } from "fs/promises";
import { promisify } from "util";
var fdatasync = promisify(fs.fdatasync);
var nodeDocumentDisk = {
  open: (path, flags2, mode) => fs.openSync(path, flags2, mode),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.byteLength, position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.byteLength, position),
  stat: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  link: (from, to) => fs.linkSync(from, to),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  syncData: (file) => fdatasync(file),
  syncDataNow: (file) => fs.fdatasyncSync(file),
  async syncFolder(path) {
    if (process.platform === "win32") return;
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  }
};

// ../packages/documents/src/document-file.ts
import { randomUUID } from "crypto";
import { dirname as dirname3, join as join5 } from "path";

// ../node_modules/.pnpm/lowdb@7.0.1/node_modules/lowdb/lib/core/Low.js
function checkArgs(adapter, defaultData) {
  if (adapter === void 0)
    throw new Error("lowdb: missing adapter");
  if (defaultData === void 0)
    throw new Error("lowdb: missing default data");
}
var Low = class {
  adapter;
  data;
  constructor(adapter, defaultData) {
    checkArgs(adapter, defaultData);
    this.adapter = adapter;
    this.data = defaultData;
  }
  async read() {
    const data = await this.adapter.read();
    if (data)
      this.data = data;
  }
  async write() {
    if (this.data)
      await this.adapter.write(this.data);
  }
  async update(fn) {
    fn(this.data);
    await this.write();
  }
};
var LowSync = class {
  adapter;
  data;
  constructor(adapter, defaultData) {
    checkArgs(adapter, defaultData);
    this.adapter = adapter;
    this.data = defaultData;
  }
  read() {
    const data = this.adapter.read();
    if (data)
      this.data = data;
  }
  write() {
    if (this.data)
      this.adapter.write(this.data);
  }
  update(fn) {
    fn(this.data);
    this.write();
  }
};

// ../packages/documents/src/document-text.ts
function parseDocument(schema2, text2) {
  let value;
  try {
    value = JSON.parse(text2);
  } catch {
    return { problem: "it is not JSON" };
  }
  const parsed2 = schema2.safeParse(value);
  return parsed2.success ? { document: parsed2.data } : { problem: problemOf(parsed2.error) };
}
function formatDocument(schema2, document, path) {
  const checked = schema2.safeParse(document);
  if (!checked.success) throw new TypeError(`${path} was not written: ${problemOf(checked.error)}.`);
  return `${JSON.stringify(document, null, 2)}
`;
}
function problemOf(error) {
  const [issue] = error.issues;
  const place2 = issue?.path.join(".") ?? "";
  return place2 === "" ? "it does not fit its schema" : `${place2} does not fit its schema`;
}
function readText(disk, path) {
  const file = openIfExists2(disk, path);
  if (file === void 0) return void 0;
  try {
    const bytes = Buffer.alloc(disk.stat(path)?.size ?? 0);
    let filled = 0;
    while (filled < bytes.byteLength) {
      const count = disk.read(file, bytes.subarray(filled), filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.toString("utf8", 0, filled);
  } finally {
    disk.close(file);
  }
}
function openIfExists2(disk, path) {
  try {
    return disk.open(path, "r");
  } catch (error) {
    if (hasCode2(error, "ENOENT")) return void 0;
    throw error;
  }
}
function writeAll2(disk, file, bytes) {
  const count = disk.write(file, bytes, 0);
  if (count === bytes.byteLength) return;
  const message = `ENOSPC: ${count} of ${bytes.byteLength} bytes were written`;
  throw Object.assign(new Error(message), { code: "ENOSPC", syscall: "write" });
}
function unlinkIfExists2(disk, path) {
  try {
    disk.unlink(path);
  } catch {
  }
}
function hasCode2(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}

// ../packages/documents/src/document-file.ts
var DocumentFile = class {
  #options;
  /** What stands in the file is known to be a document, or the file to be missing. */
  #isKnown = false;
  constructor(options) {
    this.#options = { sync: "name", mode: 384, disk: nodeDocumentDisk, createName: randomUUID, ...options };
  }
  /** Reads the document; `null` when there is none, or only white space. */
  async read() {
    const { path, schema: schema2, disk, onDamage } = this.#options;
    const text2 = readText(disk, path);
    const found = text2 === void 0 || text2.trim() === "" ? void 0 : parseDocument(schema2, text2);
    if (text2 !== void 0 && found !== void 0 && "problem" in found) {
      await onDamage({ path, problem: found.problem, text: text2 });
      if (disk.stat(path) !== void 0)
        throw new Error(`${path} is damaged (${found.problem}); it was left as it is.`);
    }
    this.#isKnown = true;
    return found !== void 0 && "document" in found ? found.document : null;
  }
  /** Replaces the document. @throws a `TypeError` for one that does not fit the schema: nothing is written. */
  async write(document) {
    const { path, schema: schema2, disk, sync, mayReplace } = this.#options;
    const text2 = formatDocument(schema2, document, path);
    if (!this.#isKnown) await this.read();
    const draft = join5(dirname3(path), `.draft.${this.#options.createName()}`);
    try {
      await this.#writeDraft(draft, text2);
      if (mayReplace?.() === false) return unlinkIfExists2(disk, draft);
      disk.rename(draft, path);
    } catch (error) {
      unlinkIfExists2(disk, draft);
      throw error;
    }
    if (sync === "name") await disk.syncFolder(dirname3(path));
  }
  async #writeDraft(draft, text2) {
    const { disk, mode, sync } = this.#options;
    const file = disk.open(draft, "wx", mode);
    try {
      writeAll2(disk, file, Buffer.from(text2));
      if (sync !== "none") await disk.syncData(file);
    } finally {
      disk.close(file);
    }
  }
};
async function openDocument(options, initial) {
  const document = new Low(new DocumentFile(options), initial);
  await document.read();
  return document;
}

// ../packages/documents/src/first-document-file.ts
import { randomUUID as randomUUID2 } from "crypto";
import { dirname as dirname4, join as join6 } from "path";
var FirstDocumentFile = class {
  #options;
  constructor(options) {
    this.#options = { mode: 384, disk: nodeDocumentDisk, createName: randomUUID2, ...options };
  }
  /** Reads the document; `null` when there is none. */
  read() {
    const { path, schema: schema2, disk, onDamage } = this.#options;
    const text2 = readText(disk, path);
    if (text2 === void 0) return null;
    const found = parseDocument(schema2, text2);
    if ("document" in found) return found.document;
    onDamage({ path, problem: found.problem, text: text2 });
    return null;
  }
  /** Writes the document. @throws an error with the code `EEXIST` when there is one. */
  write(document) {
    const { path, schema: schema2, disk, createName } = this.#options;
    const text2 = formatDocument(schema2, document, path);
    const draft = join6(dirname4(path), `.draft.${createName()}`);
    try {
      this.#writeDraft(draft, text2);
      disk.link(draft, path);
    } finally {
      unlinkIfExists2(disk, draft);
    }
  }
  #writeDraft(draft, text2) {
    const { disk, mode, sync } = this.#options;
    const file = disk.open(draft, "wx", mode);
    try {
      writeAll2(disk, file, Buffer.from(text2));
      if (sync === "content") disk.syncDataNow(file);
    } finally {
      disk.close(file);
    }
  }
};
function writeFirstDocument(options, document) {
  try {
    new LowSync(new FirstDocumentFile(options), document).write();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

// ../packages/store-fs/src/disk/platform.ts
import fs2 from "fs";
import os from "os";
var canSyncFolders = process.platform !== "win32";
function createHost() {
  const identity = {
    host: os.hostname(),
    bootId: textOf(() => fs2.readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    processNamespace: textOf(() => fs2.readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? ""
  };
  return { identity, processState: (other) => processState(identity, other) };
}
function processState(own, other) {
  const visible = own.host === other.host && own.bootId === other.bootId && own.processNamespace === other.processNamespace;
  if (!visible) return "unknown";
  if (other.startTime === "") return signalReaches(other.pid) ? "alive" : "dead";
  return startTimeOf(other.pid) === other.startTime ? "alive" : "dead";
}
function signalReaches(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
function startTimeOf(pid) {
  const fields = textOf(() => fs2.readFileSync(`/proc/${pid}/stat`, "utf8")).split(")").at(-1)?.trim().split(" ") ?? [];
  const [state] = fields;
  return state === "Z" || state === "X" ? void 0 : fields[19];
}
function textOf(read) {
  try {
    return read().trim();
  } catch {
    return "";
  }
}
var networkFileSystems = /* @__PURE__ */ new Map([
  [26985, "NFS"],
  [20859, "SMB"],
  [4283649346, "CIFS"],
  [4266872130, "SMB2"],
  [16914839, "9p"],
  [12805120, "Ceph"],
  [1397113167, "AFS"],
  [198183888, "Lustre"],
  [1196443219, "GPFS"],
  [18225520, "GFS2"],
  [1952539503, "OCFS2"]
]);
function networkFileSystemName(type) {
  return networkFileSystems.get(type >>> 0);
}

// ../packages/store-fs/src/disk/node-disk.ts
var nodeDisk = {
  ...nodeDocumentDisk,
  open: (path, flags2) => fs3.openSync(path, flags2),
  truncate: (file, length) => fs3.ftruncateSync(file, length),
  stat: (path) => ifThere(() => {
    const stat = fs3.statSync(path);
    return { size: stat.size, modifiedMs: stat.mtimeMs, isFolder: stat.isDirectory() };
  }),
  identify(path) {
    const stat = fs3.statSync(path, { throwIfNoEntry: false });
    return stat && { id: `${stat.dev}:${stat.ino}`, state: `${stat.mtimeMs}:${stat.nlink}` };
  },
  exists: (path) => fs3.existsSync(path),
  list: (folder) => fs3.readdirSync(folder),
  makeFolder: (path) => void fs3.mkdirSync(path, { recursive: true, mode: 448 }),
  removeFolder: (path) => fs3.rmdirSync(path),
  removeTree: (path) => fs3.rmSync(path, { recursive: true, force: true }),
  syncFolderNow(path) {
    if (!canSyncFolders) return;
    const folder = fs3.openSync(path, "r");
    try {
      fs3.fsyncSync(folder);
    } finally {
      fs3.closeSync(folder);
    }
  },
  fileSystemType(path) {
    try {
      return fs3.statfsSync(path).type;
    } catch (error) {
      if (hasCode(error, "ENOSYS", "ENOENT", "ENOTSUP")) return void 0;
      throw error;
    }
  },
  watch(path, changed, failed2) {
    const watcher = fs3.watch(path, { persistent: false }, (_event, name) => changed(name ?? void 0));
    watcher.on("error", () => {
      watcher.close();
      failed2();
    });
    return watcher;
  }
};

// ../packages/store-fs/src/disk/store-context.ts
import { randomBytes } from "crypto";
import { resolve } from "path";

// ../packages/core/src/json.ts
function copyJson(value, what) {
  return copy(value, what, [], /* @__PURE__ */ new Set());
}
function copy(value, what, path, above) {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refuse(what, path, String(value));
    return Object.is(value, -0) ? 0 : value;
  }
  if (typeof value !== "object") throw refuse(what, path, typeof value);
  if (above.has(value)) throw refuse(what, path, "a reference to itself");
  above.add(value);
  const result = Array.isArray(value) ? Array.from(value, (item, index) => copy(item, what, [...path, index], above)) : copyObject(value, what, path, above);
  above.delete(value);
  return result;
}
function copyObject(value, what, path, above) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refuse(what, path, `an instance of ${value.constructor?.name ?? "a class"}`);
  }
  const result = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === void 0) continue;
    const copied = copy(item, what, [...path, key], above);
    Object.defineProperty(result, key, { value: copied, enumerable: true, writable: true, configurable: true });
  }
  return result;
}
function deepFreeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object") deepFreeze(inner);
  }
  return Object.freeze(value);
}
function refuse(what, path, found) {
  const place2 = path.map((part) => typeof part === "number" ? `[${part}]` : `.${part}`).join("");
  return new ResumableError(
    "NOT_JSON",
    `${what}${place2} is ${found}, which JSON cannot keep. Convert it first, for example to a string or a number.`,
    { details: { what, path: place2 } }
  );
}
function canonicalJson(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}
function isJsonObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isJsonArray(value) {
  return Array.isArray(value);
}
function jsonBytes(value) {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

// ../packages/core/src/store/store.ts
var contractVersion = 1;

// ../packages/core/src/store/store-errors.ts
function storeClosed() {
  return new ResumableError("STORE_CLOSED", "The store was closed. Create a new one.", { details: {} });
}
function taskNotFound(taskId) {
  return new ResumableError("TASK_NOT_FOUND", `There is no task ${taskId}. It may have been deleted.`, {
    details: { taskId }
  });
}
function leaseLost({ taskId, epoch }) {
  return new ResumableError(
    "LEASE_LOST",
    `Lease ${epoch} of task ${taskId} is over: nothing was written. Acquire a new one and read the task again.`,
    { details: { taskId, epoch } }
  );
}
function seqConflict(taskId, expected, actual) {
  return new ResumableError(
    "SEQ_CONFLICT",
    `The journal of task ${taskId} ends at ${actual}, not at ${expected}: nothing was written. Read the task again.`,
    { details: { taskId, expected, actual } }
  );
}
function keyTaken(taskId, otherTaskId) {
  return new ResumableError(
    "KEY_TAKEN",
    `Task ${taskId} cannot begin again: task ${otherTaskId} has the same call and is not finished. Use that one.`,
    { details: { taskId, otherTaskId } }
  );
}
function alreadyAnswered(taskId, key) {
  return new ResumableError(
    "ALREADY_ANSWERED",
    `Question ${JSON.stringify(key)} of task ${taskId} already has an answer. The first one counts.`,
    { details: { taskId, key } }
  );
}
function documentConflict(kind, id) {
  return new ResumableError(
    "DOCUMENT_CONFLICT",
    `The ${kind} ${id} has another version by now: nothing was written. Read it again and repeat the change.`,
    { details: { kind, id } }
  );
}

// ../packages/core/src/store/store-quotas.ts
function checkJournalQuotas(quotas, taskId, events, after) {
  const quota = after.events > quotas.maxJournalEvents ? "maxJournalEvents" : "maxJournalBytes";
  const used2 = quota === "maxJournalEvents" ? after.events : after.bytes;
  const limit = quotas[quota];
  if (used2 <= limit || !isContinuing(events)) return;
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The journal of task ${taskId} may hold ${quota} = ${limit}, and would hold ${used2}. Nothing was written. Do the rest in another task, or raise ${quota} of the store.`,
    { details: { quota, limit, used: used2, taskId } }
  );
}
var growing = ["checkpoint", "step", "sleep", "asked", "log", "restarted"];
var ending = ["attempt_ended", "completed", "failed", "cancelled"];
function isContinuing(events) {
  return events.some(({ type }) => growing.includes(type)) && !events.some(({ type }) => ending.includes(type));
}
function checkStoreQuotas(quotas, held3) {
  const quota = held3.tasks >= quotas.maxStoreTasks ? "maxStoreTasks" : "maxStoreBytes";
  const used2 = quota === "maxStoreTasks" ? held3.tasks : held3.bytes;
  const limit = quotas[quota];
  if (used2 < limit) return;
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The store may hold ${quota} = ${limit}, and holds ${used2}. No task was made; those that are there go on. Delete finished tasks, keep them for a shorter time (ttlMs), or raise ${quota}.`,
    { details: { quota, limit, used: used2 } }
  );
}

// ../packages/core/src/task/task-record.ts
var finalStatuses = ["completed", "failed", "cancelled"];
var unfinishedStatuses = [
  "pending",
  "running",
  "paused",
  "input_required"
];
var opposites = {
  pause: "resume",
  resume: "pause",
  delivered: "undelivered",
  undelivered: "delivered"
};
function oppositeOf(kind) {
  return opposites[kind];
}
function summarise(record, status) {
  return {
    id: record.id,
    owner: record.owner,
    tool: record.tool,
    status,
    progress: record.progress,
    detached: record.detached,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ttlMs: record.ttlMs,
    total: record.total,
    message: record.message,
    session: record.session,
    finishedAt: record.finishedAt,
    error: record.error
  };
}
function isFinal(status) {
  return finalStatuses.some((final) => final === status);
}
function entryOf({ remembered }, key) {
  return Object.hasOwn(remembered, key) ? remembered[key] : void 0;
}
function onlyWaits({ waitsFor = [] }) {
  return waitsFor.length > 0;
}
function waitsUntilMs(record) {
  const ends = (record.waitsFor ?? []).map((key) => {
    const entry = entryOf(record, key);
    const end2 = entry?.kind === "sleep" ? entry.until : entry?.kind === "question" && entry.question.expiresAt;
    return end2 ? Date.parse(end2) : Number.POSITIVE_INFINITY;
  });
  return Math.min(...ends);
}
function openQuestions(record) {
  return Object.entries(record.remembered).flatMap(
    ([key, entry]) => entry.kind === "question" ? [{ key, question: entry.question }] : []
  );
}

// ../packages/core/src/task/reduce-task.ts
function reduceTask(record, events, isPlain = false) {
  const first = events[0];
  const before = record ?? begin(first);
  const draft = isPlain ? copyPlain(before) : Object.assign(copyPlain(before), before);
  const rest = record === void 0 ? events.slice(1) : events;
  let ownsRemembered = false;
  for (const event of rest) {
    if (event.seq !== draft.lastSeq + 1) throw outOfOrder(draft.id, draft.lastSeq + 1, event.seq);
    draft.lastSeq = event.seq;
    draft.updatedAt = event.at;
    const entry = rememberedBy(draft, event);
    if (entry !== void 0) {
      if (!ownsRemembered) draft.remembered = { ...draft.remembered };
      ownsRemembered = true;
      setKey(draft.remembered, entry.key, Object.freeze(entry.value));
    }
    apply(draft, event);
  }
  draft.status = derivedStatus(draft, draft.live, asksAfter(record, rest, draft));
  Object.freeze(draft.remembered);
  return Object.freeze(draft);
}
function isPlainRecord(record) {
  const plain = copyPlain(record);
  return Object.keys(record).every((name) => Object.hasOwn(plain, name));
}
function copyPlain(record) {
  return {
    id: record.id,
    owner: record.owner,
    tool: record.tool,
    toolVersion: record.toolVersion,
    key: record.key,
    input: record.input,
    session: record.session,
    detached: record.detached,
    ttlMs: record.ttlMs,
    trace: record.trace,
    label: record.label,
    offeredVersions: record.offeredVersions,
    ownerQuotas: record.ownerQuotas,
    status: record.status,
    desiredState: record.desiredState,
    generation: record.generation,
    attempt: record.attempt,
    live: record.live,
    progressed: record.progressed,
    crashes: record.crashes,
    crashedIn: record.crashedIn,
    worker: record.worker,
    deathsInWaits: record.deathsInWaits,
    waitsFor: record.waitsFor,
    failures: record.failures,
    runnableAt: record.runnableAt,
    progress: record.progress,
    total: record.total,
    message: record.message,
    state: record.state,
    stateVersion: record.stateVersion,
    itemCount: record.itemCount,
    itemBytes: record.itemBytes,
    itemsFromSeq: record.itemsFromSeq,
    remembered: record.remembered,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    output: record.output,
    error: record.error,
    lastSeq: record.lastSeq
  };
}
function asksAfter(before, events, after) {
  const same = !events.some(({ type }) => type === "asked" || type === "answered" || type === "restarted");
  if (same && before?.status === "running") return false;
  if (same && before?.status === "input_required") return true;
  return openQuestions(after).length > 0;
}
function derivedStatus(record, live, asks) {
  if (record.finishedAt !== void 0) return record.status;
  if (!live && record.desiredState === "pause") return "paused";
  if (asks) return "input_required";
  return live ? "running" : "pending";
}
function begin(event) {
  if (event?.type !== "created" || event.seq !== 1) throw outOfOrder("?", 1, event?.seq ?? 0);
  return {
    ...event.task,
    status: "pending",
    desiredState: "run",
    generation: 1,
    attempt: 0,
    live: false,
    progressed: false,
    crashes: 0,
    failures: 0,
    progress: 0,
    itemCount: 0,
    itemBytes: 0,
    itemsFromSeq: 1,
    remembered: {},
    createdAt: event.at,
    updatedAt: event.at,
    lastSeq: 1
  };
}
function rememberedBy(draft, event) {
  switch (event.type) {
    case "step":
      return { key: event.key, value: { kind: "step", value: event.value } };
    case "sleep":
      return { key: event.key, value: { kind: "sleep", until: event.until } };
    case "asked":
      return { key: event.key, value: { kind: "question", question: event.question } };
    case "answered": {
      const entry = entryOf(draft, event.key);
      if (entry?.kind !== "question") return void 0;
      return { key: event.key, value: { kind: "answer", question: entry.question, answer: event.answer } };
    }
    default:
      return void 0;
  }
}
function apply(draft, event) {
  switch (event.type) {
    case "created":
      throw outOfOrder(draft.id, draft.lastSeq, event.seq);
    case "attempt_started":
      draft.attempt = event.attempt;
      draft.toolVersion = event.toolVersion;
      draft.live = true;
      draft.progressed = false;
      draft.worker = event.worker;
      draft.startedAt ??= event.at;
      draft.waitsFor = void 0;
      draft.runnableAt = void 0;
      return;
    case "attempt_ended":
      draft.live = false;
      if (event.reason === "crashed" && !draft.progressed) countDeath(draft);
      if (event.reason === "retry") draft.failures += 1;
      draft.waitsFor = void 0;
      draft.worker = void 0;
      draft.runnableAt = event.runnableAt;
      return;
    case "checkpoint":
      progressed(draft);
      checkpoint(draft, event);
      return;
    case "step":
      progressed(draft);
      return;
    case "answered":
      progressed(draft);
      if (!draft.live) draft.runnableAt = void 0;
      return;
    case "desiredState":
      draft.desiredState = event.desiredState;
      if (event.desiredState === "run") draft.runnableAt = void 0;
      return;
    case "detached":
      draft.detached = true;
      return;
    case "restarted":
      restart(draft, event.generation, event.fromState);
      return;
    case "completed":
    case "failed":
    case "cancelled":
      finish(draft, event);
      return;
    case "sleep":
    case "asked":
    case "waiting":
      draft.waitsFor = event.type === "waiting" ? event.keys : Object.freeze([...draft.waitsFor ?? [], event.key]);
      return;
    case "log":
      return;
  }
}
function checkpoint(draft, event) {
  draft.progress = event.progress ?? draft.progress;
  if (event.total !== void 0) draft.total = event.total;
  if (event.message !== void 0) draft.message = event.message;
  if (event.state !== void 0) {
    draft.state = event.state;
    draft.stateVersion = draft.toolVersion;
  }
  draft.itemCount += event.items?.length ?? 0;
  draft.itemBytes += event.itemBytes ?? 0;
}
function progressed(draft) {
  draft.progressed = true;
  draft.crashes = 0;
  draft.failures = 0;
  draft.crashedIn = void 0;
  draft.deathsInWaits = void 0;
  draft.waitsFor = void 0;
}
function countDeath(draft) {
  if (onlyWaits(draft)) {
    draft.deathsInWaits = (draft.deathsInWaits ?? 0) + 1;
    return;
  }
  draft.crashes += 1;
  draft.crashedIn = Object.freeze([...draft.crashedIn ?? [], draft.worker ?? draft.id]);
}
function finish(draft, event) {
  draft.status = event.type;
  draft.live = false;
  draft.finishedAt = event.at;
  if (event.type === "completed") draft.output = event.output;
  if (event.type === "failed") draft.error = event.error;
  draft.runnableAt = void 0;
  draft.waitsFor = void 0;
  draft.worker = void 0;
}
function restart(draft, generation, fromState) {
  draft.generation = generation;
  draft.live = false;
  draft.desiredState = "run";
  progressed(draft);
  draft.finishedAt = void 0;
  draft.runnableAt = void 0;
  draft.output = void 0;
  draft.error = void 0;
  if (fromState) return;
  draft.state = void 0;
  draft.stateVersion = void 0;
  draft.total = void 0;
  draft.message = void 0;
  draft.progress = 0;
  draft.remembered = {};
  draft.itemCount = 0;
  draft.itemBytes = 0;
  draft.itemsFromSeq = draft.lastSeq;
}
function setKey(target, key, value) {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
function outOfOrder(taskId, expected, actual) {
  return new ResumableError(
    "SEQ_CONFLICT",
    `Event ${actual} of task ${taskId} stands where event ${expected} belongs. The journal is damaged or was written by two writers.`,
    { details: { taskId, expected, actual } }
  );
}

// ../packages/core/src/task/task-rules.ts
function statusOf(snapshot) {
  const { record } = snapshot;
  if (isFinal(record.status)) return record.status;
  const live = record.live && snapshot.leased;
  return derivedStatus(
    { ...record, desiredState: desiredStateOf(snapshot) },
    live,
    unansweredQuestions(snapshot).length > 0
  );
}
function unansweredQuestions({ record, signals }) {
  const given = new Set(signals.flatMap((signal) => signal.kind === "answer" ? [signal.key] : []));
  return openQuestions(record).filter(({ key }) => !given.has(key));
}
function desiredStateOf(snapshot) {
  const request = snapshot.signals.findLast((signal) => signal.kind === "pause" || signal.kind === "resume");
  if (request === void 0) return snapshot.record.desiredState;
  return request.kind === "pause" ? "pause" : "run";
}
function isOrphan(snapshot) {
  return snapshot.record.live && !snapshot.leased;
}
function dueMs(snapshot) {
  const { record, signals } = snapshot;
  if (isFinal(record.status) || snapshot.leased) return void 0;
  const has = (kind) => signals.some((signal) => signal.kind === kind);
  if (has("cancel")) return 0;
  if (desiredStateOf(snapshot) === "pause") return has("pause") ? 0 : void 0;
  if (has("resume") || has("answer")) return 0;
  if (record.live) return 0;
  if (record.runnableAt !== void 0) return Date.parse(record.runnableAt);
  return openQuestions(record).length > 0 ? void 0 : 0;
}
function needsNoCaller({ record, signals }) {
  return record.detached || signals.some(({ kind }) => kind !== "delivered" && kind !== "undelivered");
}
function isReusable(snapshot, reuseResultMs, nowMs) {
  const { record } = snapshot;
  if (record.status !== "completed" || record.finishedAt === void 0 || isDelivered(snapshot)) return false;
  return Date.parse(record.finishedAt) + reuseResultMs > nowMs;
}
function isDelivered({ signals }) {
  const said = signals.findLast(({ kind }) => kind === "delivered" || kind === "undelivered");
  return said?.kind === "delivered";
}
function isContinuable({ status, error }) {
  return status === "failed" && error?.terminal !== true;
}
function isExpired(record, nowMs) {
  return record.finishedAt !== void 0 && Date.parse(record.finishedAt) + record.ttlMs <= nowMs;
}

// ../packages/store-fs/src/disk/limits.ts
var fsStoreDefaults = {
  ...storeQuotaDefaults,
  /** A store with a quota measures itself again when what it knows of other processes is older than this. */
  remeasureMs: 6e4,
  /** A journal file that grew beyond this is followed by a new one. */
  rotateBytes: 1024 * 1024,
  /** A journal file of this length is extended by zeros, as much as it is long, and at most so much at a time. */
  extendFromBytes: 8 * 1024,
  maxExtendBytes: 128 * 1024,
  /** Journal files with events that one task may have; beyond that the oldest keep only their items. */
  maxJournalFiles: 12,
  /** How many of the newest finished journal files compaction leaves alone. */
  keepJournalFiles: 4,
  /** One commit, as a line of the journal. */
  maxCommitBytes: 32 * 1024 * 1024,
  /** A page of events or items ends early beyond this many bytes. */
  maxPageBytes: 8 * 1024 * 1024,
  /** Newest events of a task that are kept in memory for its followers. */
  maxTailEvents: 256,
  maxTailBytes: 128 * 1024,
  /** Folded tasks that are kept in memory, in addition to those that run here. */
  maxCachedTasks: 128,
  maxCachedBytes: 16 * 1024 * 1024,
  /** Claims of calls of which is remembered whose they are, so that a new task need not read all that share its folder. */
  maxKnownClaims: 1e5,
  /** Answers of one task that no commit has consumed. */
  maxPendingAnswers: 1e3,
  /** The readable document of a task that runs shows each checkpoint after this time, or a later one. */
  documentPauseMs: 500,
  /** Between such documents of two tasks: 32 tasks that run here have had theirs within another half second. */
  documentSpacingMs: 15,
  /** Files of workers of whom nothing was heard for this long are removed when a store is opened. */
  forgetWorkerMs: 7 * 24 * 60 * 60 * 1e3,
  /** Documents of which the time of the last put is kept in memory, so that a search for idle ones need not read them. */
  maxKnownDocuments: 1e5,
  /** Documents that a search for idle ones reads before everything else gets its turn. */
  documentsPerTurn: 32,
  /** How often to look for changes of other processes where the file system sends no notice. */
  watchPollMs: 250,
  /** How often, and how many times, to look again while another process is in the middle of a take-over. */
  takeOverPollMs: 10,
  maxTakeOverPolls: 100
};

// ../packages/store-fs/src/disk/store-context.ts
function createContext(options) {
  const unique = options.unique ?? (() => randomBytes(9).toString("base64url"));
  return {
    layout: layoutOf(resolve(options.directory)),
    disk: options.disk ?? nodeDisk,
    durable: options.durable,
    limits: { ...fsStoreDefaults, ...options.limits },
    instance: options.instance ?? unique(),
    readOnly: options.readOnly ?? false,
    warn: options.warn ?? (() => {
    }),
    observe: options.observe ?? (() => {
    }),
    unique
  };
}
var observerPoints = [
  "store.create.prepared",
  "store.create.published",
  "store.create.linked",
  "store.create.claimed",
  "store.create.synced",
  "store.takeover.announced",
  "store.takeover.read",
  "store.takeover.sealed",
  "store.takeover.synced",
  "store.commit.before",
  "store.commit.keyed",
  "store.commit.appended",
  "store.commit.synced",
  "store.rotate.sealed",
  "store.compact.written",
  "store.compact.removed",
  "store.record.written",
  "store.record.renamed",
  "store.done.appended",
  "store.done.closed",
  "store.signal.linked",
  "store.delete.trashed",
  "store.delete.listed",
  "store.quarantine.moved"
];

// ../packages/store-fs/src/index/store-folder.ts
import { dirname as dirname5, join as join9 } from "path";

// ../packages/core/src/engine/exclusive.ts
var Exclusive = class {
  #tails = /* @__PURE__ */ new Map();
  /** Runs work when all earlier work on this task has ended. */
  run(taskId, work) {
    const result = (this.#tails.get(taskId) ?? Promise.resolve()).then(work);
    const over = () => {
      if (this.#tails.get(taskId) === tail) this.#tails.delete(taskId);
    };
    const tail = result.then(over, over);
    this.#tails.set(taskId, tail);
    return result;
  }
  /** Resolves when the work on this task, or on all tasks, that was given until now has ended. */
  async ended(taskId) {
    await (taskId === void 0 ? Promise.all(this.#tails.values()) : this.#tails.get(taskId));
  }
  /** No work is under way. */
  get idle() {
    return this.#tails.size === 0;
  }
};

// ../packages/core/src/engine/retry-delay.ts
var askedAttempts = 3;
function retryDelay(error, failures, policy) {
  if (isTerminalError(error)) return void 0;
  if (isResumableError(error) && error.code !== "ATTEMPT_TIMEOUT") return void 0;
  const asked = isRetryableError(error);
  const maxAttempts = policy?.maxAttempts ?? (asked ? askedAttempts : 1);
  if (failures + 1 >= maxAttempts) return void 0;
  const askedMs = (asked ? error.delayMs : void 0) ?? Number.NaN;
  if (Number.isFinite(askedMs) && askedMs >= 0) return askedMs;
  const delay2 = (policy?.initialDelayMs ?? 1e3) * (policy?.factor ?? 2) ** failures;
  return Math.min(delay2, policy?.maxDelayMs ?? 6e4);
}
function writeBackoff(failures, { writeBackoffMs, maxWriteBackoffMs }) {
  return Math.min(writeBackoffMs * 2 ** failures, maxWriteBackoffMs);
}
function failureOf(error) {
  const message = error instanceof Error ? error.message : describe(error);
  const terminal = isTerminalError(error) || isResumableError(error, "VERSION_MISMATCH", "QUOTA_EXCEEDED");
  return {
    code: isResumableError(error) ? error.code : rpcFailureCode(error) ?? "TOOL_FAILED",
    message: message === "" ? "The tool failed without saying why." : message.slice(0, fixedLimits.maxFailureLength),
    ...terminal && { terminal }
  };
}
function describe(thrown) {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    return "";
  }
}

// ../packages/core/src/engine/owner/callers.ts
var Callers = class {
  #environment;
  /** How many wait for a task. */
  #counts = /* @__PURE__ */ new Map();
  /** When a call found a task that it is about to wait for, in monotonic milliseconds. */
  #arrivals = /* @__PURE__ */ new Map();
  #stops = new Exclusive();
  #retries = /* @__PURE__ */ new Map();
  constructor(environment) {
    this.#environment = environment;
  }
  /** A call has found the task and is about to wait for it. */
  arrive(taskId) {
    this.#arrivals.set(taskId, this.#environment.clock.monotonicMs());
    const [oldest] = this.#arrivals.keys();
    if (this.#arrivals.size > fixedLimits.maxArrivals && oldest !== void 0) this.#arrivals.delete(oldest);
  }
  /** Counts a caller that waits: a stop that failed is not repeated. */
  add(taskId) {
    this.#forgetStop(taskId);
    this.#counts.set(taskId, (this.#counts.get(taskId) ?? 0) + 1);
    this.#arrivals.delete(taskId);
  }
  /** A caller waits no longer. Tells whether it was the last one. */
  remove(taskId) {
    const others = (this.#counts.get(taskId) ?? 1) - 1;
    if (others > 0) this.#counts.set(taskId, others);
    else this.#counts.delete(taskId);
    return others <= 0;
  }
  /** A caller waits for the task, or has found it and is about to. */
  isAwaited(taskId) {
    const arrivedMs = this.#arrivals.get(taskId) ?? Number.NEGATIVE_INFINITY;
    return this.#counts.has(taskId) || this.#environment.clock.monotonicMs() - arrivedMs < fixedLimits.arrivalMs;
  }
  /** Begins to stop a task, after the stop of it that is under way. */
  beginStop(taskId, stop, failures = 0) {
    this.#forgetStop(taskId);
    void this.#stops.run(taskId, () => stop().catch((error) => this.#failed(taskId, stop, error, failures)));
  }
  /** Resolves when the stop that is under way is written, or has failed: a repetition is not waited for. */
  stopWritten(taskId) {
    return this.#stops.ended(taskId);
  }
  #forgetStop(taskId) {
    this.#retries.get(taskId)?.();
    this.#retries.delete(taskId);
  }
  #failed(taskId, stop, error, failures) {
    const { clock, limits: limits2, onError } = this.#environment;
    onError(error);
    if (!isResumableError(error, "STORE_WRITE_FAILED", "STORE_READ_FAILED")) return;
    this.#forgetStop(taskId);
    const cancel = clock.after(writeBackoff(failures, limits2), () => this.beginStop(taskId, stop, failures + 1));
    this.#retries.set(taskId, cancel);
  }
};
var DeliveryNotes = class {
  #writing = /* @__PURE__ */ new Map();
  /** Writes a note about one task, after the notes about it that are being written. */
  write(owner, taskId, run) {
    const notes = this.#writing.get(owner) ?? new Exclusive();
    this.#writing.set(owner, notes);
    const written = notes.run(taskId, run);
    const over = () => {
      if (notes.idle && this.#writing.get(owner) === notes) this.#writing.delete(owner);
    };
    written.then(over, over);
    return written;
  }
  /** Resolves when the notes of an owner that are being written now are written, or have failed. */
  async written(owner) {
    await this.#writing.get(owner)?.ended();
  }
  /** The same for all owners. */
  async allWritten() {
    await Promise.all(Array.from(this.#writing.values(), (notes) => notes.ended()));
  }
};

// ../packages/core/src/engine/owner/check-answer.ts
function checkAnswer(schema2, content) {
  const { properties, required, additionalProperties } = schema2;
  const missing2 = listOf(required).flatMap(
    (key) => typeof key === "string" && !Object.hasOwn(content, key) ? [`${key}: is required`] : []
  );
  const wrong = Object.entries(content).flatMap(([key, value]) => {
    const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : void 0;
    if (!isJsonObject(property)) return additionalProperties === false ? [`${key}: is not asked for`] : [];
    return checkProperty(property, value).map((problem) => `${key}: ${problem}`);
  });
  return [...missing2, ...wrong];
}
function checkProperty(property, value) {
  const allowed = choicesOf(property);
  if (allowed !== void 0 && !allowed.includes(value)) return [`must be one of ${allowed.map(String).join(", ")}`];
  const { type } = property;
  return typeof type === "string" && Object.hasOwn(checks, type) ? checks[type]?.(property, value) ?? [] : [];
}
var checks = {
  string: checkString,
  integer: checkNumber,
  number: checkNumber,
  boolean: (_property, value) => typeof value === "boolean" ? [] : ["must be true or false"],
  array: checkList
};
function choicesOf({ enum: plain, oneOf, anyOf }) {
  if (Array.isArray(plain)) return plain;
  const titled = listOf(oneOf ?? anyOf ?? null);
  const isChoice = (choice) => isJsonObject(choice) && Object.hasOwn(choice, "const");
  if (titled.length === 0 || !titled.every(isChoice)) return void 0;
  return titled.map(({ const: value = null }) => value);
}
function checkString({ minLength, maxLength }, value) {
  if (typeof value !== "string") return ["must be text"];
  return checkRange(value.length, minLength, maxLength, (bound, limit) => `must have ${bound} ${limit} characters`);
}
function checkNumber({ type, minimum, maximum }, value) {
  if (typeof value !== "number") return ["must be a number"];
  if (type === "integer" && !Number.isInteger(value)) return ["must be a whole number"];
  return checkRange(value, minimum, maximum, (bound, limit) => `must be ${bound} ${limit}`);
}
function checkList({ items, minItems, maxItems }, value) {
  if (!Array.isArray(value)) return ["must be a list"];
  const size = checkRange(value.length, minItems, maxItems, (bound, limit) => `must have ${bound} ${limit} entries`);
  if (size.length > 0 || !isJsonObject(items)) return size;
  return value.flatMap((entry, index) => checkProperty(items, entry).map((problem) => `[${index}] ${problem}`));
}
function checkRange(value, min, max, problem) {
  if (typeof min === "number" && value < min) return [problem("at least", min)];
  return typeof max === "number" && value > max ? [problem("at most", max)] : [];
}
function listOf(value) {
  return Array.isArray(value) ? value : [];
}
function checkGivenAnswer({ record, signals }, key, given, leftMs) {
  const entry = Object.hasOwn(record.remembered, key) ? record.remembered[key] : void 0;
  const pending = signals.some((signal) => signal.kind === "answer" && signal.key === key);
  if (entry?.kind === "answer" || pending) throw answered(record.id, key, "already has its answer");
  if (entry?.kind !== "question" || isFinal(record.status)) throw unknown(record, key);
  const { expiresAt, schema: schema2 } = entry.question;
  if (expiresAt !== void 0 && leftMs(Date.parse(expiresAt)) <= 0) throw answered(record.id, key, "has expired");
  const { action } = given;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(given.content)) {
    throw invalidValue("The answer", ["must be accept with content, decline, or cancel"]);
  }
  const problems = checkAnswer(schema2, given.content);
  if (problems.length > 0) throw invalidValue("The answer", problems);
  const content = copyJson(given.content, "answer.content");
  return { action, content };
}
function answered(taskId, key, why) {
  return new ResumableError("ALREADY_ANSWERED", `The question ${JSON.stringify(key)} ${why}.`, {
    details: { taskId, key }
  });
}
function unknown(record, key) {
  const open2 = isFinal(record.status) ? [] : openQuestions(record).map((question) => question.key);
  const advice = open2.length === 0 ? "It has no open question." : `Open questions: ${open2.join(", ")}.`;
  return new ResumableError("UNKNOWN_QUESTION", `The task asks no question ${JSON.stringify(key)}. ${advice}`, {
    details: { taskId: record.id, key }
  });
}

// ../packages/core/src/engine/owner/follow-task.ts
async function* followTask(environment, taskId, afterSeq, signal) {
  const { store, limits: limits2 } = environment;
  const news = listen(environment, taskId, signal);
  let cursor = afterSeq;
  try {
    while (signal?.aborted !== true) {
      const page = await store.readEvents(taskId, { afterSeq: cursor, limit: limits2.followBatch });
      if (page.snapshot !== void 0) {
        cursor = page.snapshot.lastSeq;
        yield { kind: "snapshot", record: page.snapshot };
        if (page.events.length === 0 && page.lastSeq === cursor && isFinal(page.snapshot.status)) return;
      }
      for (const event of page.events) {
        if (signal?.aborted) return;
        cursor = event.seq;
        yield { kind: "event", event };
        if (isFinalEvent(event) && event.seq === page.lastSeq) return;
      }
      if (cursor < page.lastSeq) continue;
      if (page.events.length === 0 && page.snapshot === void 0) {
        const task = await store.getTask(taskId);
        if (task === void 0 || isFinal(task.record.status) && task.record.lastSeq <= cursor) return;
        if (task.record.lastSeq > cursor) continue;
      }
      await news.next();
    }
  } finally {
    news.stop();
  }
}
function listen({ store, clock, limits: limits2 }, taskId, signal) {
  let isNotified = false;
  let wake = () => {
  };
  const notify = () => {
    isNotified = true;
    wake();
  };
  const unwatch = store.watch(taskId, notify);
  signal?.addEventListener("abort", notify, { once: true });
  return {
    next: async () => {
      if (!isNotified && signal?.aborted !== true) {
        let stopTimer = () => {
        };
        await new Promise((resolve2) => {
          wake = resolve2;
          stopTimer = clock.after(limits2.pollMs, resolve2, true);
        });
        stopTimer();
      }
      isNotified = false;
    },
    wake: notify,
    stop() {
      unwatch();
      signal?.removeEventListener("abort", notify);
      wake();
    }
  };
}
async function waitForTask(environment, taskId, get2, { timeoutMs, signal }) {
  const news = listen(environment, taskId, signal);
  let over = signal?.aborted === true;
  const stopTimer = timeoutMs === void 0 ? () => {
  } : environment.clock.after(timeoutMs, () => {
    over = true;
    news.wake();
  });
  try {
    for (; ; ) {
      const view = await get2();
      const reason = reasonOf(view.status);
      if (reason !== void 0) return { ...view, reason };
      if (over || signal?.aborted === true) return { ...view, reason: "timeout" };
      await news.next();
    }
  } finally {
    stopTimer();
    news.stop();
  }
}
function reasonOf(status) {
  if (isFinal(status)) return "finished";
  return status === "paused" || status === "input_required" ? status : void 0;
}

// ../packages/core/src/tool/schema.ts
function isStandardSchema(schema2) {
  return "~standard" in schema2;
}
function isSchema(state) {
  return typeof state === "object" && state !== null && "~standard" in state;
}
function jsonSchemaOf(schema2, side, what) {
  if (!isStandardSchema(schema2)) return schema2;
  const convert = schema2["~standard"].jsonSchema;
  if (convert === void 0) {
    throw new ResumableError(
      "INVALID_OPTION",
      `The schema of ${what} (${schema2["~standard"].vendor}) gives no JSON Schema. Use a library that implements Standard JSON Schema, such as zod 4.2 or later, or write plain JSON Schema.`,
      { details: { option: what } }
    );
  }
  const { $schema: _dialect, ...converted } = convert[side]({ target: "draft-2020-12" });
  return JSON.parse(JSON.stringify(converted));
}
async function checkValue(schema2, value, validateJsonSchema) {
  if (!isStandardSchema(schema2)) {
    const problems = await validateJsonSchema(schema2, value);
    return problems.length > 0 ? { problems } : { value };
  }
  const result = await schema2["~standard"].validate(value);
  return result.issues === void 0 ? { value: result.value } : { problems: result.issues.map(describeIssue) };
}
function describeIssue(issue) {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

// ../packages/core/src/engine/owner/task-view.ts
function isTaskId(text2) {
  return /^[A-Za-z0-9_-]{16,64}$/.test(text2);
}
function viewOf(snapshot) {
  return {
    record: snapshot.record,
    status: statusOf(snapshot),
    interrupted: isOrphan(snapshot),
    questions: unansweredQuestions(snapshot)
  };
}
function taskNotFound2(taskId) {
  const shown = isTaskId(taskId) ? taskId : "of that id";
  return new ResumableError(
    "TASK_NOT_FOUND",
    `There is no task ${shown}. list_session_tasks shows the tasks there are.`,
    { details: { taskId } }
  );
}
var refusals = {
  pause: { done: "paused", advice: "Only an unfinished task can be paused." },
  resume: { done: "resumed", advice: "Call the tool again to start from the beginning." },
  cancel: { done: "cancelled", advice: "Nothing is left to cancel." },
  delete: { done: "deleted", advice: "Cancel it first, or wait until it has finished." }
};
function illegalTransition(taskId, status, wanted) {
  const { done, advice } = refusals[wanted];
  const nextStep = wanted === "pause" && status === "paused" ? "resume_task continues it." : advice;
  return new ResumableError("ILLEGAL_TRANSITION", `Task ${taskId} is ${status}, so it cannot be ${done}. ${nextStep}`, {
    details: { taskId, status, wanted }
  });
}

// ../packages/core/src/engine/owner/start-task.ts
async function startTask(parts, owner, request) {
  const task = await newTask(parts, owner, request);
  const { callId } = request;
  let outcome = await createOrContinue(
    parts,
    callId !== void 0 && isTaskId(callId) ? { ...task, id: callId } : task
  );
  if (outcome.snapshot.record.owner !== owner || outcome.snapshot.record.tool !== task.tool) {
    outcome = await createOrContinue(parts, task);
  }
  const { record } = outcome.snapshot;
  if (isFinal(record.status)) return outcome;
  parts.unfinished.add(record);
  if (outcome.created) parts.scheduler.kick(record);
  else await join7(parts, outcome.snapshot, task.detached);
  return outcome;
}
async function newTask(parts, owner, request) {
  const tool = parts.tools.require(request.tool);
  parts.tools.requireValidator(tool.name);
  const input2 = copyJson(request.input ?? {}, "input");
  checkLimit("maxInputBytes", jsonBytes(input2), parts.limits.maxInputBytes);
  const checked = await checkValue(tool.input, input2, parts.tools.validate);
  if (checked.problems !== void 0) throw invalidValue(`The input of ${tool.name}`, checked.problems);
  return {
    id: parts.createId(),
    owner,
    tool: tool.name,
    toolVersion: tool.version,
    key: await keyOf(tool, checked.value, input2, request.newTask),
    input: input2,
    detached: request.detached === true,
    ttlMs: tool.ttlMs ?? parts.limits.ttlMs,
    session: request.session
  };
}
async function keyOf(tool, parsed2, raw, newTask2) {
  if (newTask2 === true) return null;
  const whole = jsonOr(parsed2, raw);
  const meaning = tool.key === void 0 ? whole : copyJson(tool.key(parsed2), `the key of tool ${tool.name}`);
  if (typeof newTask2 === "string") return taskKey(tool.name, meaning ?? whole, newTask2);
  return tool.key !== void 0 && meaning === null ? null : taskKey(tool.name, meaning);
}
function jsonOr(parsed2, raw) {
  try {
    return copyJson(parsed2, "input");
  } catch {
    return raw;
  }
}
async function createOrContinue(parts, task) {
  const { store, tools, unfinished, limits: limits2, clock } = parts;
  const { reuseResultMs } = limits2;
  let triesLeft = tools.require(task.tool).onFailure === "restart" ? 0 : fixedLimits.maxContinueTries;
  for (; ; ) {
    await unfinished.admit(task);
    const continueFailed = triesLeft > 0;
    const found = await store.createTask({ task, reuseResultMs, continueFailed, now: instantOf(clock) });
    const { record } = found.snapshot;
    if (!continueFailed || found.created || record.status !== "failed" || record.id === task.id) return found;
    const continued = await restarted(parts, record.id);
    if (continued !== "full" && continued !== void 0) return { snapshot: continued, created: false };
    triesLeft = continued === "full" ? 0 : triesLeft - 1;
  }
}
async function restarted({ store, scheduler }, taskId) {
  try {
    await scheduler.restart(taskId);
    return await store.getTask(taskId);
  } catch (error) {
    if (isResumableError(error, "QUOTA_EXCEEDED")) return "full";
    if (isResumableError(error, "KEY_TAKEN", "TASK_NOT_FOUND")) return void 0;
    throw error;
  }
}
async function join7(parts, found, detached) {
  const { store, scheduler, callers } = parts;
  const { record } = found;
  callers.arrive(record.id);
  if (detached && !record.detached) await store.signal(record.id, { kind: "detach" });
  await callers.stopWritten(record.id);
  const before = await store.getTask(record.id) ?? found;
  if (!isFinal(before.record.status) && desiredStateOf(before) === "pause")
    await store.signal(record.id, { kind: "resume" });
  const now = await store.getTask(record.id);
  if (now !== void 0) scheduler.resumeForWaiter(now);
}
async function taskKey(tool, meaning, run) {
  const bytes = new TextEncoder().encode(canonicalJson(run === void 0 ? [tool, meaning] : [tool, meaning, run]));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// ../packages/core/src/engine/owner/owned-tasks.ts
var OneOwnersTasks = class {
  owner;
  #parts;
  /** The task that this view created last: it is the owner's. */
  #created;
  /** The same until its caller waits for it: it runs already, and nothing has to be resumed. */
  #fresh;
  /** The finished task that this view read last: only its signals change. */
  #finished;
  constructor(parts, owner) {
    this.#parts = parts;
    this.owner = owner;
  }
  start = async (request) => {
    this.#parts.checkOpen();
    await this.#parts.open();
    await this.#parts.deliveries.written(this.owner);
    const { snapshot, created } = await startTask(this.#parts, this.owner, request);
    if (created) this.#created = this.#fresh = snapshot.record.id;
    const view = created ? viewOf(snapshot) : await this.get(snapshot.record.id);
    return { ...view, created, reused: !created && isFinal(snapshot.record.status) };
  };
  get = async (taskId) => {
    return viewOf(await this.#look(taskId));
  };
  list = async ({ statuses, tool, limit = 100, cursor } = {}) => {
    checkWholeNumber("limit", limit, 1, 1e3);
    return this.#parts.store.listTasks({ owner: this.owner, limit, statuses, tool, cursor });
  };
  count = () => this.#parts.store.countTasks({ owner: this.owner });
  follow = (taskId, options) => this.#follow(taskId, options);
  wait = async (taskId, options = {}) => {
    await this.#returnTo(taskId);
    return waitForTask(this.#parts, taskId, () => this.get(taskId), options);
  };
  pause = async (taskId) => {
    const status = statusOf(await this.#own(taskId));
    if (isFinal(status) || status === "paused") throw illegalTransition(taskId, status, "pause");
    return this.#request(taskId, "pause");
  };
  resume = async (taskId) => {
    const parts = this.#parts;
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const status = statusOf(snapshot);
    if (status !== "failed" && isFinal(status)) throw illegalTransition(taskId, status, "resume");
    parts.tools.requireValidator(record.tool);
    if (status !== "failed") return this.#request(taskId, "resume");
    parts.checkOpen();
    parts.tools.require(record.tool);
    await parts.open();
    await parts.unfinished.admit(record);
    await parts.scheduler.restart(taskId);
    parts.unfinished.add(record);
    return this.get(taskId);
  };
  cancel = async (taskId) => {
    const status = statusOf(await this.#own(taskId));
    if (isFinal(status)) throw illegalTransition(taskId, status, "cancel");
    return this.#request(taskId, "cancel");
  };
  answer = async (taskId, key, given) => {
    const { store, dueTimes, scheduler, open: open2 } = this.#parts;
    const answer = checkGivenAnswer(await this.#own(taskId), key, given, (wallMs) => dueTimes.leftMs(wallMs));
    await open2();
    await store.signal(taskId, { kind: "answer", key, answer });
    const snapshot = await this.#own(taskId);
    if (snapshot.leased) await scheduler.applySignals(snapshot);
    scheduler.resumeForWaiter(snapshot);
    return this.get(taskId);
  };
  delete = async (taskId) => {
    const before = await this.#own(taskId);
    const status = statusOf(before);
    const deleted = isFinal(status) && await this.#parts.scheduler.remove(taskId);
    if (!deleted) throw illegalTransition(taskId, isFinal(status) ? "pending" : status, "delete");
    this.#parts.unfinished.remove(before.record);
  };
  items = async (taskId, { after = 0, limit = 100 } = {}) => {
    checkWholeNumber("after", after, 0, Number.MAX_SAFE_INTEGER);
    checkWholeNumber("limit", limit, 1, 1e3);
    await this.#own(taskId);
    return this.#parts.store.readItems(taskId, { after, limit });
  };
  detach = async (taskId) => {
    const { record } = await this.#own(taskId);
    if (!isFinal(record.status) && !record.detached) await this.#request(taskId, "detach");
  };
  markDelivered = (taskId) => this.#parts.deliveries.write(this.owner, taskId, async () => {
    const known2 = this.#finished?.record.id === taskId ? this.#finished : void 0;
    const snapshot = known2 ?? await this.#own(taskId);
    if (snapshot.record.status !== "completed" || isDelivered(snapshot)) return;
    await this.#parts.store.signal(taskId, { kind: "delivered" });
  });
  withdrawDelivered = (taskId) => this.#parts.deliveries.write(this.owner, taskId, async () => {
    const snapshot = await this.#own(taskId);
    this.#finished = void 0;
    if (isDelivered(snapshot)) await this.#parts.store.signal(taskId, { kind: "undelivered" });
  });
  addWaiter = (taskId) => {
    const { callers, onError } = this.#parts;
    callers.add(taskId);
    if (this.#fresh === taskId) this.#fresh = void 0;
    else void this.#returnTo(taskId).catch(onError);
    let here2 = true;
    return (left) => {
      if (!here2) return;
      here2 = false;
      const wasLast = callers.remove(taskId);
      if (left === "cancelled" && wasLast) callers.beginStop(taskId, () => this.#stopUnawaited(taskId));
    };
  };
  async *#follow(taskId, { afterSeq = 0, signal } = {}) {
    if (afterSeq !== 0 || taskId !== this.#created) {
      const { record } = await this.#look(taskId);
      checkWholeNumber("The cursor", afterSeq, 0, record.lastSeq);
    }
    yield* followTask(this.#parts, taskId, afterSeq, signal);
  }
  async #own(taskId) {
    const snapshot = isTaskId(taskId) ? await this.#parts.store.getTask(taskId) : void 0;
    if (snapshot === void 0 || snapshot.record.owner !== this.owner) throw taskNotFound2(taskId);
    if (isFinal(snapshot.record.status)) {
      this.#finished = snapshot;
      this.#parts.unfinished.remove(snapshot.record);
    }
    return snapshot;
  }
  /** Who only looks at a task expects it to go on all the same, if it continues by itself. */
  async #look(taskId) {
    const snapshot = await this.#own(taskId);
    if (!isFinal(snapshot.record.status)) void this.#parts.open().catch(this.#parts.onError);
    return snapshot;
  }
  /** Leaves a signal, and sees to it that it is carried out. */
  async #request(taskId, kind) {
    const { store, scheduler, open: open2 } = this.#parts;
    await open2();
    await store.signal(taskId, { kind });
    const snapshot = await this.#own(taskId);
    if (kind === "resume") scheduler.resumeForWaiter(snapshot);
    else await scheduler.applySignals(snapshot);
    return this.get(taskId);
  }
  /** A caller waits for the task again: an orphan continues, and what another process runs is watched. */
  async #returnTo(taskId) {
    const snapshot = await this.#own(taskId);
    const status = statusOf(snapshot);
    if (isFinal(status) || status === "paused") return;
    if (!snapshot.leased) this.#parts.tools.requireValidator(snapshot.record.tool);
    await this.#parts.open();
    this.#parts.scheduler.resumeForWaiter(snapshot);
  }
  async #stopUnawaited(taskId) {
    const { tools, store, callers } = this.#parts;
    const snapshot = await this.#own(taskId);
    const { record } = snapshot;
    const detached = record.detached || snapshot.signals.some((signal) => signal.kind === "detach");
    const status = statusOf(snapshot);
    const detaches = tools.all.get(record.tool)?.onCallerCancel === "detach";
    if (detached || detaches || isFinal(status) || status === "paused" || callers.isAwaited(taskId)) return;
    await this.#request(taskId, "pause");
    if (!callers.isAwaited(taskId)) return;
    await store.signal(taskId, { kind: "resume" });
    await this.#returnTo(taskId);
  }
};
function checkWholeNumber(what, value, from, to) {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  throw invalidValue(what, [`must be a whole number from ${from} to ${to}, not ${value}`]);
}

// ../packages/core/src/engine/scheduling/change-finished.ts
async function deleteFinished(environment, taskId) {
  const deleted = await change(environment, taskId, finalStatuses, async (lease) => {
    await environment.store.deleteTask(lease);
    return true;
  });
  return deleted ?? false;
}
function restartFailed(environment, taskId) {
  const { store, clock } = environment;
  return change(environment, taskId, ["failed"], async (lease, { record, signals }) => {
    const restarted2 = { type: "restarted", generation: record.generation + 1, fromState: true };
    const consume = signals.map((signal) => signal.id);
    await store.commit({ lease, afterSeq: record.lastSeq, events: [restarted2], consume, now: instantOf(clock) });
    return record;
  });
}
async function change({ store, worker, limits: limits2, clock }, taskId, statuses, run) {
  const deadlineMs = clock.monotonicMs() + limits2.claimPatienceMs;
  for (; ; ) {
    const claimed = await store.acquireLease({ taskId, worker, ttlMs: limits2.leaseTtlMs, now: instantOf(clock) });
    if (claimed !== void 0) {
      const { lease, snapshot } = claimed;
      const changed = statuses.includes(snapshot.record.status) ? run(lease, snapshot) : Promise.resolve(void 0);
      return changed.finally(() => store.releaseLease(lease).catch(() => {
      }));
    }
    const present = await store.getTask(taskId);
    if (present !== void 0 && !statuses.includes(present.record.status)) return void 0;
    if (clock.monotonicMs() >= deadlineMs) throw busy(taskId);
    await new Promise((resolve2) => {
      clock.after(limits2.notificationDelayMs, resolve2, true);
    });
  }
}
function busy(taskId) {
  return new ResumableError(
    "ILLEGAL_TRANSITION",
    `Another process is writing task ${taskId} just now. Try again in a few seconds.`,
    { details: { taskId, status: "running", wanted: "claim" } }
  );
}
async function sweepExpired({ store, limits: limits2, clock, onError }, remove, stopped2) {
  let deleted = 0;
  for (; ; ) {
    const before = deleted;
    const expired = await store.listExpired({ now: instantOf(clock), limit: limits2.sweepBatch });
    for (const id of expired) {
      if (stopped2()) return deleted;
      try {
        if (await remove(id)) deleted += 1;
      } catch (error) {
        if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
      }
    }
    if (expired.length < limits2.sweepBatch || deleted === before) return deleted;
  }
}

// ../packages/core/src/engine/attempt/attempt-control.ts
var AttemptControl = class {
  /** Rejects with a `TaskInterrupted` when the tool's code is no longer waited for. Never resolves. */
  abandoned;
  #options;
  #controller = new AbortController();
  #requests = /* @__PURE__ */ new Map();
  #abandon = () => {
  };
  #aborted;
  #timeout;
  #stopAbandon = () => {
  };
  #stopAttemptTimer = () => {
  };
  #stopStallTimer = () => {
  };
  #waits = 0;
  constructor(options) {
    const { clock, tool } = options;
    this.#options = options;
    this.abandoned = new Promise((_resolve, reject) => {
      this.#abandon = reject;
    });
    this.abandoned.catch(() => {
    });
    const ms = tool.attemptTimeoutMs;
    if (ms !== void 0) this.#stopAttemptTimer = clock.after(ms, () => this.#runOut("attemptTimeoutMs", ms));
    this.touch();
  }
  /** Handed to the tool. */
  get signal() {
    return this.#controller.signal;
  }
  /** Why the attempt should stop at its next checkpoint, if it should. */
  get wanted() {
    return this.#firstRequest()?.reason;
  }
  /** Why the attempt must stop at once, if it must. */
  get aborted() {
    return this.#aborted;
  }
  /** What ran out of time, if anything did. */
  get timeout() {
    return this.#timeout;
  }
  /** Throws a `TaskInterrupted` when the attempt must stop at once. */
  check() {
    if (this.#aborted !== void 0) throw new TaskInterrupted(this.#aborted);
  }
  /** Stop at the next checkpoint; when none comes within the grace time, at once. */
  want(reason, graceMs = this.#options.limits.graceMs) {
    if (this.#requests.has(reason) || this.#aborted !== void 0) return;
    const stopTimer = this.#options.clock.after(graceMs, () => this.abort(reason, graceMs));
    this.#requests.set(reason, { reason, graceMs, stopTimer });
    if (this.#waits > 0) this.abort(reason, graceMs);
  }
  /** Takes back a request of this reason, if it was not carried out yet. Requests of other reasons stand. */
  unwant(reason) {
    this.#requests.get(reason)?.stopTimer();
    this.#requests.delete(reason);
  }
  /** Stop now: aborts the signal; after the grace time the tool is abandoned. */
  abort(reason, graceMs = this.#options.limits.graceMs) {
    if (this.#aborted !== void 0) return;
    this.#aborted = reason;
    this.#stopRequests();
    this.#controller.abort(new TaskInterrupted(reason));
    this.#stopAbandon = this.#options.clock.after(graceMs, () => this.#abandon(new TaskInterrupted(reason)));
  }
  /** Says that a verb waits in place, where stopping is always safe. Returns the end of the wait. */
  waitInPlace() {
    this.#waits += 1;
    const request = this.#firstRequest();
    if (request !== void 0) this.abort(request.reason, request.graceMs);
    return () => {
      this.#waits -= 1;
    };
  }
  /** The attempt has committed something: the time in which it may commit nothing begins again. */
  touch() {
    this.#stopStallTimer();
    const { clock, tool } = this.#options;
    const ms = tool.stallTimeoutMs;
    if (ms === void 0) return;
    const look2 = () => this.#waits > 0 ? this.touch() : this.#runOut("stallTimeoutMs", ms);
    this.#stopStallTimer = clock.after(ms, look2);
  }
  /** Turns all timers off. */
  dispose() {
    this.#stopRequests();
    this.#stopAbandon();
    this.#stopAttemptTimer();
    this.#stopStallTimer();
  }
  #runOut(limit, ms) {
    if (this.#aborted !== void 0) return;
    const { tool, record } = this.#options;
    this.#timeout = new ResumableError(
      "ATTEMPT_TIMEOUT",
      `${tool.name} was stopped by ${limit} (${ms} ms). It continues from its last checkpoint when resume_task is called.`,
      { details: { taskId: record.id, limit, ms } }
    );
    this.abort("timeout");
  }
  #firstRequest() {
    return this.#requests.values().next().value;
  }
  #stopRequests() {
    for (const { stopTimer } of this.#requests.values()) stopTimer();
    this.#requests.clear();
  }
};

// ../packages/core/src/engine/attempt/attempt-outcome.ts
function endOfAttempt(outcome, inputs) {
  const { record, signals } = inputs;
  const all = signals.map((signal) => signal.id);
  const cancelled = signals.some((signal) => signal.kind === "cancel");
  if (cancelled || outcome.kind === "stopped" && outcome.reason === "cancel") {
    return { events: [{ type: "cancelled" }], consume: all };
  }
  const last = lastEvent(outcome, inputs);
  if (isFinalEvent(last)) return { events: [last], consume: all };
  const requests3 = signals.filter((signal) => signal.kind === "pause" || signal.kind === "resume");
  const consume = requests3.map((signal) => signal.id);
  const pause3 = desiredStateOf({ record, signals, leased: true }) === "pause";
  return { events: pause3 ? [{ type: "desiredState", desiredState: "pause" }, last] : [last], consume };
}
function lastEvent(outcome, inputs) {
  if (outcome.kind === "returned") return { type: "completed", output: outcome.output };
  return outcome.kind === "threw" ? failed(outcome.error, inputs) : stopped(outcome.reason, outcome.abandoned, inputs);
}
function failed(error, { record, tool, nowMs }) {
  const delayMs = retryDelay(error, record.failures, tool.retry);
  if (delayMs === void 0) return { type: "failed", error: failureOf(error) };
  return { type: "attempt_ended", reason: "retry", runnableAt: isoOf(nowMs + delayMs), error: failureOf(error) };
}
function stopped(reason, abandoned, inputs) {
  const { tool, nowMs, waitsUntilMs: waitsUntilMs2 } = inputs;
  if (abandoned && tool.kind === "function" && tool.onCrash === "fail") {
    const message = `${tool.name} was asked to stop (${reason}) and did not, and a tool without checkpoints cannot tell how far it came. It may or may not have taken effect: check before calling again.`;
    return { type: "failed", error: { code: "OUTCOME_UNKNOWN", message } };
  }
  const wakeMs = reason === "drain" ? nowMs : reason === "waiting" ? waitsUntilMs2 : void 0;
  const ended = { type: "attempt_ended", reason: endReasons[reason] ?? "interrupted" };
  return wakeMs === void 0 ? ended : { ...ended, runnableAt: isoOf(wakeMs) };
}
var endReasons = {
  pause: "paused",
  waiting: "waiting",
  drain: "drained"
};

// ../packages/core/src/engine/attempt/check-checkpoint.ts
async function checkCheckpoint(yielded, { tool, tools, taskLimits: limits2, journal }) {
  const { record } = journal;
  if (typeof yielded !== "object" || yielded === null) {
    throw invalidValue(`A checkpoint of ${tool.name}`, ["must be an object such as { progress, total, state }"]);
  }
  const { progress, total, message } = yielded;
  checkProgress(tool, record, progress, total);
  const state = yielded.state === void 0 ? void 0 : copyJson(yielded.state, "state");
  if (state !== void 0) checkLimit("maxStateBytes", jsonBytes(state), limits2.maxStateBytes);
  const items = yielded.append === void 0 ? [] : await checkItems(yielded.append, tool.item, tools.validate);
  const itemBytes = items.length === 0 ? 0 : jsonBytes(items);
  checkLimit("maxAppendBytes", itemBytes, limits2.maxAppendBytes);
  checkLimit("maxItemsBytes", record.itemBytes + itemBytes, limits2.maxItemsBytes);
  return {
    type: "checkpoint",
    progress,
    total,
    message: message === void 0 ? void 0 : String(message).slice(0, limits2.maxMessageLength),
    state,
    ...items.length > 0 && { items, itemBytes }
  };
}
function checkProgress(tool, record, progress, total) {
  for (const [name, value] of Object.entries({ progress, total })) {
    if (value !== void 0 && !(Number.isFinite(value) && value >= 0)) {
      throw invalidValue(`A checkpoint of ${tool.name}`, [`${name}: must be a number from 0 on, not ${String(value)}`]);
    }
  }
  if (progress === void 0 || progress >= record.progress) return;
  throw new ResumableError(
    "PROGRESS_WENT_BACK",
    `Tool ${tool.name} reported progress ${progress} after ${record.progress}. Progress never goes back: begin from task.state, which holds where the last checkpoint left off.`,
    { details: { taskId: record.id, from: record.progress, to: progress } }
  );
}
async function checkItems(append, schema2, validate) {
  if (!Array.isArray(append)) throw invalidValue("append", ["must be a list"]);
  const items = [];
  for (const [index, item] of append.entries()) {
    const checked = schema2 === void 0 ? { value: item } : await checkValue(schema2, item, validate);
    if (checked.problems !== void 0) throw invalidValue(`append[${index}]`, checked.problems);
    items.push(copyJson(checked.value, `append[${index}]`));
  }
  return items;
}

// ../packages/core/src/engine/attempt/task-context.ts
async function createTaskContext(parts, verbs) {
  const { record, journal } = parts;
  return {
    id: record.id,
    attempt: record.attempt,
    state: await stateOfAttempt(parts),
    signal: parts.control.signal,
    step: (key, run) => handled(verbs.step(key, run)),
    ask: (key, request) => handled(verbs.ask(key, request)),
    sleep: (key, durationMs) => handled(verbs.sleep(key, durationMs)),
    log: (level, data) => journal.log(level, data),
    // A restart from nothing does everything again, so its keys are others; going on from the last state keeps them.
    idempotencyKey: (key) => `${record.id}.${record.itemsFromSeq}.${key}`,
    items: () => committedItems(parts)
  };
}
function handled(promise) {
  promise.catch(() => {
  });
  return promise;
}
async function* committedItems({ store, journal }) {
  const { id, itemCount } = journal.record;
  for (let after = 0; after < itemCount; ) {
    const page = await store.readItems(id, { after, limit: Math.min(fixedLimits.itemPage, itemCount - after) });
    if (page.items.length === 0) return;
    yield* page.items;
    after = page.next;
  }
}
async function stateOfAttempt({ tool, tools, record }) {
  const schema2 = isSchema(tool.state) ? tool.state : void 0;
  let state;
  if (record.state !== void 0) state = migrated(tool, record, copyJson(record.state, "state"));
  else if (schema2 === void 0) state = tool.state === void 0 ? null : copyJson(tool.state, "state");
  if (schema2 === void 0) return state;
  const checked = await checkValue(schema2, state, tools.validate);
  if (checked.problems !== void 0) throw mismatch(tool, record, checked.problems);
  return checked.value;
}
function migrated(tool, record, state) {
  const from = writtenBy(record);
  if (tool.migrate === void 0 || from === tool.version) return state;
  try {
    return tool.migrate(state, from);
  } catch (error) {
    throw mismatch(tool, record, [error instanceof Error ? error.message : String(error)], error);
  }
}
function writtenBy({ stateVersion, toolVersion }) {
  return stateVersion ?? toolVersion;
}
function mismatch(tool, record, problems, cause) {
  const from = writtenBy(record);
  return new ResumableError(
    "VERSION_MISMATCH",
    `The state of the task, left by version ${from} of ${tool.name}, does not fit version ${tool.version}: ${problems.join("; ")}. Add a migrate function to the tool and resume the task, or call the tool again to begin from nothing.`,
    { details: { taskId: record.id, from, to: tool.version }, cause }
  );
}

// ../packages/core/src/engine/attempt/drive-tool.ts
var stoppedHere = /* @__PURE__ */ Symbol("stopped");
async function driveTool(parts, verbs) {
  const { tool, observer, lease, control, journal } = parts;
  const input2 = await parseInput(parts);
  const running = tool.run(input2, await createTaskContext(parts, verbs));
  if (!isGenerator(running)) return checkedOutput(await running, parts);
  for (; ; ) {
    const next = await running.next();
    if (next.done === true) return checkedOutput(next.value, parts);
    if (keepsCheckpoints(control.aborted)) {
      try {
        const event = await checkCheckpoint(next.value, parts);
        observer("engine.checkpoint.before", lease.taskId);
        await journal.commit([event]);
        observer("engine.checkpoint.after", lease.taskId);
      } catch (error) {
        await leave(running);
        throw error;
      }
    }
    if (control.wanted !== void 0) control.abort(control.wanted);
    if (control.aborted === void 0) continue;
    await leave(running);
    return stoppedHere;
  }
}
function keepsCheckpoints(aborted) {
  return aborted === void 0 || aborted === "pause" || aborted === "drain";
}
async function leave(running) {
  try {
    let result = await running.return(void 0);
    for (let count = 0; result.done !== true && count < fixedLimits.maxYieldsInFinally; count++)
      result = await running.next();
  } catch {
  }
}
async function parseInput({ tool, record, tools }) {
  const checked = await checkValue(tool.input, record.input, tools.validate);
  if (checked.problems === void 0) return checked.value;
  throw new ResumableError(
    "VERSION_MISMATCH",
    `The input of the task no longer fits ${tool.name}: ${checked.problems.join("; ")}. Call the tool with an input that fits, or install a version that accepts this one and resume the task.`,
    { details: { taskId: record.id, from: record.toolVersion, to: tool.version } }
  );
}
async function checkedOutput(returned, { tool, tools, taskLimits }) {
  const checked = tool.output === void 0 ? { value: returned } : await checkValue(tool.output, returned, tools.validate);
  if (checked.problems !== void 0) throw invalidValue(`The output of ${tool.name}`, checked.problems);
  const output = copyJson(checked.value ?? null, "output");
  checkLimit("maxOutputBytes", jsonBytes(output), taskLimits.maxOutputBytes);
  return output;
}
function isGenerator(running) {
  return typeof running === "object" && running !== null && Symbol.asyncIterator in running && "return" in running;
}

// ../packages/core/src/engine/attempt/journal-writer.ts
var JournalWriter = class {
  #options;
  #unwatch;
  #current;
  #waiting = [];
  #lookWanted = false;
  #running;
  #closed = false;
  #failure;
  #logged = [];
  #droppedLogs = 0;
  #stopNotification;
  #stopPoll = () => {
  };
  constructor(options) {
    const { store, lease, clock, limits: limits2 } = options;
    this.#options = options;
    this.#current = options.record;
    this.#unwatch = store.watch(lease.taskId, () => {
      this.#stopNotification ??= clock.after(limits2.notificationDelayMs, () => {
        this.#stopNotification = void 0;
        this.look();
      });
    });
    this.#poll();
  }
  /** The task as of the last commit that resolved. */
  get record() {
    return this.#current;
  }
  /** What ended this writer, if the store did: nothing is written after it. */
  get broken() {
    return this.#failure;
  }
  /**
   * Commits events together, all or nothing.
   *
   * Rejects with `TaskInterrupted` when the epoch is over for this writer, and with the store's error when the store
   * refused the events for what they are.
   */
  commit(events, consume = []) {
    if (this.#closed) return Promise.reject(new TaskInterrupted("lease_lost"));
    const written = new Promise((resolve2, reject) => {
      this.#waiting.push({ events, consume, resolve: resolve2, reject });
    });
    this.#running ??= this.#pump();
    return written;
  }
  /**
   * Adds an entry to the task's log with the next commit.
   *
   * @throws {@link ResumableError} `NOT_JSON`, `LIMIT_EXCEEDED`.
   */
  log(level, data) {
    const { maxLogBytes, maxPendingLogs } = this.#options.taskLimits;
    const copied = copyJson(data ?? null, "log data");
    checkLimit("maxLogBytes", jsonBytes(copied), maxLogBytes);
    if (this.#logged.length >= maxPendingLogs) {
      this.#logged.shift();
      this.#droppedLogs += 1;
    }
    this.#logged.push({ type: "log", level, data: copied });
  }
  /** Asks the store which signals are pending; a commit that is about to begin answers that too. */
  look() {
    if (this.#closed) return;
    this.#lookWanted = true;
    this.#running ??= this.#pump();
  }
  /** Takes nothing more from anybody, and writes what comes last when all that waited was written. */
  async finish(last) {
    this.#closed = true;
    while (this.#running !== void 0) await this.#running;
    if (this.#failure === void 0) await this.#write(last(this.#current));
  }
  /** Turns all timers off. */
  dispose() {
    this.#unwatch();
    this.#stopNotification?.();
    this.#stopPoll();
  }
  /** Ends this writer because the store failed: the next attempt asks it again. */
  fail(error) {
    this.#closed = true;
    if (this.#failure !== void 0) return;
    this.#failure = { error };
    this.#options.onBroken(error);
  }
  /** Handles its own errors, so that no caller has to wait for it. */
  async #pump() {
    await void 0;
    while (this.#waiting.length > 0 || this.#lookWanted) {
      this.#lookWanted = false;
      const batch = this.#waiting.splice(0);
      this.#stopNotification?.();
      this.#stopNotification = void 0;
      this.#poll();
      if (batch.length === 0) {
        await this.#askForSignals();
        continue;
      }
      const events = batch.flatMap((entry) => entry.events);
      const consume = batch.flatMap((entry) => entry.consume);
      try {
        await this.#write({ events, consume });
        for (const entry of batch) entry.resolve();
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.#running = void 0;
  }
  async #write({ events, consume }) {
    const { store, lease, clock, onCommitted, onSignals } = this.#options;
    if (this.#failure !== void 0) throw new TaskInterrupted("lease_lost");
    const written = { lease, afterSeq: this.#current.lastSeq, consume, now: instantOf(clock) };
    try {
      const { record, signals } = await store.commit({ ...written, events: [...this.#takeLogs(), ...events] });
      this.#current = record;
      onCommitted(record);
      onSignals(signals);
    } catch (error) {
      if (isResumableError(error, "LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "NOT_JSON")) throw error;
      this.fail(error);
      throw new TaskInterrupted("lease_lost");
    }
  }
  async #askForSignals() {
    const { store, lease, onSignals } = this.#options;
    try {
      const snapshot = await store.getTask(lease.taskId);
      if (snapshot !== void 0) onSignals(snapshot.signals);
    } catch {
    }
  }
  #poll() {
    const { clock, limits: limits2 } = this.#options;
    this.#stopPoll();
    this.#stopPoll = clock.after(limits2.pollMs, () => {
      this.#poll();
      this.look();
    });
  }
  /** The log entries that wait, oldest first. */
  #takeLogs() {
    const taken = this.#logged.splice(0);
    if (this.#droppedLogs === 0) return taken;
    const { maxPendingLogs } = this.#options.taskLimits;
    const data = `${this.#droppedLogs} older log entries were dropped: maxPendingLogs allows ${maxPendingLogs} between two checkpoints.`;
    this.#droppedLogs = 0;
    return [{ type: "log", level: "warning", data }, ...taken];
  }
};

// ../packages/core/src/engine/attempt/waits-in-place.ts
var WaitsInPlace = class {
  #parts;
  #isBusy;
  #waits = /* @__PURE__ */ new Map();
  #earliestMs;
  /** @param isBusy a step is under way: ending the attempt now would do it twice. */
  constructor(parts, isBusy) {
    this.#parts = parts;
    this.#isBusy = isBusy;
  }
  /** When the earliest of the waits that ended the attempt is over; `undefined`: when an answer comes. */
  get untilMs() {
    return this.#earliestMs;
  }
  /** What is waited for now. */
  get keys() {
    return [...this.#waits.keys()];
  }
  /** Ends the wait of this key. */
  wake(key) {
    this.#waits.get(key)?.wake();
  }
  /**
   * Waits until woken or until `untilMs` of the wall clock comes.
   *
   * @throws {@link TaskInterrupted} when the attempt stops.
   */
  wait(key, untilMs) {
    const { control, clock, dueTimes, limits: limits2, mayWaitInPlace } = this.#parts;
    const { waitInPlaceMs } = limits2;
    const stayMs = this.#waits.size > 0 || mayWaitInPlace() ? waitInPlaceMs : 0;
    return new Promise((resolve2, reject) => {
      const begunMs = clock.monotonicMs();
      let stopTimer = () => {
      };
      const end2 = () => {
        stopTimer();
        leave2();
        this.#waits.delete(key);
        control.signal.removeEventListener("abort", interrupted);
      };
      const wake = () => {
        end2();
        resolve2();
      };
      const interrupted = () => {
        end2();
        reject(new TaskInterrupted(control.aborted ?? "waiting"));
      };
      const look2 = () => {
        const leftMs = dueTimes.leftMs(untilMs);
        const hereMs = begunMs + stayMs - clock.monotonicMs();
        if (leftMs <= 0) wake();
        else if ((hereMs <= 0 || leftMs > waitInPlaceMs && Number.isFinite(leftMs)) && this.#giveUp()) return;
        else stopTimer = clock.after(Math.min(leftMs, hereMs > 0 ? hereMs : waitInPlaceMs), look2, true);
      };
      const leave2 = control.waitInPlace();
      this.#waits.set(key, { untilMs, wake });
      control.signal.addEventListener("abort", interrupted);
      if (control.aborted === void 0) look2();
      else interrupted();
    });
  }
  /** Ends the attempt, unless something else is under way in it. */
  #giveUp() {
    if (this.#isBusy()) return false;
    const earliestMs = Math.min(...Array.from(this.#waits.values(), (wait) => wait.untilMs));
    if (Number.isFinite(earliestMs)) this.#earliestMs = earliestMs;
    this.#parts.control.abort("waiting");
    return true;
  }
};

// ../packages/core/src/engine/attempt/task-verbs.ts
var TaskVerbs = class {
  waits;
  #parts;
  #used = /* @__PURE__ */ new Set();
  #rememberedCount;
  #activeSteps = 0;
  #noting = false;
  constructor(parts) {
    this.#parts = parts;
    this.#rememberedCount = Object.keys(parts.record.remembered).length;
    this.waits = new WaitsInPlace(parts, () => this.#activeSteps > 0);
  }
  async step(key, run) {
    const entry = this.#claim(key, ["step"]);
    const what = `the value of step ${JSON.stringify(key)}`;
    if (entry?.kind === "step") return copyJson(entry.value, what);
    this.#activeSteps += 1;
    this.#noteWaits();
    try {
      const value = copyJson(await run() ?? null, what);
      checkLimit("maxStepBytes", jsonBytes(value), this.#parts.taskLimits.maxStepBytes);
      await this.#remember({ type: "step", key, value });
      this.#parts.control.check();
      return copyJson(value, what);
    } finally {
      this.#activeSteps -= 1;
      this.#noteWaits();
    }
  }
  async sleep(key, durationMs) {
    const { clock, dueTimes } = this.#parts;
    const entry = this.#claim(key, ["sleep"]);
    let until = entry?.kind === "sleep" ? entry.until : void 0;
    if (until === void 0) {
      until = laterIso(`The duration of sleep ${JSON.stringify(key)}`, clock.wallMs(), durationMs);
      await this.#remember({ type: "sleep", key, until });
    }
    if (dueTimes.leftMs(Date.parse(until)) > 0) await this.#wait(key, Date.parse(until));
  }
  async ask(key, request) {
    const { clock, tools } = this.#parts;
    const entry = this.#claim(key, ["question", "answer"]);
    if (entry === void 0) {
      await this.#remember({ type: "asked", key, question: questionOf(key, request, clock.wallMs()) });
    }
    const answer = this.#answerOf(key) ?? await this.#awaitAnswer(key);
    if (answer.action !== "accept") return { action: answer.action };
    const content = copyJson(answer.content, `the answer to ${JSON.stringify(key)}`);
    if (!isStandardSchema(request.schema)) return { action: "accept", content };
    const checked = await checkValue(request.schema, content, tools.validate);
    return { action: "accept", content: checked.problems === void 0 ? checked.value : content };
  }
  #claim(key, kinds) {
    const { journal, control } = this.#parts;
    checkLimit("maxKeyLength", key.length, this.#parts.taskLimits.maxKeyLength);
    const entry = entryOf(journal.record, key);
    if (this.#used.has(key) || entry !== void 0 && !kinds.includes(entry.kind)) {
      throw keyReused(journal.record.id, key);
    }
    this.#used.add(key);
    control.check();
    return entry;
  }
  async #remember(event) {
    checkLimit("maxSteps", this.#rememberedCount + 1, this.#parts.taskLimits.maxSteps);
    this.#rememberedCount += 1;
    await this.#parts.journal.commit([event]);
  }
  async #wait(key, untilMs) {
    try {
      const waited = this.waits.wait(key, untilMs);
      this.#noteWaits();
      await waited;
    } finally {
      this.#noteWaits();
    }
  }
  /**
   * Sees to it that the scheduler and the journal know whether the attempt only waits. `asked` and `sleep` say so themselves, so nothing
   * is written unless the attempt came back to an earlier wait, or runs a step while it waits.
   */
  #noteWaits() {
    if (this.#noting) return;
    this.#noting = true;
    void Promise.resolve().then(() => {
      this.#noting = false;
      const { journal, control, onWaiting } = this.#parts;
      const keys = this.#activeSteps > 0 ? [] : this.waits.keys;
      onWaiting(keys.length > 0);
      const { waitsFor = [] } = journal.record;
      const known2 = keys.length === waitsFor.length && keys.every((key) => waitsFor.includes(key));
      const over = this.waits.keys.length === 0 || control.aborted !== void 0;
      if (!known2 && !over) journal.commit([{ type: "waiting", keys }]).catch(() => {
      });
    });
  }
  #answerOf(key) {
    const entry = entryOf(this.#parts.journal.record, key);
    return entry?.kind === "answer" ? entry.answer : void 0;
  }
  async #awaitAnswer(key) {
    const entry = entryOf(this.#parts.journal.record, key);
    const expiresAt = entry?.kind === "question" ? entry.question.expiresAt : void 0;
    await this.#wait(key, expiresAt === void 0 ? Number.POSITIVE_INFINITY : Date.parse(expiresAt));
    if (this.#answerOf(key) === void 0) await this.#expire(key);
    for (; ; ) {
      const answer = this.#answerOf(key);
      if (answer !== void 0) return answer;
      await this.#wait(key, Number.POSITIVE_INFINITY);
    }
  }
  /**
   * Answers a question with `expired` by the way that everybody's answers go, of which the store takes one: an answer
   * that a user gives at this very moment is either taken, or refused because it came too late.
   */
  async #expire(key) {
    const { store, lease, journal } = this.#parts;
    try {
      await store.signal(lease.taskId, { kind: "answer", key, answer: { action: "expired" } });
    } catch (error) {
      if (!isResumableError(error, "ALREADY_ANSWERED")) journal.fail(error);
    }
    journal.look();
  }
};
function laterIso(what, nowMs, durationMs) {
  if (Number.isNaN(durationMs)) throw invalidValue(what, ["must be a number of milliseconds"]);
  return isoOf(nowMs + Math.max(0, durationMs));
}
function questionOf(key, request, nowMs) {
  const { message, timeoutMs, userOnly } = request;
  const what = `question ${JSON.stringify(key)}`;
  const expiresAt = timeoutMs === void 0 ? void 0 : laterIso(`The timeout of ${what}`, nowMs, timeoutMs);
  const question = { message, schema: jsonSchemaOf(request.schema, "input", what), expiresAt, userOnly };
  copyJson(question, what);
  return question;
}
function keyReused(taskId, key) {
  return new ResumableError(
    "STEP_KEY_REUSED",
    `The key ${JSON.stringify(key)} was used twice in one attempt. Keys are unique within a task: in a loop, add the loop index.`,
    { details: { taskId, key } }
  );
}

// ../packages/core/src/engine/attempt/attempt.ts
var Attempt = class {
  #parts;
  #verbs;
  #applied = /* @__PURE__ */ new Set();
  #signals = [];
  #progressed = false;
  constructor(options) {
    const taskLimits = withDefaults(taskDefaults, options.tool.limits);
    const control = new AttemptControl(options);
    const journal = new JournalWriter({
      ...options,
      taskLimits,
      onBroken: () => control.abort("lease_lost"),
      onCommitted: (record) => this.#committed(record),
      onSignals: (signals) => this.#applySignals(signals)
    });
    this.#parts = { ...options, taskLimits, control, journal };
    this.#verbs = new TaskVerbs(this.#parts);
  }
  /**
   * Runs the attempt until nothing more will be written by it. Resolves to the error of the store that broke it, if one
   * did. Never rejects.
   */
  async run() {
    const { observer, lease, journal, control } = this.#parts;
    journal.look();
    observer("engine.attempt.started", lease.taskId);
    let over = false;
    const driving = driveTool(this.#parts, this.#verbs).finally(() => {
      over = true;
    });
    let outcome;
    try {
      const output = await Promise.race([driving, control.abandoned]);
      outcome = output === stoppedHere ? this.#interrupted(false) ?? { kind: "stopped", reason: "drain", abandoned: false } : { kind: "returned", output };
    } catch (error) {
      outcome = this.#interrupted(!over) ?? { kind: "threw", error };
    }
    try {
      await journal.finish((record) => this.#lastEntry(outcome, record));
    } catch (error) {
      await journal.finish((record) => this.#lastEntry({ kind: "threw", error }, record)).catch(() => {
      });
    }
    observer("engine.attempt.ended", lease.taskId);
    journal.dispose();
    control.dispose();
    return journal.broken;
  }
  /** Looks for signals that others left. */
  look() {
    this.#parts.journal.look();
  }
  /** Stops at the next checkpoint, at once after the grace time. */
  drain(graceMs) {
    this.#parts.control.want("drain", graceMs);
  }
  #committed(record) {
    this.#parts.control.touch();
    if (this.#progressed || !record.progressed) return;
    this.#progressed = true;
    this.#parts.onProgressed();
  }
  /** Carries out what others request; answers and requests to detach once each. */
  #applySignals(signals) {
    const { control, journal } = this.#parts;
    this.#signals = signals;
    for (const signal of signals) {
      if (this.#applied.has(signal.id)) continue;
      this.#applied.add(signal.id);
      if (signal.kind === "cancel") control.abort("cancel");
      if (signal.kind === "detach") this.#write(journal.record.detached ? [] : [{ type: "detached" }], signal.id);
      if (signal.kind !== "answer") continue;
      const { id, key, answer } = signal;
      const isOpen = entryOf(journal.record, key)?.kind === "question";
      this.#write(isOpen ? [{ type: "answered", key, answer }] : [], id, key);
    }
    const request = desiredStateOf({ record: journal.record, signals, leased: true });
    if (request === "pause") control.want("pause");
    else control.unwant("pause");
  }
  #write(events, signalId, answeredKey) {
    this.#parts.journal.commit(events, [signalId]).then(() => {
      if (answeredKey !== void 0) this.#verbs.waits.wake(answeredKey);
    }).catch(() => {
    });
  }
  #interrupted(abandoned) {
    const { aborted, timeout } = this.#parts.control;
    if (aborted === void 0) return void 0;
    return timeout === void 0 ? { kind: "stopped", reason: aborted, abandoned } : { kind: "threw", error: timeout };
  }
  #lastEntry(outcome, record) {
    const { tool, clock } = this.#parts;
    const waitsUntilMs2 = this.#verbs.waits.untilMs;
    return endOfAttempt(outcome, { record, signals: this.#signals, tool, nowMs: clock.wallMs(), waitsUntilMs: waitsUntilMs2 });
  }
};

// ../packages/core/src/engine/scheduling/suspects.ts
var narrowing = 4;
function groupSize(crashes, { maxRunning }) {
  return Math.max(1, Math.floor(maxRunning / narrowing ** (crashes - 1)));
}
function trialMsOf(crashes, { trialMs }) {
  return trialMs * narrowing ** (crashes - 1);
}
function isOnTrial(task, limits2, nowMs) {
  return task.crashes > 0 && !task.waiting && nowMs < task.startedAtMs + trialMsOf(task.crashes, limits2);
}
function mayJoin(task, running, limits2, nowMs) {
  if (task.crashes === 0 || nowMs >= task.queuedAtMs + trialMsOf(task.crashes, limits2)) return true;
  const tried = running.filter((other) => isOnTrial(other, limits2, nowMs));
  const worst = Math.max(task.crashes, ...tried.map(({ crashes }) => crashes));
  return tried.length < groupSize(worst, limits2);
}
function nextTrialMs(queue, running, limits2, nowMs) {
  const waiting = [...queue].filter(({ crashes }) => crashes > 0);
  if (waiting.length === 0) return Number.POSITIVE_INFINITY;
  const ends = running.filter((task) => isOnTrial(task, limits2, nowMs)).map((task) => task.startedAtMs + trialMsOf(task.crashes, limits2));
  const patience = waiting.map((task) => task.queuedAtMs + trialMsOf(task.crashes, limits2));
  return Math.min(...[...ends, ...patience].filter((atMs) => atMs > nowMs));
}
function isCrashLoop(crashedIn, companions, limits2) {
  const proven = crashedIn.filter((worker) => !companions.some((others) => others.includes(worker)));
  if (proven.length >= limits2.maxCrashesWithoutProgress) return true;
  return crashedIn.length >= Math.max(limits2.maxCrashesInCompany, limits2.maxCrashesWithoutProgress);
}

// ../packages/core/src/engine/scheduling/plan-attempt.ts
function waitsUntil(record) {
  if (record.live) return waitsUntilMs(record);
  return record.runnableAt === void 0 ? 0 : Date.parse(record.runnableAt);
}
function planAttempt(snapshot, inputs) {
  const { record, signals } = snapshot;
  const { tool } = inputs;
  const requests3 = signals.filter(({ kind }) => kind !== "delivered" && kind !== "undelivered");
  const consume = requests3.map((signal) => signal.id);
  if (isFinal(record.status)) return { events: [], consume, run: false };
  const events = requestEvents(snapshot);
  const stop = (...last) => ({ events: [...events, ...last], consume, run: false });
  if (requests3.some((signal) => signal.kind === "cancel")) return stop({ type: "cancelled" });
  if (tool === void 0) return stop();
  const ending2 = record.live ? endingOf(snapshot, tool, inputs) : { events: [], over: false };
  if (ending2.over || !inputs.mayRun || desiredStateOf(snapshot) === "pause") return stop(...ending2.events);
  if (mustWait(snapshot, ending2, inputs.waitMs)) return stop(...ending2.events);
  if (!record.live && isCrashLoop(record.crashedIn ?? [], inputs.companions, inputs)) {
    return stop(crashLoop(record.crashes, tool));
  }
  const version = versionEnding(snapshot, tool);
  if (version.over) return stop(...ending2.events, ...version.events);
  const start = {
    type: "attempt_started",
    attempt: record.attempt + 1,
    worker: inputs.worker,
    toolVersion: tool.version
  };
  return { events: [...events, ...ending2.events, ...version.events, start], consume, run: true };
}
function requestEvents({ record, signals }) {
  const events = [];
  for (const signal of signals) {
    if (signal.kind === "answer" && entryOf(record, signal.key)?.kind === "question") {
      events.push({ type: "answered", key: signal.key, answer: signal.answer });
    }
  }
  if (!record.detached && signals.some((signal) => signal.kind === "detach")) {
    events.push({ type: "detached" });
  }
  const isRequested = signals.some((signal) => signal.kind === "pause" || signal.kind === "resume");
  if (isRequested)
    events.push({ type: "desiredState", desiredState: desiredStateOf({ record, signals, leased: false }) });
  return events;
}
function endingOf({ record }, tool, inputs) {
  const broken = record.attempt === inputs.brokenAttempt;
  const ended = { type: "attempt_ended", reason: broken ? "interrupted" : "crashed" };
  if (!broken && onlyWaits(record)) return deathInWait(record, tool, inputs);
  if (tool.kind === "function" && tool.onCrash === "fail") {
    const cause = broken ? "The store failed" : "The process died";
    const message = `${cause} while ${tool.name} ran, and a tool without checkpoints cannot tell how far it came. It may or may not have taken effect: check before calling again.`;
    return { events: [ended, { type: "failed", error: { code: "OUTCOME_UNKNOWN", message } }], over: true };
  }
  if (broken || record.progressed) return { events: [ended], over: false };
  const crashes = record.crashes + 1;
  const crashedIn = [...record.crashedIn ?? [], record.worker ?? record.id];
  if (isCrashLoop(crashedIn, inputs.companions, inputs)) {
    return { events: [ended, crashLoop(crashes, tool)], over: true };
  }
  const runnableAt = new Date(inputs.nowMs + inputs.crashBackoffMs * 2 ** (crashes - 1)).toISOString();
  return { events: [{ ...ended, runnableAt }], over: false };
}
function crashLoop(crashes, tool) {
  const message = `The process died ${crashes} times in a row while ${tool.name} ran without a checkpoint, so it is not tried again. Look at its input and at the server's log, then call resume_task.`;
  return { type: "failed", error: { code: "CRASH_LOOP", message } };
}
function deathInWait(record, tool, { maxDeathsInWaits }) {
  const deaths = (record.deathsInWaits ?? 0) + 1;
  const untilMs = waitsUntilMs(record);
  const runnableAt = Number.isFinite(untilMs) ? { runnableAt: new Date(untilMs).toISOString() } : {};
  const ended = { type: "attempt_ended", reason: "crashed", ...runnableAt };
  if (record.progressed || deaths < maxDeathsInWaits) return { events: [ended], over: false, waits: true };
  const message = `The process died ${deaths} times in a row while ${tool.name} waited and made no progress between, so it is not tried again. Check its input and the server's log, then call resume_task.`;
  return { events: [ended, { type: "failed", error: { code: "CRASH_LOOP", message } }], over: true };
}
function mustWait({ record, signals }, ending2, waitMs) {
  const woken = signals.some((signal) => signal.kind === "resume" || signal.kind === "answer");
  if (record.live) {
    if (ending2.waits === true) return !woken && waitMs > 0;
    return ending2.events.some((event) => event.type === "attempt_ended" && event.runnableAt !== void 0);
  }
  if (woken) return false;
  if (record.runnableAt !== void 0) return waitMs > 0;
  return openQuestions(record).length > 0;
}
function versionEnding({ record }, tool) {
  if (record.attempt === 0 || record.toolVersion === tool.version) return { events: [], over: false };
  const policy = tool.onVersionChange ?? "resume";
  if (policy === "resume") return { events: [], over: false };
  if (policy === "restart") {
    return { events: [{ type: "restarted", generation: record.generation + 1, fromState: false }], over: false };
  }
  const message = `The task was begun by version ${record.toolVersion} of ${tool.name}; version ${tool.version} is installed and does not continue it. Call the tool again to begin from nothing.`;
  return { events: [{ type: "failed", error: { code: "VERSION_MISMATCH", message, terminal: true } }], over: true };
}

// ../packages/core/src/engine/scheduling/read-tasks.ts
async function* taskPages(store, query) {
  let cursor;
  do {
    const page = await store.listTasks({ ...query, limit: fixedLimits.taskPage, cursor });
    yield page.tasks;
    cursor = page.nextCursor;
  } while (cursor !== void 0);
}
async function readIfPresent(store, taskId) {
  try {
    return await store.getTask(taskId);
  } catch (error) {
    if (isResumableError(error, "TASK_CORRUPT")) return void 0;
    throw error;
  }
}
var suspected = ["pending", "running", "paused", "input_required", "failed"];
async function listCompanions(store, suspect) {
  const mine = new Set(processesOf({ record: suspect, signals: [], leased: false }));
  const companions = [];
  let pages = 0;
  for await (const page of taskPages(store, { statuses: suspected })) {
    for (const { id, status, error } of page) {
      const endedOtherwise = status === "failed" && error?.code !== "CRASH_LOOP";
      if (id === suspect.id || endedOtherwise) continue;
      const snapshot = await readIfPresent(store, id);
      const processes = snapshot === void 0 ? [] : processesOf(snapshot);
      if (processes.some((worker) => mine.has(worker))) companions.push(processes);
    }
    pages += 1;
    if (pages === fixedLimits.maxCompanionPages) break;
  }
  return companions;
}
function processesOf(snapshot) {
  const { crashedIn = [], worker, progressed: progressed2 } = snapshot.record;
  const unjudged = isOrphan(snapshot) && !progressed2 && !onlyWaits(snapshot.record) && worker !== void 0;
  return unjudged ? [...crashedIn, worker] : crashedIn;
}

// ../packages/core/src/engine/scheduling/open-task.ts
async function openTask(environment, taskId, attempt) {
  const { store, worker, limits: limits2, clock, dueTimes, tools } = environment;
  const acquired = await store.acquireLease({ taskId, worker, ttlMs: limits2.leaseTtlMs, now: instantOf(clock) });
  if (acquired === void 0) return { kind: "held" };
  const { lease, snapshot } = acquired;
  const { record } = snapshot;
  try {
    const tool = tools.runnable.get(record.tool);
    const deaths = record.crashes + (record.live && !record.progressed ? 1 : 0);
    const companions = deaths < limits2.maxCrashesWithoutProgress ? [] : await listCompanions(store, record);
    const waitMs = dueTimes.leftMs(waitsUntil(record));
    const nowMs = clock.wallMs();
    const plan = planAttempt(snapshot, { ...attempt, ...limits2, tool, worker, companions, nowMs, waitMs });
    const { events, consume } = plan;
    const changes = events.length > 0 || consume.length > 0;
    const entry = { lease, afterSeq: record.lastSeq, events, consume, now: instantOf(clock) };
    const written = changes ? await store.commit(entry) : snapshot;
    if (plan.run && tool !== void 0) return { kind: "started", lease, record: written.record, tool };
    await store.releaseLease(lease);
    return { kind: "idle", snapshot: { ...written, leased: false } };
  } catch (error) {
    await store.releaseLease(lease).catch(() => {
    });
    throw error;
  }
}

// ../packages/core/src/engine/scheduling/orphans.ts
var Orphans = class {
  #recoverAfterMs;
  /** By task id, in monotonic milliseconds. */
  #firstSeenMs = /* @__PURE__ */ new Map();
  constructor(recoverAfterMs) {
    this.#recoverAfterMs = recoverAfterMs;
  }
  /** How many wait. */
  get size() {
    return this.#firstSeenMs.size;
  }
  /**
   * Takes note of what a look found.
   *
   * @param isAll there is nothing else to be found: an orphan that is missing has been taken by a process.
   */
  look(found, isAll, nowMs) {
    const present = new Set(found);
    if (isAll) {
      for (const id of this.#firstSeenMs.keys()) if (!present.has(id)) this.#firstSeenMs.delete(id);
    }
    const due = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const id of found) {
      const firstSeenMs = this.#firstSeenMs.get(id) ?? nowMs;
      const leftMs = firstSeenMs + this.#recoverAfterMs - nowMs;
      if (leftMs <= 0) {
        due.push(id);
        this.#firstSeenMs.delete(id);
      } else {
        this.#firstSeenMs.set(id, firstSeenMs);
        nextMs = Math.min(nextMs, leftMs);
      }
    }
    return { due, nextMs: Number.isFinite(nextMs) ? nextMs : void 0 };
  }
};

// ../packages/core/src/engine/scheduling/poller.ts
var Poller = class {
  #environment;
  #pollOnce;
  #stopTimer = () => {
  };
  #timerDueMs = Number.POSITIVE_INFINITY;
  #looking;
  #isNotified = false;
  #stopped = false;
  /** @param pollOnce looks once; resolves to the delay until there will be something to see, if that is known. */
  constructor(environment, pollOnce) {
    this.#environment = environment;
    this.#pollOnce = pollOnce;
  }
  /** Looks now, and from then on until stopped. */
  async look() {
    if (this.#stopped) return;
    this.#looking ??= this.#lookAndArm().finally(() => {
      this.#looking = void 0;
      if (this.#isNotified) this.notify();
    });
    await this.#looking;
  }
  /** Looks soon: notifications come in crowds. */
  notify() {
    if (this.#looking !== void 0) this.#isNotified = true;
    else this.#arm(this.#environment.limits.notificationDelayMs);
  }
  stop() {
    this.#stopped = true;
    this.#stopTimer();
  }
  async #lookAndArm() {
    const { limits: limits2, onError } = this.#environment;
    let delayMs = limits2.pollMs;
    this.#isNotified = false;
    try {
      delayMs = Math.min(await this.#pollOnce() ?? limits2.pollMs, limits2.pollMs);
    } catch (error) {
      onError(error);
    }
    this.#stopTimer();
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    this.#arm(this.#isNotified ? Math.min(delayMs, limits2.notificationDelayMs) : delayMs);
    this.#isNotified = false;
  }
  #arm(delayMs) {
    const { clock } = this.#environment;
    const dueMs2 = clock.monotonicMs() + Math.max(0, delayMs);
    if (this.#stopped || dueMs2 >= this.#timerDueMs) return;
    this.#stopTimer();
    this.#timerDueMs = dueMs2;
    this.#stopTimer = clock.after(Math.max(0, delayMs), () => {
      this.#timerDueMs = Number.POSITIVE_INFINITY;
      void this.look();
    });
  }
};
var TaskTimers = class {
  #clock;
  #timers = /* @__PURE__ */ new Map();
  constructor(clock) {
    this.#clock = clock;
  }
  /** Calls back after a delay, in place of what was set for this task before. */
  set(taskId, kind, delayMs, run) {
    this.clear(taskId);
    const stop = this.#clock.after(Math.max(0, delayMs), () => {
      this.#timers.delete(taskId);
      run();
    });
    this.#timers.set(taskId, { kind, stop });
  }
  kindOf(taskId) {
    return this.#timers.get(taskId)?.kind;
  }
  /** How many tasks wait because their store failed. */
  get backoffs() {
    return [...this.#timers.values()].filter(({ kind }) => kind === "backoff").length;
  }
  clear(taskId) {
    this.#timers.get(taskId)?.stop();
    this.#timers.delete(taskId);
  }
  clearAll() {
    for (const taskId of [...this.#timers.keys()]) this.clear(taskId);
  }
};

// ../packages/core/src/engine/scheduling/pick-next.ts
function pickNext(queue, attempts, limits2, nowMs) {
  const running = attempts.filter(({ waiting }) => !waiting);
  if (running.length >= limits2.maxRunning) return void 0;
  const byOwner = countBy(running.map((task) => task.owner));
  const byTool = countBy(attempts.map((task) => task.tool));
  let best;
  let bestCount = Number.POSITIVE_INFINITY;
  for (const task of queue) {
    const count = byOwner.get(task.owner) ?? 0;
    if (count >= limits2.maxRunningPerOwner || count >= bestCount) continue;
    if ((byTool.get(task.tool) ?? 0) >= limits2.maxRunningOf(task.tool)) continue;
    if (!mayJoin(task, running, limits2, nowMs)) continue;
    best = task;
    bestCount = count;
  }
  return best;
}
function countBy(names) {
  const counts2 = /* @__PURE__ */ new Map();
  for (const name of names) counts2.set(name, (counts2.get(name) ?? 0) + 1);
  return counts2;
}

// ../packages/core/src/engine/scheduling/run-queue.ts
var RunQueue = class {
  #environment;
  #serve;
  #queue = /* @__PURE__ */ new Map();
  #slots = /* @__PURE__ */ new Map();
  #stopped = false;
  #stopTrialTimer = () => {
  };
  constructor(environment, serve) {
    this.#environment = environment;
    this.#serve = serve;
  }
  get running() {
    return [...this.#slots.keys()];
  }
  /** How many wait for a slot. */
  get length() {
    return this.#queue.size;
  }
  /** The task waits for a slot or has one. */
  has(taskId) {
    return this.#queue.has(taskId) || this.#slots.has(taskId);
  }
  slotOf(taskId) {
    return this.#slots.get(taskId);
  }
  /** Queues a task, unless it has a slot already or this process does not have its tool. */
  add({ id, owner, tool, crashes }) {
    if (this.#stopped || !this.#environment.tools.runnable.has(tool) || this.#slots.has(id)) return;
    const queuedAtMs = this.#queue.get(id)?.queuedAtMs ?? this.#environment.clock.monotonicMs();
    this.#queue.set(id, { id, owner, tool, crashes, queuedAtMs });
  }
  remove(taskId) {
    this.#queue.delete(taskId);
  }
  /** Gives slots to tasks as long as there are both. */
  pump() {
    const { tools, clock } = this.#environment;
    const maxRunningOf = (tool) => tools.runnable.get(tool)?.maxRunning ?? Number.POSITIVE_INFINITY;
    const limits2 = { ...this.#environment.limits, maxRunningOf };
    while (!this.#stopped) {
      const next = pickNext(this.#queue.values(), [...this.#slots.values()], limits2, clock.monotonicMs());
      if (next === void 0) break;
      const { id, owner, tool, crashes } = next;
      const slot = {
        owner,
        tool,
        crashes,
        waiting: false,
        startedAtMs: clock.monotonicMs(),
        done: Promise.resolve()
      };
      this.#queue.delete(id);
      this.#slots.set(id, slot);
      slot.done = this.#serve(next, slot).then((afterwards) => {
        this.#slots.delete(id);
        afterwards();
        this.pump();
      });
    }
    this.#armTrialTimer(limits2);
  }
  /** The task made progress: it is not a suspect any more. */
  clear(slot) {
    if (slot.crashes === 0) return;
    slot.crashes = 0;
    this.pump();
  }
  /** The task waits in place and needs no slot, or works on. */
  setWaiting(slot, waiting) {
    if (slot.waiting === waiting) return;
    slot.waiting = waiting;
    if (waiting) this.pump();
  }
  /** Whether one more task may wait in place. */
  get mayWaitInPlace() {
    const waiting = [...this.#slots.values()].filter((slot) => slot.waiting).length;
    return waiting < this.#environment.limits.maxWaitingInPlace;
  }
  /** Gives no more slots, and forgets who waits for one. */
  stop() {
    this.#stopped = true;
    this.#stopTrialTimer();
    this.#queue.clear();
    return [...this.#slots.values()];
  }
  /** A suspect may wait for nothing but the time of another's trial, or its own patience, to be over. */
  #armTrialTimer(limits2) {
    const { clock } = this.#environment;
    this.#stopTrialTimer();
    if (this.#stopped) return;
    const nowMs = clock.monotonicMs();
    const dueMs2 = nextTrialMs(this.#queue.values(), [...this.#slots.values()], limits2, nowMs);
    if (Number.isFinite(dueMs2)) this.#stopTrialTimer = clock.after(dueMs2 - nowMs, () => this.pump());
  }
};

// ../packages/core/src/engine/scheduling/scheduler.ts
var Scheduler = class {
  /** Looks for work in the store: at once, when notified, and when something falls due. */
  poller;
  #environment;
  #onFinished;
  #queue;
  /** Tasks that a caller in this process waits for: should a runner elsewhere die, this process continues with them. */
  #awaited = /* @__PURE__ */ new Set();
  #troubles = /* @__PURE__ */ new Map();
  #exclusive = new Exclusive();
  #timers;
  #orphans;
  /** When what still runs has to stop, in monotonic milliseconds. */
  #drainUntilMs;
  constructor(environment, onFinished) {
    this.#environment = environment;
    this.#onFinished = onFinished;
    this.#queue = new RunQueue(environment, (task, slot) => this.#serve(task, slot));
    this.#timers = new TaskTimers(environment.clock);
    this.#orphans = new Orphans(environment.limits.recoverAfterMs);
    this.poller = new Poller(environment, () => this.#pollOnce());
  }
  /** Ids of the tasks that this process runs or is about to run. */
  get running() {
    return this.#queue.running;
  }
  /** Queues a task. `awaited`: a caller in this process waits for it. */
  kick(task, awaited = true) {
    if (awaited) this.#awaited.add(task.id);
    this.#timers.clear(task.id);
    this.#queue.add(task);
    this.#queue.pump();
  }
  /** Sees to it that a task continues that a caller in this process waits for, as soon as it may. */
  resumeForWaiter(snapshot) {
    const { record } = snapshot;
    if (isFinal(record.status)) return;
    this.#awaited.add(record.id);
    const slot = this.#queue.slotOf(record.id);
    const due = dueMs(snapshot) ?? Number.POSITIVE_INFINITY;
    if (slot !== void 0) slot.attempt?.look();
    else if (snapshot.leased || this.#environment.dueTimes.leftMs(due) <= 0) this.kick(record);
    else this.#rest(snapshot);
  }
  /** Carries out signals of a task: by its attempt in this process, or, when no process runs it, here and now. */
  async applySignals(snapshot) {
    const { id } = snapshot.record;
    if (this.#queue.slotOf(id) === void 0 && !snapshot.leased) {
      try {
        const opened = await this.#open(id, false);
        if (opened.kind === "idle") this.#rest(opened.snapshot);
      } catch (error) {
        this.#environment.onError(error);
        this.poller.notify();
      }
    }
    this.#queue.slotOf(id)?.attempt?.look();
  }
  /** Begins a new generation of a failed task from its last state. */
  async restart(taskId) {
    await this.#queue.slotOf(taskId)?.done;
    const record = await this.#exclusive.run(taskId, () => restartFailed(this.#environment, taskId));
    if (record !== void 0) this.kick({ ...record, crashes: 0 });
  }
  /** Deletes a finished task; resolves to false for an unfinished one. */
  async remove(taskId) {
    await this.#queue.slotOf(taskId)?.done;
    return this.#exclusive.run(taskId, () => deleteFinished(this.#environment, taskId));
  }
  /** Takes no more work and stops what runs. Resolves to the tasks that did not stop in time. */
  async drain(timeoutMs) {
    const { clock } = this.#environment;
    this.#drainUntilMs = clock.monotonicMs() + timeoutMs;
    this.poller.stop();
    this.#timers.clearAll();
    const slots = this.#queue.stop();
    for (const slot of slots) this.#drainAttempt(slot.attempt);
    let stopTimer = () => {
    };
    const late = new Promise((resolve2) => {
      stopTimer = clock.after(timeoutMs, resolve2, true);
    });
    await Promise.race([Promise.all(slots.map((slot) => slot.done)), late]);
    stopTimer();
    return this.running;
  }
  /** A third each for the next checkpoint, for the tool to notice its signal, and for the last write. */
  #drainAttempt(attempt) {
    if (this.#drainUntilMs === void 0) return;
    attempt?.drain(Math.max(0, (this.#drainUntilMs - this.#environment.clock.monotonicMs()) / 3));
  }
  #schedule(task, kind, delayMs) {
    if (this.#drainUntilMs === void 0) this.#timers.set(task.id, kind, delayMs, () => this.kick(task, false));
  }
  /**
   * Runs one attempt of a task. When there is to be another one is decided when the slot is free: what comes in between
   * would find the slot taken, and be lost.
   */
  async #serve(task, slot) {
    const { store, onError } = this.#environment;
    try {
      const opened = await this.#open(task.id, true);
      if (opened.kind === "held") return () => this.#lost(task);
      if (opened.kind === "idle") return () => this.#rest(opened.snapshot);
      const { lease, record, tool } = opened;
      const onProgressed = () => {
        this.#troubles.delete(task.id);
        this.#queue.clear(slot);
      };
      const onWaiting = (waiting) => this.#queue.setWaiting(slot, waiting);
      const mayWaitInPlace = () => this.#queue.mayWaitInPlace;
      const callbacks = { onProgressed, onWaiting, mayWaitInPlace };
      try {
        slot.attempt = new Attempt({ ...this.#environment, ...callbacks, lease, record, tool });
        this.#drainAttempt(slot.attempt);
        const broken = await slot.attempt.run();
        if (broken !== void 0) return () => this.#failed(task, broken.error, record.attempt);
      } finally {
        await store.releaseLease(lease).catch(onError);
      }
      const snapshot = await store.getTask(task.id);
      return () => snapshot === void 0 ? this.#forget(task.id) : this.#rest({ ...snapshot, leased: false });
    } catch (error) {
      return () => this.#failed(task, error, this.#troubles.get(task.id)?.brokenAttempt);
    }
  }
  #open(taskId, mayRun) {
    return this.#exclusive.run(
      taskId,
      () => openTask(this.#environment, taskId, {
        mayRun: mayRun && this.#drainUntilMs === void 0,
        brokenAttempt: this.#troubles.get(taskId)?.brokenAttempt
      })
    );
  }
  /** Decides when a task that ran here runs again: a caller was there, so it waits for none to return. */
  #rest(snapshot) {
    const { record } = snapshot;
    const due = dueMs(snapshot);
    this.#troubles.delete(record.id);
    if (due !== void 0) this.#schedule(record, "due", this.#environment.dueTimes.leftMs(due));
    else this.#forget(record.id);
    if (isFinal(record.status)) this.#onFinished(record);
  }
  /** Another process runs the task. */
  #lost(task) {
    this.#troubles.delete(task.id);
    if (this.#awaited.has(task.id)) this.#schedule(task, "due", this.#environment.limits.pollMs);
  }
  #failed(task, error, brokenAttempt) {
    const { limits: limits2, onError } = this.#environment;
    if (isResumableError(error, "LEASE_LOST")) {
      onError(error);
      this.#lost(task);
      return;
    }
    if (!isResumableError(error, "TASK_NOT_FOUND")) onError(error);
    if (isResumableError(error, "TASK_NOT_FOUND", "TASK_CORRUPT", "STORE_CLOSED")) {
      this.#forget(task.id);
      return;
    }
    const failures = this.#troubles.get(task.id)?.failures ?? 0;
    this.#troubles.set(task.id, { failures: failures + 1, brokenAttempt });
    this.#schedule(task, "backoff", writeBackoff(failures, limits2));
  }
  #forget(taskId) {
    this.#awaited.delete(taskId);
    this.#troubles.delete(taskId);
    this.#timers.clear(taskId);
    this.#queue.remove(taskId);
  }
  async #pollOnce() {
    const { store, tools, clock, dueTimes, limits: limits2 } = this.#environment;
    const limit = limits2.lookBatch + this.#queue.length + this.#timers.backoffs + this.#orphans.size;
    const found = await store.listRunnable({ tools: [...tools.runnable.keys()], now: instantOf(clock), limit });
    const orphansMs = this.#queueFound(found.tasks, found.tasks.length < limit);
    const dueMs2 = found.nextDueMs === void 0 ? void 0 : dueTimes.leftMs(found.nextDueMs);
    return dueMs2 === void 0 || orphansMs === void 0 ? dueMs2 ?? orphansMs : Math.min(dueMs2, orphansMs);
  }
  /** Queues what may run now. Resolves to the delay until the next orphan may. */
  #queueFound(found, isAll) {
    const hasCome = (task) => this.#environment.dueTimes.leftMs(task.dueMs) <= 0;
    const tasks = found.filter((task) => this.#timers.kindOf(task.id) !== "backoff" && hasCome(task));
    const orphaned = tasks.filter(({ id, detached }) => !detached && !this.#isInHand(id)).map(({ id }) => id);
    const { due, nextMs } = this.#orphans.look(orphaned, isAll, this.#environment.clock.monotonicMs());
    const waiting = new Set(orphaned);
    for (const id of due) waiting.delete(id);
    for (const task of tasks) {
      if (waiting.has(task.id)) continue;
      this.#timers.clear(task.id);
      this.#queue.add(task);
    }
    this.#queue.pump();
    return nextMs;
  }
  /** This process runs the task, is about to, or has a caller that waits for it. */
  #isInHand(taskId) {
    return this.#awaited.has(taskId) || this.#queue.has(taskId) || this.#timers.kindOf(taskId) !== void 0;
  }
};

// ../packages/core/src/engine/scheduling/tool-table.ts
var ToolTable = class {
  all;
  /** Those that can run now. Grows when the validator comes. */
  runnable;
  #runnable;
  #validator;
  /** @throws {@link ResumableError} `TOOL_NAME_TAKEN`. */
  constructor(tools, validator) {
    const all = /* @__PURE__ */ new Map();
    for (const tool of tools) {
      const { name } = tool;
      const message = `Two tools are named ${name}. Rename one of them.`;
      if (all.has(name)) throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name } });
      all.set(name, tool);
    }
    this.all = all;
    this.#validator = validator;
    this.#runnable = new Map([...all].filter(([, tool]) => validator !== void 0 || !needsValidator(tool)));
    this.runnable = this.#runnable;
  }
  /**
   * Finds a tool.
   *
   * @throws {@link ResumableError} `UNKNOWN_TOOL`, naming the tools there are.
   */
  require(name) {
    const tool = this.all.get(name);
    if (tool !== void 0) return tool;
    const known2 = [...this.all.keys()];
    throw new ResumableError(
      "UNKNOWN_TOOL",
      `There is no tool ${JSON.stringify(name)}. Known tools: ${known2.join(", ")}.`,
      { details: { tool: name, known: known2 } }
    );
  }
  /** Takes the validator, unless there is one. True when more tools can run because of it. */
  use(validator) {
    this.#validator ??= validator;
    const before = this.#runnable.size;
    for (const [name, tool] of this.all) this.#runnable.set(name, tool);
    return this.#runnable.size > before;
  }
  /** Checks by the validator that there is at the time of the check. */
  validate = (schema2, value) => {
    if (this.#validator === void 0) throw missingValidator("A schema");
    return this.#validator(schema2, value);
  };
  /** Throws `INVALID_OPTION` when the tool of that name is known and cannot run. */
  requireValidator(name) {
    if (this.all.has(name) && !this.#runnable.has(name)) throw missingValidator(`A schema of tool ${name}`);
  }
};
function needsValidator({ input: input2, output, item }) {
  return [input2, output, item].some((schema2) => schema2 !== void 0 && !isStandardSchema(schema2));
}
function missingValidator(what) {
  return new ResumableError(
    "INVALID_OPTION",
    `${what} is plain JSON Schema, and this engine has no validator for it. Pass validateJsonSchema: createJsonSchemaValidator() of @resumable-mcp/mcp to createEngine, or serve the engine with that package.`,
    { details: { option: "validateJsonSchema" } }
  );
}

// ../packages/core/src/engine/scheduling/unfinished-tasks.ts
var UnfinishedTasks = class {
  #store;
  #maxPerOwner;
  /** By owner and task id: the task's key. */
  #known = /* @__PURE__ */ new Map();
  constructor(store, maxPerOwner) {
    this.#store = store;
    this.#maxPerOwner = maxPerOwner;
  }
  add({ owner, id, key }) {
    const tasks = this.#known.get(owner) ?? /* @__PURE__ */ new Map();
    this.#known.set(owner, tasks.set(id, key));
  }
  remove({ owner, id }) {
    const tasks = this.#known.get(owner);
    tasks?.delete(id);
    if (tasks?.size === 0) this.#known.delete(owner);
  }
  /**
   * Lets a call pass that may make one more task.
   *
   * @throws {@link ResumableError} `LIMIT_EXCEEDED` when the owner has too many; not for a call that joins a task.
   */
  async admit({ id, owner, key }) {
    if ((this.#known.get(owner)?.size ?? 0) < this.#maxPerOwner) return;
    await this.#refresh(owner);
    const tasks = this.#known.get(owner);
    if (tasks === void 0 || tasks.has(id) || key !== null && [...tasks.values()].includes(key)) return;
    checkLimit("maxUnfinishedPerOwner", tasks.size + 1, this.#maxPerOwner);
  }
  async #refresh(owner) {
    const before = this.#known.get(owner);
    const tasks = /* @__PURE__ */ new Map();
    for await (const page of taskPages(this.#store, { owner, statuses: unfinishedStatuses })) {
      for (const { id } of page) {
        const key = before?.get(id) ?? (await readIfPresent(this.#store, id))?.record.key;
        if (key !== void 0) tasks.set(id, key);
      }
      if (tasks.size >= this.#maxPerOwner) break;
    }
    if (tasks.size === 0) this.#known.delete(owner);
    else this.#known.set(owner, tasks);
  }
};
async function countRecovery(store, tools, recoverAfterMs) {
  const counts2 = { now: 0, later: 0, onRequest: 0 };
  const page = await store.listTasks({ statuses: unfinishedStatuses, limit: fixedLimits.maxCountedTasks });
  for (const { tool, status, detached } of page.tasks) {
    if (!tools.has(tool) || status === "running") continue;
    if (status !== "pending") counts2.onRequest += 1;
    else if (detached || recoverAfterMs === 0) counts2.now += 1;
    else counts2[Number.isFinite(recoverAfterMs) ? "later" : "onRequest"] += 1;
  }
  return { ...counts2, more: page.nextCursor !== void 0 };
}

// ../packages/core/src/engine/create-engine.ts
function createEngine(options) {
  return new ToolEngine(options);
}
var ToolEngine = class {
  tools;
  documents;
  observe;
  #parts;
  #onOpened;
  #stops = [];
  #drain = new AbortController();
  #opened;
  #closed;
  constructor(options) {
    const { store, clock = systemClock, createId = randomId } = options;
    checkContract(store);
    const onError = neverThrowing(options.onError);
    const environment = {
      store,
      clock,
      dueTimes: new DueTimes(clock),
      limits: limitsWithDefaults(options.limits),
      tools: new ToolTable(options.tools, options.validateJsonSchema),
      worker: `w_${createId()}`,
      observer: neverThrowing(options.observer, onError),
      onError
    };
    const unfinished = new UnfinishedTasks(store, environment.limits.maxUnfinishedPerOwner);
    this.#parts = {
      ...environment,
      unfinished,
      scheduler: new Scheduler(environment, (record) => unfinished.remove(record)),
      callers: new Callers(environment),
      deliveries: new DeliveryNotes(),
      createId,
      open: () => this.draining ? Promise.resolve() : this.open(),
      checkOpen: () => {
        if (this.draining) throw draining();
      }
    };
    this.documents = store;
    this.observe = environment.observer;
    this.#onOpened = options.onOpened && neverThrowing(options.onOpened, onError);
    this.tools = [...environment.tools.all.values()];
  }
  get running() {
    return this.#parts.scheduler.running;
  }
  get draining() {
    return this.#drain.signal.aborted;
  }
  get drainSignal() {
    return this.#drain.signal;
  }
  tool(name) {
    return this.#parts.tools.require(name);
  }
  useJsonSchemaValidator(validate) {
    const { tools, scheduler } = this.#parts;
    if (tools.use(validate)) this.#opened?.then(() => scheduler.poller.notify()).catch(() => {
    });
  }
  async readTask(taskId) {
    return isTaskId(taskId) ? this.#parts.store.getTask(taskId) : void 0;
  }
  forOwner(owner) {
    return new OneOwnersTasks(this.#parts, checkOwner(owner));
  }
  open() {
    this.#opened ??= this.#begin().catch((error) => {
      this.#opened = void 0;
      throw error;
    });
    return this.#opened;
  }
  async checkHealth() {
    await this.#parts.store.checkHealth?.();
  }
  sweep() {
    const { scheduler } = this.#parts;
    return sweepExpired(
      this.#parts,
      (taskId) => scheduler.remove(taskId),
      () => this.draining
    );
  }
  async drain({ timeoutMs = this.#parts.limits.drainTimeoutMs } = {}) {
    this.#drain.abort("draining");
    const left = await this.#parts.scheduler.drain(timeoutMs);
    for (const stop of this.#stops.splice(0)) stop();
    return left;
  }
  close() {
    const { deliveries, store } = this.#parts;
    this.#closed ??= this.drain().then(() => deliveries.allWritten()).then(() => store.close());
    return this.#closed;
  }
  async #begin() {
    const { store, clock, limits: limits2, tools, worker, scheduler, onError } = this.#parts;
    if (this.draining) throw draining();
    const beat = () => store.heartbeat({ worker, now: instantOf(clock) });
    await store.open();
    await beat();
    if (this.draining) throw draining();
    this.#stops.push(
      store.watch(void 0, () => scheduler.poller.notify()),
      repeat(clock, { firstMs: limits2.heartbeatMs, everyMs: limits2.heartbeatMs }, beat, onError),
      repeat(clock, { firstMs: limits2.firstSweepMs, everyMs: limits2.sweepEveryMs }, () => this.sweep(), onError)
    );
    this.#onOpened?.(await countRecovery(store, new Set(tools.all.keys()), limits2.recoverAfterMs));
    await scheduler.poller.look();
  }
};
function checkContract(store) {
  const found = store.contractVersion;
  if (found === contractVersion) return;
  throw new ResumableError(
    "STORE_CONTRACT",
    `The store keeps version ${String(found)} of the store contract, and this engine needs version ${contractVersion}. Install versions of @resumable-mcp/core and of the store that belong together.`,
    { details: { found: String(found), supported: String(contractVersion) } }
  );
}
function limitsWithDefaults(limits2) {
  for (const [name, value] of Object.entries(limits2 ?? {})) {
    if (Object.hasOwn(engineDefaults, name) && (value === void 0 || value >= 0)) continue;
    const rule = Object.hasOwn(engineDefaults, name) ? `must be a number from 0 on, not ${value}` : "is not a limit";
    throw invalid(`limits.${name}`, `${name} ${rule}.`);
  }
  return withDefaults(engineDefaults, limits2);
}
function neverThrowing(call, onError = () => {
}) {
  return (...parameters) => {
    try {
      call?.(...parameters);
    } catch (error) {
      onError(error);
    }
  };
}
function checkOwner(owner) {
  if (/^(sub|client|session|local):./.test(owner)) return owner;
  throw invalid("owner", "An owner is a tagged string such as sub:alice or session:4f1c; make it with ownerTag.");
}
function invalid(option, message) {
  return new ResumableError("INVALID_OPTION", message, { details: { option } });
}
function draining() {
  return new ResumableError(
    "DRAINING",
    "The server is about to stop and takes no new work. Try again in a few seconds.",
    { details: {} }
  );
}

// ../packages/core/src/tool/define-tool.ts
var validName = /^[A-Za-z0-9_.-]{1,64}$/;
function defineTool(definition) {
  const { name, state, output, content, onCrash, version, ...rest } = definition;
  if (!validName.test(name)) {
    const option = `tool ${JSON.stringify(name)}`;
    const message = `${option}: name must be 1 to 64 letters, digits, underscores, hyphens or dots.`;
    throw new ResumableError("INVALID_OPTION", message, { details: { option } });
  }
  if (state !== void 0 && !isSchema(state)) copyJson(state, `the first state of tool ${name}`);
  const tool = {
    ...rest,
    name,
    state,
    output,
    outputJsonSchema: output && jsonSchemaOf(output, "output", `${name}'s output`),
    version: version ?? "1",
    kind: isGenerator2(definition.run) ? "generator" : "function",
    onCrash: onCrash ?? "fail",
    inputJsonSchema: jsonSchemaOf(definition.input, "input", `${name}'s input`),
    content: content ?? contentAsText
  };
  return tool;
}
function isGenerator2(run) {
  return Object.prototype.toString.call(run) === "[object AsyncGeneratorFunction]";
}
function contentAsText(output) {
  return [{ type: "text", text: typeof output === "string" ? output : JSON.stringify(output) }];
}

// ../packages/store-fs/src/index/store-folder.ts
import { z } from "zod";

// ../packages/store-fs/src/disk/checked-line.ts
import { crc32 as crc322 } from "zlib";
var DamagedFile = class extends Error {
  name = "DamagedFile";
  path;
  offset;
  constructor(path, offset, reason) {
    super(`${path}: ${reason} at byte ${offset}`);
    this.path = path;
    this.offset = offset;
  }
};
var ShrunkFile = class extends DamagedFile {
  name = "ShrunkFile";
  incarnation;
  /** How much of the file is known to have counted. */
  known;
  constructor(path, offset, { incarnation, known: known2 }) {
    super(path, offset, `the file became shorter: ${known2} bytes of it were read before, and it ends`);
    this.incarnation = incarnation;
    this.known = known2;
  }
};
var head = Buffer.from('{"crc":"00000000",');
var sumStart = head.indexOf("0");
var sumEnd = head.lastIndexOf("0") + 1;
var digits = Buffer.from("0123456789abcdef");
var newline = 10;
function encodeLine(json) {
  const bytes = Buffer.allocUnsafe(head.byteLength + Buffer.byteLength(json));
  const end2 = head.byteLength - 1 + bytes.write(json, head.byteLength - 1);
  bytes.set(head);
  bytes[end2] = newline;
  const sum = crc322(bytes.subarray(head.byteLength, end2));
  for (let place2 = sumStart; place2 < sumEnd; place2 += 1) bytes[place2] = digitAt(sum, place2);
  return bytes;
}
function digitAt(sum, place2) {
  return digits[sum >>> 4 * (sumEnd - 1 - place2) & 15] ?? 0;
}
function* rawLines(bytes, offset, path) {
  let start = 0;
  while (start < bytes.byteLength) {
    const end2 = bytes.indexOf(newline, start);
    if (end2 < 0) {
      if (isIntact(bytes.subarray(start, -1))) throw new DamagedFile(path, offset + bytes.byteLength - 1, "no newline");
      return;
    }
    yield { start: offset + start, next: offset + end2 + 1, bytes: bytes.subarray(start, end2) };
    start = end2 + 1;
  }
}
function isIntact(line) {
  if (line.byteLength <= head.byteLength) return false;
  const sum = crc322(line.subarray(head.byteLength));
  for (let place2 = 0; place2 < head.byteLength; place2 += 1) {
    const isDigit = place2 >= sumStart && place2 < sumEnd;
    if (line[place2] !== (isDigit ? digitAt(sum, place2) : head[place2])) return false;
  }
  return true;
}
function decodeLine(line, path) {
  if (!isIntact(line.bytes)) throw new DamagedFile(path, line.start, "a line's checksum is wrong");
  return JSON.parse(line.bytes.toString("utf8"));
}
function decodeWhole(bytes) {
  if (bytes.indexOf(newline) !== bytes.byteLength - 1) return void 0;
  const line = bytes.subarray(0, -1);
  return isIntact(line) ? JSON.parse(line.toString("utf8")) : void 0;
}

// ../packages/store-fs/src/disk/quarantine.ts
import { join as join8 } from "path";
function quarantineTask(context, taskId, damage) {
  const { disk, layout, readOnly: readOnly2 } = context;
  const from = taskFolder(layout, taskId);
  if (readOnly2) return from;
  try {
    const name = freeName(context, taskId);
    disk.rename(from, join8(layout.quarantine, name));
    writeReport(context, name, {
      taskId,
      from,
      problem: damage.message,
      unfinished: disk.exists(join8(layout.open, taskId))
    });
    unlinkIfExists(disk, join8(layout.open, taskId));
    context.observe("store.quarantine.moved", taskId);
    return join8(layout.quarantine, name);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return quarantinedAt(context, taskId) ?? from;
    return from;
  }
}
function quarantineFile(context, path, name, problem) {
  const free = freeName(context, name);
  context.disk.rename(path, join8(context.layout.quarantine, free));
  writeReport(context, free, { from: path, problem });
}
function quarantineCopy(context, path, name, problem) {
  const bytes = readFrom(context.disk, path);
  if (bytes === void 0) return;
  const free = freeName(context, name);
  const { disk, layout, durable, unique } = context;
  createWhole(disk, join8(layout.quarantine, free), bytes, unique(), durable);
  writeReport(context, free, { from: path, problem });
  if (durable) disk.syncFolderNow(layout.quarantine);
}
function quarantinedAt(context, taskId) {
  const path = join8(context.layout.quarantine, taskId);
  return context.disk.stat(path) === void 0 ? void 0 : path;
}
function reportFinding(context, name, report) {
  writeReport(context, freeName(context, name), report);
}
function writeReport(context, name, report) {
  const path = join8(context.layout.quarantine, `${name}.report.json`);
  createWhole(
    context.disk,
    path,
    Buffer.from(`${JSON.stringify(report, null, 2)}
`),
    context.unique(),
    context.durable
  );
}
function freeName(context, name) {
  const taken = new Set(listIfExists(context.disk, context.layout.quarantine));
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? name : `${name}.${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}

// ../packages/store-fs/src/disk/shared-sync.ts
var SharedSync = class {
  #running;
  #next;
  #work;
  constructor(work) {
    this.#work = work;
  }
  /** Resolves when a sync that began after this call has succeeded. */
  request() {
    if (this.#next !== void 0) return this.#next;
    if (this.#running === void 0) return this.#start();
    const next = this.#running.then(() => this.#start());
    this.#next = next;
    next.catch(() => {
      if (this.#next === next) this.#next = void 0;
    });
    return next;
  }
  /** Resolves when nothing is under way, however it ended. */
  async idle() {
    for (let last = this.#last; last !== void 0; last = this.#last) await last.catch(() => void 0);
  }
  get #last() {
    return this.#next ?? this.#running;
  }
  #start() {
    this.#next = void 0;
    const run = this.#work().finally(() => {
      if (this.#running === run) this.#running = void 0;
    });
    this.#running = run;
    return run;
  }
};
async function allDone(work) {
  const failed2 = (await Promise.allSettled(work)).find((outcome) => outcome.status === "rejected");
  if (failed2 !== void 0) throw failed2.reason;
}
var BackgroundWork = class {
  #running = /* @__PURE__ */ new Set();
  /** @returns a promise that resolves when the work has ended, however it ended. */
  add(work) {
    const tracked = work.catch(() => void 0).finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return tracked;
  }
  /** Resolves when all work has ended. */
  async idle() {
    await Promise.all(this.#running);
  }
};

// ../packages/store-fs/src/index/store-folder.ts
function openFolder(context, allowNetworkFileSystem) {
  const { disk, layout, readOnly: readOnly2 } = context;
  if (!allowNetworkFileSystem) refuseNetwork(context);
  const format = lookAtFormat(context);
  if (readOnly2 && format === "new") throw noStore(context);
  if (readOnly2) return;
  disk.makeFolder(layout.directory);
  writeFormat(context, format);
}
function noStore({ disk, layout }) {
  const { directory } = layout;
  const what = disk.exists(directory) ? `${directory} holds no store: it has neither format.json nor tasks/.` : `There is no folder ${directory}.`;
  return new ResumableError("STORE_MISSING", `${what} Name the store's folder with --store.`, {
    details: { path: directory, reason: "there is no store" }
  });
}
function refuseNetwork({ disk, layout }) {
  const existing = [layout.directory, ...foldersAbove(layout.directory)].find((path) => disk.stat(path) !== void 0);
  const type = existing === void 0 ? void 0 : disk.fileSystemType(existing);
  const name = type === void 0 ? void 0 : networkFileSystemName(type);
  if (name === void 0) return;
  throw new ResumableError(
    "INVALID_OPTION",
    `The store's folder is on a network file system (${name}), which does not keep what the store relies on. Use a local folder, or set allowNetworkFileSystem if only one machine uses it.`,
    { details: { option: "directory" } }
  );
}
var formatSchema = z.looseObject({ layout: z.number() });
function lookAtFormat(context) {
  let damaged;
  const onDamage = ({ text: text2 }) => {
    damaged = text2;
  };
  const document = new FirstDocumentFile({ ...formatOptions(context), onDamage }).read();
  if (document?.layout === layoutVersion) return "ours";
  if (document !== null) throw otherLayout(context, document.layout, "format.json");
  const names = listIfExists(context.disk, context.layout.directory) ?? [];
  if (names.includes("tasks")) return judgeJournals(context, damaged === void 0 ? "missing" : "damaged", names);
  if (damaged === void 0) return "new";
  if (/^\0*$/.test(damaged) && isAllOurs(context, names)) return "damaged";
  throw unknownFolder(context, "format.json is not one of a store, and there is no folder tasks/");
}
function formatOptions({ disk, layout, unique, durable }) {
  const sync = durable ? "content" : "none";
  return { path: layout.format, schema: formatSchema, disk, createName: unique, sync, onDamage: () => {
  } };
}
function judgeJournals(context, was, names) {
  const journals = layoutOfJournals(context);
  if (journals === layoutVersion || journals === "none" && isAllOurs(context, names)) return was;
  if (typeof journals === "number") throw otherLayout(context, journals, "a journal");
  if (journals === "none") {
    throw unknownFolder(context, "The folder has a folder tasks/ and no format.json of a store, nor any journal");
  }
  const state = was === "missing" ? "is missing" : "cannot be read";
  throw unknownFolder(context, `format.json ${state}, nor can any journal be read`);
}
function isAllOurs({ layout }, names) {
  const ours = new Set(Object.values(layout).map((path) => path.slice(layout.directory.length + 1)));
  return names.every((name) => ours.has(name) || name.startsWith(".draft."));
}
function writeFormat(context, format) {
  if (format === "ours") return;
  if (format !== "new") keepLost(context, format);
  const document = { layout: layoutVersion, writtenBy: "@resumable-mcp/store-fs" };
  if (writeFirstDocument(formatOptions(context), document)) return;
  writeFormat(context, lookAtFormat(context));
}
function keepLost(context, was) {
  const { disk, layout } = context;
  const problem = `format.json is ${was}.`;
  disk.makeFolder(layout.quarantine);
  try {
    if (was === "damaged") quarantineFile(context, layout.format, "format.json", problem);
    else reportFinding(context, "format.json", { from: layout.format, problem });
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  context.warn(`${problem} The rest of the folder is of layout ${layoutVersion}: the file was written again.`);
}
function otherLayout(context, found, where) {
  const advice = "Use the version that wrote the folder, or another folder.";
  const what = `The store's ${where} says layout ${found}, and this version reads layout ${layoutVersion}.`;
  return layoutError(context, `${what} Nothing was changed. ${advice}`, String(found));
}
function unknownFolder(context, why) {
  const advice = "Use another folder, or restore format.json if this is a store.";
  const what = `${why}: nothing says that this is a store of layout ${layoutVersion}.`;
  return layoutError(context, `${what} Nothing was changed. ${advice}`, "none");
}
function layoutError({ layout }, message, found) {
  const details = { path: layout.format, found, supported: String(layoutVersion) };
  return new ResumableError("STORE_LAYOUT", message, { details });
}
var headerSchema = z.object({ layout: z.number(), taskId: z.string() });
function layoutOfJournals(context) {
  const { disk, layout } = context;
  let result = "none";
  for (const id of taskIds(context)) {
    const folder = taskFolder(layout, id);
    for (const epoch of journalFiles.list(disk, folder)) {
      const found = layoutOf2(disk, join9(folder, journalFiles.nameOf(epoch)));
      if (found !== void 0) return found;
      result = "unreadable";
    }
  }
  return result;
}
function layoutOf2(disk, path) {
  try {
    for (const line of rawLines(readFrom(disk, path) ?? Buffer.alloc(0), 0, path)) {
      return headerSchema.safeParse(decodeLine(line, path)).data?.layout;
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
  }
  return void 0;
}
var FolderSync = class {
  /** Nothing is left to do. */
  isDone;
  #running;
  #context;
  constructor(context) {
    this.#context = context;
    this.isDone = !context.durable;
  }
  /** Resolves when the folder is durable. What failed is tried again by the next call. */
  async finish() {
    if (this.isDone) return;
    this.#running ??= this.#sync().finally(() => {
      this.#running = void 0;
    });
    await this.#running;
  }
  async #sync() {
    const { disk, layout } = this.#context;
    const above = foldersAbove(layout.directory).map((folder) => syncIfReadable(disk, folder));
    await allDone([syncPath(disk, layout.format), disk.syncFolder(layout.directory), ...above]);
    this.isDone = true;
  }
};
function foldersAbove(path) {
  const above = dirname5(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
async function syncIfReadable(disk, folder) {
  try {
    await disk.syncFolder(folder);
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "EINVAL", "ENOTSUP")) throw error;
  }
}

// ../packages/store-fs/src/disk/bounded-cache.ts
var BoundedCache = class {
  #entries = /* @__PURE__ */ new Map();
  #bytes = 0;
  /** Counts uses. */
  #clock = 0;
  #limits;
  constructor(limits2) {
    this.#limits = limits2;
  }
  get(key) {
    const entry = this.#entries.get(key);
    if (entry === void 0) return void 0;
    this.#clock += 1;
    entry.used = this.#clock;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }
  set(key, value, bytes) {
    this.#put(key, value, bytes, Number.POSITIVE_INFINITY);
  }
  /**
   * The same entries for a reader that goes through many values again and again: what was used since this call is kept. Were
   * there more of them than fit, each would push out the one that is needed next, and none would ever be found.
   */
  forScan() {
    const since = this.#clock;
    return {
      get: (key) => this.get(key),
      set: (key, value, bytes) => this.#put(key, value, bytes, since),
      delete: (key) => this.delete(key)
    };
  }
  #put(key, value, bytes, since) {
    this.delete(key);
    this.#clock += 1;
    this.#entries.set(key, { value, bytes, used: this.#clock });
    this.#bytes += bytes;
    for (const [oldest, { used: used2 }] of this.#entries) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#bytes <= this.#limits.maxBytes) return;
      this.delete(used2 > since ? key : oldest);
    }
  }
  delete(key) {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
};
var noCache = { get: () => void 0, set: () => {
}, delete: () => {
} };

// ../packages/store-fs/src/index/document-files.ts
import { basename, dirname as dirname6, join as join10 } from "path";
import { setImmediate as nextTurn } from "timers/promises";
import { z as z2 } from "zod";

// ../packages/store-fs/src/disk/first-of.ts
var FirstOf = class {
  #sorted = [];
  #limit;
  #order;
  constructor(limit, order) {
    this.#limit = limit;
    this.#order = order;
  }
  get items() {
    return this.#sorted;
  }
  get last() {
    return this.#sorted.at(-1);
  }
  get isFull() {
    return this.#sorted.length >= this.#limit;
  }
  /** Tells whether an item of this key would be among the first by now. */
  takes(key) {
    const { last } = this;
    return this.#limit > 0 && (!this.isFull || last === void 0 || this.#order(key, last) < 0);
  }
  add(item) {
    if (!this.takes(item)) return;
    this.#sorted.splice(this.#placeOf(item), 0, item);
    if (this.#sorted.length > this.#limit) this.#sorted.pop();
  }
  #placeOf(item) {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = low + high >>> 1;
      const other = this.#sorted[middle];
      if (other !== void 0 && this.#order(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

// ../packages/store-fs/src/index/document-files.ts
var documentSchema = z2.object({
  kind: z2.string(),
  id: z2.string(),
  owner: z2.string(),
  value: z2.custom((value) => value !== void 0),
  version: z2.number(),
  updatedAt: z2.string()
});
var DocumentFiles = class {
  #context;
  /** By folder. */
  #lastPutMs;
  constructor(context) {
    this.#context = context;
    const maxEntries = context.limits.maxKnownDocuments;
    this.#lastPutMs = new BoundedCache({ maxEntries, maxBytes: maxEntries });
  }
  async get(kind, id) {
    return this.#readNewest(this.#folderOf(kind, id));
  }
  async put({ kind, id, owner, value, expectedVersion, now }) {
    const { disk, durable, unique } = this.#context;
    const folder = this.#folderOf(kind, id);
    const before = versionFiles.list(disk, folder);
    if ((before.at(-1) ?? 0) !== expectedVersion) throw documentConflict(kind, id);
    const version = expectedVersion + 1;
    const document = { kind, id, owner, value, version, updatedAt: new Date(now.wallMs).toISOString() };
    const bytes = encodeLine(JSON.stringify(document));
    const draft = draftFile(disk, folder, { bytes, unique: unique() });
    if (durable) await this.#syncDraft(draft);
    const path = versionFiles.publish(disk, draft, version);
    if (path === void 0) throw documentConflict(kind, id);
    if (durable) await this.#syncNames(path);
    if (expectedVersion > 0 && !unlinkIfExists(disk, pathOf(folder, expectedVersion))) {
      unlinkIfExists(disk, path);
      throw documentConflict(kind, id);
    }
    for (const older of before.slice(0, -1)) unlinkIfExists(disk, pathOf(folder, older));
    this.#notePut(document);
    return parseDocument2(bytes) ?? document;
  }
  async #syncDraft(draft) {
    const { disk } = this.#context;
    try {
      await syncPath(disk, draft);
    } catch (error) {
      unlinkIfExists(disk, draft);
      throw error;
    }
  }
  async #syncNames(path) {
    const { disk, layout } = this.#context;
    const folder = dirname6(path);
    try {
      await allDone([folder, dirname6(folder), layout.documents].map((name) => disk.syncFolder(name)));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
  async delete(kind, id) {
    const { disk } = this.#context;
    const folder = this.#folderOf(kind, id);
    const list = () => versionFiles.list(disk, folder);
    for (let versions2 = list(); versions2.length > 0; versions2 = list()) {
      for (const version of versions2) unlinkIfExists(disk, pathOf(folder, version));
    }
    try {
      disk.removeFolder(folder);
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
    }
  }
  async listIdle(request) {
    const oldest = new FirstOf(request.limit, byUpdate);
    const { disk, limits: limits2 } = this.#context;
    const parent = this.#kindFolder(request.kind);
    let read = 0;
    for (const name of listIfExists(disk, parent) ?? []) {
      const folder = join10(parent, name);
      if ((this.#lastPutMs.get(folder) ?? Number.NEGATIVE_INFINITY) >= request.idleSinceMs) continue;
      if (++read % limits2.documentsPerTurn === 0) await nextTurn();
      const document = this.#readNewest(folder);
      if (document === void 0) continue;
      const putMs = this.#notePut(document);
      if (putMs < request.idleSinceMs) oldest.add(document);
    }
    return oldest.items;
  }
  #notePut({ kind, id, updatedAt }) {
    const putMs = Date.parse(updatedAt);
    this.#lastPutMs.set(this.#folderOf(kind, id), putMs, 1);
    return putMs;
  }
  #kindFolder(kind) {
    return join10(this.#context.layout.documents, fileName(kind));
  }
  #folderOf(kind, id) {
    return join10(this.#kindFolder(kind), fileName(id));
  }
  /** A version that is damaged is set aside, and its document with it: the next put begins with version 1. */
  #readNewest(folder) {
    const { disk, readOnly: readOnly2 } = this.#context;
    const list = () => versionFiles.list(disk, folder);
    return newest(list, (version) => {
      const path = pathOf(folder, version);
      const bytes = readFrom(disk, path);
      const document = bytes && parseDocument2(bytes);
      if (document !== void 0) return document;
      const name = `${basename(dirname6(folder))}.${basename(folder)}.${version}.json`;
      if (bytes !== void 0 && !readOnly2) quarantineFile(this.#context, path, name, "a document is damaged");
      return missing;
    });
  }
};
function parseDocument2(bytes) {
  return deepFreeze(documentSchema.safeParse(decodeWhole(bytes)).data);
}
function byUpdate(left, right) {
  return left.updatedAt < right.updatedAt || left.updatedAt === right.updatedAt && left.id < right.id ? -1 : 1;
}
function pathOf(folder, version) {
  return join10(folder, versionFiles.nameOf(version));
}

// ../packages/store-fs/src/index/final-events.ts
import { join as join12 } from "path";

// ../packages/store-fs/src/index/finished-line.ts
import { join as join11 } from "path";
import { z as z3 } from "zod";

// ../packages/store-fs/src/disk/file-lines.ts
import { setImmediate as breathe } from "timers/promises";
var chunkBytes = 64 * 1024;
var newline2 = 10;
var spare;
var LineChunks = class {
  /** Where the next chunk begins: everything before it was given out. */
  position;
  #room;
  #disk;
  #file;
  #end;
  /** @param range.end how much of the file counts; absent for all of it. */
  constructor(disk, file, { from = 0, end: end2 = Number.POSITIVE_INFINITY }) {
    this.#disk = disk;
    this.#file = file;
    this.position = from;
    this.#end = end2;
    this.#room = spare ?? Buffer.allocUnsafeSlow(chunkBytes);
    spare = void 0;
  }
  /** The next lines, there until the next call; `undefined` when what is left is not a whole line. */
  next() {
    for (; ; ) {
      const start = this.position;
      const length = Math.min(this.#room.byteLength, this.#end - start);
      const chunk = readInto(this.#disk, this.#file, start, this.#room.subarray(0, length));
      const whole = chunk.lastIndexOf(newline2) + 1;
      if (whole > 0) {
        this.position += whole;
        return { start, bytes: chunk.subarray(0, whole) };
      }
      if (chunk.byteLength < length || start + length >= this.#end) return void 0;
      this.#room = Buffer.allocUnsafeSlow(2 * this.#room.byteLength);
    }
  }
  /** Gives the memory back. What was given out counts no more. */
  close() {
    if (this.#room.byteLength === chunkBytes) spare = this.#room;
  }
};
function fileLines(disk, path, from = 0) {
  const file = openIfExists(disk, path);
  return file === void 0 ? void 0 : linesOf(disk, file, path, from);
}
async function* linesOf(disk, file, path, from) {
  const chunks = new LineChunks(disk, file, { from });
  try {
    for (let chunk = chunks.next(); chunk !== void 0; chunk = chunks.next()) {
      yield rawLines(chunk.bytes, chunk.start, path);
      await breathe();
    }
    yield changedEnd(disk, file, path, chunks.position);
  } finally {
    chunks.close();
    disk.close(file);
  }
}
function changedEnd(disk, file, path, start) {
  const bytes = readRange(disk, file, start, Math.max((disk.stat(path)?.size ?? 0) - start, 0));
  const isChanged = bytes.at(-1) !== newline2 && isIntact(bytes.subarray(0, -1));
  return isChanged ? [{ start, next: start + bytes.byteLength, bytes }] : [];
}

// ../packages/store-fs/src/index/finished-line.ts
var summaryShape = z3.looseObject({
  id: z3.string(),
  owner: z3.string(),
  tool: z3.string(),
  status: z3.enum(finalStatuses),
  createdAt: z3.string(),
  updatedAt: z3.string(),
  ttlMs: z3.number()
});
var lineSchema = z3.object({
  /** The journal's last seq: of two lines about one task the one with the higher seq counts. */
  seq: z3.number(),
  /** There may be another line about this task. */
  again: z3.optional(z3.literal(true)),
  /** The task was deleted. */
  gone: z3.optional(z3.literal(true)),
  id: z3.string(),
  /** Lines of one incarnation are about one task; an id may be used again after a deletion. */
  incarnation: z3.string(),
  /** No line of the file up to this one is about a task that was created later. */
  newestCreatedAt: z3.optional(z3.string()),
  summary: z3.optional(z3.custom((value) => summaryShape.safeParse(value).success))
});
function encodeFinished(line) {
  const { again, gone, summary, ...rest } = line;
  return encodeLine(JSON.stringify({ again, gone, ...rest, summary: summary && inOrder(summary) }));
}
function inOrder({ id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest }) {
  return { id, owner, tool, status, createdAt, finishedAt, ttlMs, ...rest };
}
var flagOffset = '{"crc":"00000000","'.length;
var flags = new Set(Buffer.from("ag"));
function parseFlagged(line) {
  return flags.has(line.bytes[flagOffset]) ? parseFinished(line) : void 0;
}
function supersede(superseding, line) {
  if (line === void 0) return;
  const known2 = superseding.get(line.incarnation);
  if (known2 !== void 0 && (known2.seq > line.seq || known2.seq === line.seq && known2.gone)) return;
  const given = known2?.seq === line.seq && known2.given;
  superseding.set(line.incarnation, { seq: line.seq, gone: line.gone === true, given });
}
var idMark = Buffer.from('"id":"');
function idFilter(ids) {
  const beginnings = new Set([...ids].map((id) => Buffer.from(id.padEnd(4)).readInt32LE(0)));
  return ({ bytes }) => {
    const start = bytes.indexOf(idMark) + idMark.byteLength;
    return start + 4 <= bytes.byteLength && beginnings.has(bytes.readInt32LE(start));
  };
}
function parseFinished(line) {
  return isIntact(line.bytes) ? parseFinishedText(line.bytes.toString("utf8")) : void 0;
}
function parseFinishedText(text2) {
  return lineSchema.safeParse(JSON.parse(text2)).data;
}
var headBytes = 1024;
var headPattern = new RegExp(
  [
    /^\{"crc":"[0-9a-f]{8}",(?:"again":true,)?"seq":(\d+),"id":"([\w-]+)","incarnation":"([\w-]+)",(?:"newestCreatedAt":"[\d:.TZ-]+",)?"summary":\{"id":"\2",/,
    /"owner":"([ !#-[\]-~]*)","tool":"([ !#-[\]-~]*)","status":"([a-z]+)","createdAt":"([\d:.TZ-]+)",/,
    /"finishedAt":"([\d:.TZ-]+)","ttlMs":(\d+)[,}]/
  ].map(({ source }) => source).join("")
);
function readHead(line) {
  return isIntact(line.bytes) ? peekHead(line) ?? parsedHead(line) : void 0;
}
function peekHead({ bytes }) {
  const match = headPattern.exec(bytes.toString("latin1", 0, headBytes));
  if (match === null) return void 0;
  const [, seq, id = "", incarnation = "", owner = "", tool = "", word, createdAt = "", finishedAt = "", ttlMs] = match;
  const status = finalStatuses.find((known2) => known2 === word);
  return status && { seq: Number(seq), id, incarnation, owner, tool, status, createdAt, finishedAt, ttlMs: Number(ttlMs) };
}
function parsedHead(line) {
  const parsed2 = parseFinishedText(line.bytes.toString("utf8"));
  if (parsed2?.summary === void 0) return void 0;
  const { seq, id, incarnation, summary } = parsed2;
  const { owner, tool, status, createdAt, finishedAt, ttlMs } = summary;
  return { seq, id, incarnation, owner, tool, status, createdAt, ttlMs, finishedAt };
}
function parseFinishedName(name) {
  const match = /^(\d{4}-\d\d-\d\d)\.([A-Za-z0-9_-]+)-[0-9a-z]+(?:\.[0-9a-f]{12})?\.jsonl$/.exec(name);
  return match?.[1] === void 0 || match[2] === void 0 ? void 0 : { day: match[1], instance: match[2] };
}
function takenName({ instance, unique }, name, day) {
  return `${day}.${instance}-c${Buffer.from(unique()).toString("hex")}.${markOf(name)}.jsonl`;
}
function markOf(name) {
  return hashOf(name).slice(0, 12);
}
async function* finishedLines(context, listed3, from = 0) {
  const { disk, layout } = context;
  for (let name = listed3; name !== void 0; name = successorOf(context, name)) {
    const lines = fileLines(disk, join11(layout.done, name), name === listed3 ? from : 0);
    if (lines !== void 0) return yield* lines;
  }
}
function successorOf({ disk, layout }, gone) {
  const mark = `.${markOf(gone)}.jsonl`;
  return listIfExists(disk, layout.done)?.find((name) => name.endsWith(mark));
}
async function visitLines(context, names, visit, from = 0) {
  for (const name of names) {
    for await (const lines of finishedLines(context, name, from)) for (const line of lines) visit(line);
  }
}

// ../packages/store-fs/src/index/final-events.ts
var FinalEventLookup = class {
  #context;
  #finished;
  /** Of tasks with a marker. Only a process that died between line and marker leaves both. */
  #marked;
  constructor(context, finished) {
    this.#context = context;
    this.#finished = finished;
  }
  /** The seq of the event; 0 where the index has no need to be asked, or knows nothing. */
  async of({ view, folder }) {
    const { record, header } = view;
    const neverRan = record.attempt === 0 && folder.newest === 1;
    if (isFinal(record.status) || neverRan) return 0;
    const { disk, layout } = this.#context;
    const isMarked = disk.exists(join12(layout.open, record.id));
    if (!isMarked) return this.#eventsOf([record.id]).of(header.incarnation, record.createdAt);
    if (this.#marked === void 0 || this.#marked.failed) this.#marked = this.#eventsOf(this.#finished.openIds());
    return this.#marked.of(header.incarnation, record.createdAt);
  }
  #eventsOf(ids) {
    return new FinalEvents(this.#context, new Set(ids), this.#finished.days());
  }
};
var firstBytes = 64 * 1024;
var growth = 8;
var endOfTime = "\uFFFF";
var FinalEvents = class {
  /** A read failed: what was read before does not count. */
  failed = false;
  #context;
  #isWanted;
  #files;
  #newest = /* @__PURE__ */ new Map();
  #reading = Promise.resolve();
  constructor(context, ids, days) {
    this.#context = context;
    this.#isWanted = idFilter(ids);
    this.#files = days.flatMap(([day, names]) => names.map((name) => ({ day, name, createdUpTo: endOfTime })));
  }
  /** The seq of a task's last event, 0 when no line says that it finished. */
  async of(incarnation, createdAt) {
    this.#reading = this.#reading.then(() => this.#readBackTo(createdAt));
    await this.#reading.catch((error) => {
      this.failed = true;
      throw error;
    });
    const end2 = this.#newest.get(incarnation);
    return end2 === void 0 || end2.gone ? 0 : end2.seq;
  }
  async #readBackTo(createdAt) {
    for (const file of this.#files) {
      if (file.day < createdAt.slice(0, 10)) continue;
      for (let bytes = firstBytes; file.createdUpTo >= createdAt; bytes *= growth) {
        file.createdUpTo = await this.#readEnd(file.name, bytes);
      }
    }
  }
  /** Lines of other tasks are not decoded: many finished tasks cost little. @returns the new `createdUpTo` of the file. */
  async #readEnd(name, bytes) {
    const { disk, layout } = this.#context;
    const from = Math.max(0, (disk.stat(join12(layout.done, name))?.size ?? 0) - bytes);
    let createdUpTo = from === 0 ? "" : void 0;
    const visit = (line) => {
      createdUpTo ??= parseFinished(line)?.newestCreatedAt;
      if (this.#isWanted(line)) supersede(this.#newest, parseFinished(line));
    };
    await visitLines(this.#context, [name], visit, from);
    return createdUpTo ?? endOfTime;
  }
};

// ../packages/store-fs/src/index/finished-index.ts
import { join as join16 } from "path";

// ../packages/store-fs/src/index/finished-compaction.ts
import { join as join15 } from "path";
import { setImmediate as breathe2 } from "timers/promises";

// ../packages/store-fs/src/journal/task-view.ts
import { join as join14 } from "path";

// ../packages/store-fs/src/disk/store-errors.ts
import { basename as basename2 } from "path";
function taskCorrupt(taskId, path, cause) {
  return new ResumableError(
    "TASK_CORRUPT",
    // The same as for `storeFailure`: no path of this machine.
    `The files of task ${taskId} are damaged. They are kept unchanged in the store, in quarantine/${basename2(path)}, with a report that says where. Other tasks are not affected.`,
    { details: { taskId, path }, cause }
  );
}
function limitExceeded(limit, value, allowed) {
  return new ResumableError("LIMIT_EXCEEDED", `${limit} is ${value}, and ${allowed} is allowed.`, {
    details: { limit, value, allowed }
  });
}
function badId(option) {
  return new ResumableError("INVALID_OPTION", `${option} must be 16 to 64 characters out of A-Z a-z 0-9 _ -.`, {
    details: { option }
  });
}
function storeMissing(path, reason) {
  return new ResumableError(
    "STORE_MISSING",
    `The store's folder is not the one that was opened: ${reason}. Nothing is written until it is back. Mount its disk again, or put the folder back; to begin with another one, start the program again.`,
    { details: { path, reason } }
  );
}
var readCalls = /* @__PURE__ */ new Set(["read", "stat", "lstat", "fstat", "scandir", "readlink"]);
function storeFailure(error, kind, path) {
  if (isResumableError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "open";
  const place2 = "path" in error && typeof error.path === "string" ? error.path : path;
  const reading = readCalls.has(call) || call === "open" && kind === "read";
  const code = reading ? "STORE_READ_FAILED" : "STORE_WRITE_FAILED";
  const verb = reading ? "read" : "written";
  const reason = `${String(error.code)}: ${call}`;
  return new ResumableError(code, `The store could not be ${verb} (${reason}). ${adviceFor(String(error.code))}`, {
    details: { path: place2, reason },
    cause: error
  });
}
function adviceFor(code) {
  if (code === "ENOSPC" || code === "EDQUOT") return "Make room on the disk; unfinished tasks can go on then.";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "Check who may write the store's folder.";
  if (code === "EMFILE" || code === "ENFILE") return "Raise the limit of open files.";
  return "Check the store's folder and its disk.";
}

// ../packages/store-fs/src/journal/commit-events.ts
var newest2 = { ms: Number.NaN, text: "" };
function isoTime(ms) {
  if (newest2.ms !== ms) newest2 = { ms, text: new Date(ms).toISOString() };
  return newest2.text;
}
function numberEvents(request) {
  const at = isoTime(request.now.wallMs);
  const texts2 = request.events.map(
    (body, index) => `${JSON.stringify(body).slice(0, -1)},"seq":${request.afterSeq + index + 1},"at":"${at}"}`
  );
  const text2 = `[${texts2.join()}]`;
  return { text: text2, events: JSON.parse(text2) };
}
function encodeCommit(seq, events, consumed) {
  const also = consumed.length === 0 ? "" : `,"consumed":${JSON.stringify(consumed)}`;
  return encodeLine(`{"seq":${seq},"events":${events}${also}}`);
}
var EventTail = class {
  #isFollowed = false;
  #commits = [];
  #events = 0;
  #size = 0;
  #limits;
  constructor(limits2) {
    this.#limits = limits2;
  }
  /** How many bytes the commits take in the journal. */
  get bytes() {
    return this.#size;
  }
  /** Adds the events that follow those it has. */
  add(events, bytes) {
    if (events.length === 0 || !this.#isFollowed) return;
    this.#commits.push({ events, bytes });
    this.#events += events.length;
    this.#size += bytes;
    while (this.#events > this.#limits.maxTailEvents || this.#size > this.#limits.maxTailBytes) {
      const oldest = this.#commits.shift();
      if (oldest === void 0) return;
      this.#events -= oldest.events.length;
      this.#size -= oldest.bytes;
    }
  }
  /**
   * The events behind a cursor up to a seq, or `undefined` when it does not reach back so far. They are frozen, since all
   * who follow a task share them.
   */
  between(afterSeq, lastSeq, limit) {
    this.#isFollowed = true;
    const first = this.#commits[0]?.events[0];
    if (first === void 0 || first.seq > afterSeq + 1) return void 0;
    const found = [];
    for (const { events } of this.#commits) {
      if ((events.at(-1)?.seq ?? 0) <= afterSeq) continue;
      for (const event of events) {
        if (event.seq > lastSeq || found.length >= limit) return found;
        if (event.seq > afterSeq) found.push(deepFreeze(event));
      }
    }
    return found;
  }
};

// ../packages/store-fs/src/journal/journal-line.ts
import { join as join13 } from "path";
import { z as z4 } from "zod";
var recordShape = z4.looseObject({
  id: z4.string(),
  owner: z4.string(),
  tool: z4.string(),
  toolVersion: z4.string(),
  key: z4.nullable(z4.string()),
  detached: z4.boolean(),
  ttlMs: z4.number(),
  status: z4.enum([...unfinishedStatuses, ...finalStatuses]),
  desiredState: z4.enum(["run", "pause"]),
  generation: z4.number(),
  attempt: z4.number(),
  live: z4.boolean(),
  crashes: z4.number(),
  failures: z4.number(),
  progress: z4.number(),
  itemCount: z4.number(),
  itemBytes: z4.number(),
  itemsFromSeq: z4.number(),
  remembered: z4.record(z4.string(), z4.looseObject({ kind: z4.enum(["step", "sleep", "question", "answer"]) })),
  createdAt: z4.string(),
  updatedAt: z4.string(),
  lastSeq: z4.number()
});
var recordSchema = z4.custom((value) => recordShape.safeParse(value).success);
var chainSchema = z4.object({
  epoch: z4.number(),
  /** Last seq before the file, and in it. */
  base: z4.number(),
  end: z4.number(),
  /** How much of the file counts. */
  bytes: z4.number(),
  /** Items before the file, counted from `itemsFrom`. */
  items: z4.number(),
  itemsFrom: z4.number()
});
var segmentSchema = z4.object({
  name: z4.string(),
  bytes: z4.number(),
  /** Index of the first item, counted from `itemsFrom`. */
  first: z4.number(),
  count: z4.number(),
  itemsFrom: z4.number()
});
var headerSchema2 = z4.object({
  layout: z4.literal(layoutVersion),
  taskId: z4.string(),
  /** Tells the task from one that is made under the same id after this one was deleted. */
  incarnation: z4.string(),
  epoch: z4.number(),
  /** The epoch by which the lease is known: rotation begins a new file, not a new lease. */
  lease: z4.number(),
  worker: z4.nullable(z4.string()),
  /** Names the worker's file and its lease. */
  holder: z4.nullable(z4.string()),
  ttlMs: z4.number(),
  /** Last seq before this file, and the items before it, counted from `itemsFrom`. */
  base: z4.number(),
  items: z4.number(),
  itemsFrom: z4.number(),
  record: z4.nullable(recordSchema),
  /** The seal: every earlier file with events that count; all others count for nothing. */
  chain: z4.array(chainSchema),
  /** Items of files that compaction removed. */
  segments: z4.array(segmentSchema),
  /** Signals that were carried out, and whose files may still be there. */
  consumed: z4.array(z4.string()),
  /** Names of answers that were carried out since the last restart from nothing. */
  answered: z4.array(z4.string())
});
function firstHeader(taskId, incarnation) {
  return {
    layout: layoutVersion,
    taskId,
    incarnation,
    epoch: 1,
    lease: 1,
    worker: null,
    holder: null,
    ttlMs: 0,
    base: 0,
    items: 0,
    itemsFrom: 1,
    record: null,
    chain: [],
    segments: [],
    consumed: [],
    answered: []
  };
}
function parseHeader(line, path) {
  const parsed2 = headerSchema2.safeParse(deepFreeze(decodeLine(line, path)));
  if (parsed2.success) return parsed2.data;
  throw new DamagedFile(path, line.start, `a line does not fit its schema (${parsed2.error.issues[0]?.path.join(".")})`);
}
function parseCommit(line, path) {
  const parsed2 = decodeLine(line, path);
  if (isCommit(parsed2)) return parsed2;
  throw new DamagedFile(path, line.start, "a line is not a commit");
}
function isCommit(value) {
  if (typeof value !== "object" || value === null) return false;
  const { seq, events, consumed } = value;
  if (typeof seq !== "number" || !Array.isArray(events) || !events.every(isEvent)) return false;
  return consumed === void 0 || Array.isArray(consumed) && consumed.every((id) => typeof id === "string");
}
function isEvent(value) {
  if (typeof value !== "object" || value === null) return false;
  const { type, seq, at } = value;
  return typeof type === "string" && typeof seq === "number" && typeof at === "string";
}
var seqPattern = /^\{"crc":"[0-9a-f]{8}","seq":(\d+),/;
function peekSeq(line) {
  const match = seqPattern.exec(line.bytes.toString("latin1", 0, 48));
  return match ? Number(match[1]) : void 0;
}
var newline3 = 10;
function writtenPart(bytes, offset, path) {
  const hole = bytes.indexOf(0);
  if (hole < 0) return bytes;
  if (isZero(bytes.subarray(hole))) return bytes.subarray(0, hole);
  const next = bytes.indexOf(newline3, hole) + 1;
  for (const line of next === 0 ? [] : rawLines(bytes.subarray(next), offset + next, path)) {
    if (isIntact(line.bytes)) throw new DamagedFile(path, offset + hole, "bytes are missing");
  }
  return bytes.subarray(0, bytes.lastIndexOf(newline3, hole) + 1);
}
function isZero(bytes) {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}
function* journalLines(context, path, entry, { afterSeq, from = 0 }) {
  let before;
  let reached = false;
  for (const line of linesBetween(context, path, from, entry.bytes)) {
    if (line.start === 0) continue;
    if (!reached) {
      const first = peekSeq(line) ?? 0;
      reached = first > afterSeq;
      if (reached && before !== void 0 && first > afterSeq + 1) yield parsed(before, path);
      before = { ...line, bytes: Buffer.from(line.bytes) };
    }
    if (reached) yield parsed(line, path);
  }
  if (reached || before === void 0) return;
  const last = parsed(before, path);
  if ((last.commit.events.at(-1)?.seq ?? 0) > afterSeq) yield last;
}
function parsed(line, path) {
  return { commit: parseCommit(line, path), start: line.start, next: line.next };
}
function* linesBetween({ disk }, path, from, end2) {
  const file = openIfExists(disk, path);
  if (file === void 0) throw new DamagedFile(path, 0, "the file is missing");
  const chunks = new LineChunks(disk, file, { from, end: end2 });
  try {
    for (let chunk = chunks.next(); chunk !== void 0; chunk = chunks.next()) {
      yield* rawLines(chunk.bytes, chunk.start, path);
    }
    if (chunks.position < end2) throw new DamagedFile(path, chunks.position, "a line is cut short, or missing");
  } finally {
    chunks.close();
    disk.close(file);
  }
}
function* itemEvents(context, folder, entry, itemsFrom) {
  let count = entry.items;
  let from = entry.itemsFrom;
  for (const { commit } of journalLines(context, join13(folder, journalName(entry.epoch)), entry, { afterSeq: 0 })) {
    for (const event of commit.events) {
      if (event.type === "restarted" && !event.fromState) [count, from] = [0, event.seq];
      if (event.type !== "checkpoint" || event.items === void 0 || event.items.length === 0) continue;
      if (from === itemsFrom) yield { items: event.items, index: count };
      count += event.items.length;
    }
  }
}

// ../packages/store-fs/src/journal/task-view.ts
function openView(context, taskId, epoch) {
  const path = join14(taskFolder(context.layout, taskId), journalName(epoch));
  const bytes = readFrom(context.disk, path);
  if (bytes === void 0) return missing;
  const lines = rawLines(writtenPart(bytes, 0, path), 0, path);
  const first = lines.next();
  if (first.done) return void 0;
  const { record, ...header } = parseHeader(first.value, path);
  if (header.taskId !== taskId || header.epoch !== epoch) throw new DamagedFile(path, 0, "it belongs elsewhere");
  const view = {
    header,
    path,
    sealedBytes: sealedBytes(header),
    offset: first.value.next,
    bodyStart: first.value.next,
    record: record ?? void 0,
    isPlain: record !== null && isPlainRecord(record),
    consumed: new Set(header.consumed),
    answered: new Set(header.answered),
    tail: new EventTail(context.limits),
    unsynced: true,
    sealSynced: false
  };
  for (const line of lines) fold(view, line);
  if (!isBegun(view)) throw new DamagedFile(path, view.offset, "the task's first event is missing");
  return view;
}
function isBegun(view) {
  return view.record !== void 0;
}
function extendView(context, view) {
  const size = context.disk.stat(view.path)?.size;
  if (size === void 0 || size === view.offset) return false;
  if (size < view.offset) {
    throw new ShrunkFile(view.path, size, { incarnation: view.header.incarnation, known: view.offset });
  }
  const before = view.offset;
  const bytes = readFrom(context.disk, view.path, before);
  if (bytes === void 0) return false;
  for (const line of rawLines(writtenPart(bytes, before, view.path), before, view.path)) fold(view, line);
  if (view.offset === before) return false;
  view.unsynced = true;
  return true;
}
function fold(view, line) {
  const { events, consumed } = parseCommit(line, view.path);
  try {
    const record = reduceTask(view.record, events, view.isPlain);
    if (view.record === void 0) view.isPlain = isPlainRecord(record);
    const bytes = line.next - line.start;
    addCommit(view, { record, events, consumed: consumed ?? [], bytes });
  } catch (error) {
    if (isResumableError(error, "SEQ_CONFLICT")) throw new DamagedFile(view.path, line.start, error.message);
    throw error;
  }
}
function addCommit(view, { record, events, consumed, bytes }) {
  if (view.record !== void 0 && view.record.itemsFromSeq !== record.itemsFromSeq) view.answered.clear();
  for (const id of consumed) {
    view.consumed.add(id);
    if (id.startsWith("answer.")) view.answered.add(signalFile(id));
  }
  view.record = record;
  view.tail.add(events, bytes);
  view.offset += bytes;
}
function newestView(context, taskId, { cache = noCache, below = Number.POSITIVE_INFINITY } = {}) {
  const folder = taskFolder(context.layout, taskId);
  let isThere = true;
  const list = () => {
    const names = listIfExists(context.disk, folder);
    isThere = names !== void 0;
    return journalFiles.numbersIn(names ?? []).filter((epoch) => epoch < below);
  };
  const view = newest(list, (epoch) => {
    const cached = cache.get(taskId);
    const isKnown = cached?.header.epoch === epoch;
    const found = isKnown ? cached : openView(context, taskId, epoch);
    if (found === void 0 || found === missing || isKnown && !extendView(context, found)) return found;
    cache.set(taskId, found, 2048 + found.bodyStart + found.tail.bytes);
    return found;
  });
  if (view !== void 0 || !isThere) return view;
  throw new DamagedFile(folder, 0, "no journal is readable");
}
function readableView(context, taskId) {
  try {
    return newestView(context, taskId);
  } catch (error) {
    if (error instanceof DamagedFile) return void 0;
    throw error;
  }
}
function readNow(context, cache, taskId) {
  const view = newestView(context, taskId, { cache });
  if (view === void 0) return void 0;
  const folder = lookAt(context.disk, taskFolder(context.layout, taskId));
  if (folder === void 0) return void 0;
  return { view, folder, isStable: folder.newest === view.header.epoch };
}
function sealedBytes({ chain, segments }) {
  return [...chain, ...segments].reduce((sum, { bytes }) => sum + bytes, 0);
}
function freezeRecord(record) {
  for (const part of Object.values(record)) deepFreeze(part);
  return Object.freeze(record);
}
function checkCommitSize(limits2, view, events, bytes) {
  if (bytes > limits2.maxCommitBytes) throw limitExceeded("maxCommitBytes", bytes, limits2.maxCommitBytes);
  const { id, lastSeq } = view.record;
  checkJournalQuotas(limits2, id, events, { events: lastSeq + events.length, bytes: keptBytes(view) + bytes });
}
function keptBytes(view) {
  return view.sealedBytes + view.offset;
}
function chainThrough(view) {
  const { header } = view;
  if (view.record.lastSeq === header.base) return header.chain;
  const own = {
    epoch: header.epoch,
    base: header.base,
    end: view.record.lastSeq,
    bytes: view.offset,
    items: header.items,
    itemsFrom: header.itemsFrom
  };
  return [...header.chain, own];
}
function lostEnd({ record, path, offset }, end2) {
  const reason = `the task finished with event ${end2}, and its journal ends with event ${record.lastSeq}: its last lines are lost`;
  return new DamagedFile(path, offset, reason);
}

// ../packages/store-fs/src/index/finished-compaction.ts
var tasksPerTurn = 32;
async function compactFinished(context, isMine) {
  const names = listIfExists(context.disk, context.layout.done) ?? [];
  const own = names.filter((name) => isMine(parseFinishedName(name)?.instance ?? ""));
  const damaged = await damagedFiles(context, own);
  if (damaged.length > 0) await restoreFinished(context, names, damaged);
  const newest3 = /* @__PURE__ */ new Map();
  await visitLines(context, names, (line) => supersede(newest3, parseFlagged(line)));
  if (newest3.size === 0 && damaged.length === 0) return;
  const listed3 = /* @__PURE__ */ new Set();
  await visitLines(context, names, (line) => {
    const head2 = readHead(line);
    if (head2 !== void 0 && newest3.get(head2.incarnation)?.gone) listed3.add(head2.incarnation);
  });
  const isNeeded = (raw) => {
    const line = readHead(raw) ?? parseFinished(raw);
    const known2 = line && newest3.get(line.incarnation);
    if (line === void 0 || known2 === void 0) return line !== void 0;
    if ("gone" in line && line.gone) return listed3.has(line.incarnation);
    return !known2.gone && known2.seq <= line.seq;
  };
  for (const name of own) await rewriteFinished(context, name, isNeeded);
}
async function rewriteFinished(context, name, isNeeded) {
  const { disk, layout, durable, instance, unique } = context;
  const kept = [];
  let dropped = 0;
  for await (const lines of fileLines(disk, join15(layout.done, name)) ?? []) {
    for (const line of lines) {
      if (isNeeded(line)) kept.push(Buffer.concat([line.bytes, Buffer.from("\n")]));
      else dropped += 1;
    }
  }
  const maker = parseFinishedName(name);
  if (dropped === 0 || maker === void 0) return;
  let path = join15(layout.done, name);
  if (maker.instance !== instance) {
    path = join15(layout.done, takenName(context, name, maker.day));
    disk.rename(join15(layout.done, name), path);
    if (durable) await disk.syncFolder(layout.done);
  }
  if (kept.length === 0) unlinkIfExists(disk, path);
  else replaceWhole(disk, path, Buffer.concat(kept), unique(), durable);
  if (durable) await disk.syncFolder(layout.done);
}
async function damagedFiles(context, names) {
  const damaged = /* @__PURE__ */ new Set();
  for (const name of names) {
    await visitLines(context, [name], ({ bytes }) => {
      if (!isIntact(bytes)) damaged.add(name);
    });
  }
  return [...damaged];
}
async function restoreFinished(context, names, damaged) {
  for (const name of damaged) {
    quarantineCopy(context, join15(context.layout.done, name), name, "a line of the list of finished tasks is damaged");
  }
  const listed3 = /* @__PURE__ */ new Set();
  await visitLines(context, names, (line) => listed3.add(readHead(line)?.id ?? ""));
  let looked = 0;
  for (const id of taskIds(context)) {
    const view = listed3.has(id) ? void 0 : readableView(context, id);
    if (view !== void 0 && isFinal(view.record.status)) touchFile(context.disk, join15(context.layout.open, id));
    if (++looked % tasksPerTurn === 0) await breathe2();
  }
  if (context.durable) await context.disk.syncFolder(context.layout.open);
}

// ../packages/store-fs/src/index/finished-index.ts
var FinishedIndex = class {
  #context;
  #workers;
  /** What fails here is found and done again by the next process that lists open tasks. */
  #background = new BackgroundWork();
  #sync;
  #written = /* @__PURE__ */ new Set();
  /** Raised when a write failed: what follows must not be glued to half a line. */
  #part = 1;
  #newestCreatedAt = "";
  #compacting;
  constructor(context, workers) {
    this.#context = context;
    this.#workers = workers;
    this.#sync = new SharedSync(async () => {
      const paths = [...this.#written];
      this.#written.clear();
      await allDone(paths.map((path) => syncPath(context.disk, path)));
      await context.disk.syncFolder(context.layout.done);
    });
  }
  /** Notes that a task finished. The lease may be released when this has resolved, however it ended. */
  close(record, incarnation, isStill) {
    return this.#background.add(this.#move(record, incarnation, isStill, record.generation > 1));
  }
  /** Does what a process that died after the final event left undone. */
  repair(record, incarnation, isStill) {
    if (!this.#context.readOnly) void this.#background.add(this.#move(record, incarnation, isStill, true));
  }
  async #move(record, incarnation, isStill, again) {
    const context = this.#context;
    const summary = summarise(record, record.status);
    await this.#append({ seq: record.lastSeq, again: again || void 0, id: record.id, incarnation, summary }, record);
    context.observe("store.done.appended", record.id);
    if (isStill()) unlinkIfExists(context.disk, join16(context.layout.open, record.id));
    context.observe("store.done.closed", record.id);
  }
  /** Notes that a task is not finished (any more). */
  reopen(taskId) {
    touchFile(this.#context.disk, join16(this.#context.layout.open, taskId));
  }
  /** As `reopen`; resolves when the note survives what the store's durability names. */
  async reopenDurably(taskId) {
    const { disk, layout, durable } = this.#context;
    this.reopen(taskId);
    if (durable) await disk.syncFolder(layout.open);
  }
  /** Notes that a task was deleted. */
  remove(gone) {
    const removing = this.#leave(gone);
    void this.#background.add(removing);
    return removing;
  }
  async #leave(gone) {
    const { disk, layout } = this.#context;
    const { id, incarnation, lastSeq } = gone;
    await this.#append({ seq: lastSeq, gone: true, id, incarnation }, gone);
    if (disk.stat(taskFolder(layout, id)) === void 0) unlinkIfExists(disk, join16(layout.open, id));
  }
  async #append(line, record) {
    const { disk, layout, durable, instance } = this.#context;
    const path = join16(layout.done, `${dayOf(record)}.${instance}-${this.#part}.jsonl`);
    if (record.createdAt > this.#newestCreatedAt) this.#newestCreatedAt = record.createdAt;
    try {
      appendTo(disk, path, encodeFinished({ ...line, newestCreatedAt: this.#newestCreatedAt }));
    } catch (error) {
      this.#part += 1;
      throw error;
    }
    if (!durable) return;
    this.#written.add(path);
    await this.#sync.request();
  }
  /** Removes lines that do not count any more from the files of this store and of those that have ended. */
  compact() {
    this.#compacting ??= this.#background.add(this.#rewrite()).finally(() => {
      this.#compacting = void 0;
    });
    return this.#compacting;
  }
  #rewrite() {
    this.#part += 1;
    const own = this.#context.instance;
    return compactFinished(this.#context, (instance) => instance === own || !this.#workers.isInstanceAlive(instance));
  }
  /** Ids with a marker in `open/`. */
  openIds() {
    return listIfExists(this.#context.disk, this.#context.layout.open) ?? [];
  }
  /**
   * Reads the lines that count, many at a time and newest day first, those of `except` left out.
   *
   * @param enough called before each day with its date; true ends the reading. No task of that day or of an earlier
   * one was created later than that day.
   */
  async *pages(except, enough = () => false) {
    const superseding = /* @__PURE__ */ new Map();
    for (const [day, names] of this.days()) {
      if (enough(day)) return;
      await visitLines(this.#context, names, (line) => supersede(superseding, parseFlagged(line)));
      for (const name of names) {
        for await (const lines of finishedLines(this.#context, name)) yield thatCount(lines, except, superseding);
      }
    }
  }
  /** The names of the files of a day, newest day first. */
  days() {
    const days = /* @__PURE__ */ new Map();
    for (const name of listIfExists(this.#context.disk, this.#context.layout.done) ?? []) {
      const [day] = name.split(".");
      if (!day || !name.endsWith(".jsonl")) continue;
      days.set(day, [...days.get(day) ?? [], name]);
    }
    return [...days].sort(([left], [right]) => left < right ? 1 : -1);
  }
  /** Resolves when everything noted so far is written. */
  idle() {
    return this.#background.idle();
  }
};
function* thatCount(lines, except, superseding) {
  for (const line of lines) {
    const head2 = readHead(line);
    if (head2 !== void 0 && !except.has(head2.id) && counts(head2, superseding)) yield { head: head2, line };
  }
}
function counts(line, superseding) {
  const newest3 = superseding.get(line.incarnation);
  if (newest3 === void 0) return true;
  if (newest3.gone || newest3.given || newest3.seq > line.seq) return false;
  if (newest3.seq === line.seq) newest3.given = true;
  return true;
}
function dayOf({ createdAt, finishedAt }) {
  const later = finishedAt !== void 0 && finishedAt > createdAt ? finishedAt : createdAt;
  return later.slice(0, 10);
}

// ../packages/store-fs/src/index/folder-guard.ts
import { join as join17 } from "path";
var FolderGuard = class {
  #context;
  #keys;
  /** Which folders these are; `undefined` before the store is open. */
  #identity;
  /** The state of the root in which every folder was there. */
  #wholeState;
  constructor(context, keys) {
    this.#context = context;
    this.#keys = keys;
  }
  /** Makes the folders that are not there, and notes which store this is. @throws `STORE_MISSING` where only tasks/ is not. */
  open() {
    const { disk, layout } = this.#context;
    const isNew = !disk.exists(layout.tasks);
    if (isNew && [layout.open, layout.done].some((folder) => (listIfExists(disk, folder) ?? []).length > 0)) {
      throw storeMissing(layout.tasks, "tasks/ is not there, and its tasks are listed");
    }
    if (isNew) for (const folder of this.#folders) disk.makeFolder(folder);
    else this.#restore();
    touchFile(disk, layout.notifications);
    this.#identity = this.#look().identity;
  }
  /** @throws `STORE_MISSING` while the folder is not the one that was opened. */
  check() {
    const { disk, layout } = this.#context;
    if (this.#identity === void 0) return;
    const { identity, state } = this.#look();
    if (identity !== this.#identity) throw storeMissing(layout.directory, "another folder, or none, is in its place");
    if (state !== void 0 && state === this.#wholeState) return;
    if (!disk.exists(layout.open) || !disk.exists(layout.done) || !disk.exists(layout.keys)) this.#restore();
    this.#wholeState = state;
  }
  /** As `check`, and makes every other folder that is missing. */
  checkAll() {
    this.check();
    if (this.#identity !== void 0) this.#restore();
  }
  #look() {
    const { disk, layout } = this.#context;
    const root = disk.identify(layout.directory);
    return { identity: `${root?.id} ${disk.identify(layout.tasks)?.id}`, state: root?.state };
  }
  /** Those that are derived from tasks/ come last: what is interrupted before is done again. */
  get #folders() {
    const { tasks, trash, quarantine, workers, documents, keys, open: open2, done } = this.#context.layout;
    return [tasks, trash, quarantine, workers, documents, keys, open2, done];
  }
  #restore() {
    const context = this.#context;
    const { disk, layout, durable } = context;
    const missing2 = this.#folders.filter((folder) => !disk.exists(folder));
    if (missing2.length === 0) return;
    const lost = new Set(missing2);
    for (const folder of missing2) if (folder !== layout.open && folder !== layout.done) disk.makeFolder(folder);
    if (lost.has(layout.keys)) this.#keys.claimAll();
    if (lost.has(layout.open) || lost.has(layout.done)) markAll(context);
    if (durable) disk.syncFolderNow(layout.directory);
    const names = missing2.toReversed().map((folder) => `${folder.slice(layout.directory.length + 1)}/`);
    context.warn(`${names.join(", ")} was not in the store's folder, and was made again from tasks/.`);
  }
};
function markAll(context) {
  const { disk, layout, durable } = context;
  const aside = join17(layout.trash, `new.${context.instance}.${context.unique()}`);
  disk.makeFolder(aside);
  for (const id of taskIds(context)) touchFile(disk, join17(aside, id));
  if (durable) disk.syncFolderNow(aside);
  try {
    disk.rename(aside, layout.open);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
    for (const id of taskIds(context)) touchFile(disk, join17(layout.open, id));
    if (durable) disk.syncFolderNow(layout.open);
    disk.removeTree(aside);
  }
  disk.makeFolder(layout.done);
}

// ../packages/store-fs/src/index/store-usage.ts
import { join as join18 } from "path";
import { setImmediate as breathe3 } from "timers/promises";
var StoreUsage = class {
  #context;
  #tasks = 0;
  #bytes = 0;
  #measuredMs;
  #isStale = false;
  #measuring;
  constructor(context) {
    this.#context = context;
  }
  /**
   * Makes room for one more task.
   *
   * @returns what gives it back if the task was not made.
   * @throws {@link ResumableError} `QUOTA_EXCEEDED`.
   */
  async admit(now) {
    if (!this.#isLimited) return () => {
    };
    const isOld = this.#measuredMs === void 0 || now.monotonicMs - this.#measuredMs >= this.#context.limits.remeasureMs;
    if (isOld || this.#isStale && this.#isFull) await this.#measure(now);
    checkStoreQuotas(this.#context.limits, { tasks: this.#tasks, bytes: this.#bytes });
    this.#tasks += 1;
    return () => {
      this.#tasks -= 1;
    };
  }
  /** Notes what was written. */
  add(bytes) {
    this.#bytes += bytes;
  }
  /** Notes that something was deleted. */
  free() {
    this.#isStale = true;
  }
  get #isLimited() {
    const { maxStoreTasks, maxStoreBytes } = this.#context.limits;
    return Math.min(maxStoreTasks, maxStoreBytes) < Number.POSITIVE_INFINITY;
  }
  get #isFull() {
    const { maxStoreTasks, maxStoreBytes } = this.#context.limits;
    return this.#tasks >= maxStoreTasks || this.#bytes >= maxStoreBytes;
  }
  #measure(now) {
    this.#measuring ??= this.#count(now).finally(() => {
      this.#measuring = void 0;
    });
    return this.#measuring;
  }
  async #count(now) {
    const { disk, layout, limits: limits2 } = this.#context;
    let tasks = 0;
    for (const shard of listIfExists(disk, layout.tasks) ?? []) {
      tasks += listIfExists(disk, join18(layout.tasks, shard))?.length ?? 0;
      await breathe3();
    }
    this.#isStale = false;
    this.#bytes = limits2.maxStoreBytes < Number.POSITIVE_INFINITY ? await bytesIn(disk, layout.directory) : 0;
    this.#tasks = tasks;
    this.#measuredMs = now.monotonicMs;
  }
};
async function bytesIn(disk, path) {
  const stat = disk.stat(path);
  if (stat?.isFolder !== true) return stat?.size ?? 0;
  await breathe3();
  let sum = 0;
  for (const name of listIfExists(disk, path) ?? []) sum += await bytesIn(disk, join18(path, name));
  return sum;
}

// ../packages/store-fs/src/index/task-creator.ts
import { join as join19 } from "path";
var TaskCreator = class {
  #parts;
  constructor(parts) {
    this.#parts = parts;
  }
  /**
   * Prepares the task's folder aside, moves it into place, and then claims the call: a claim always leads to a whole
   * task. The marker comes last, so that nothing runs that has not been claimed.
   */
  async create(request) {
    const { reader } = this.#parts;
    const { task } = request;
    if (!isSafeId(task.id)) throw badId("task.id");
    const draft = new TaskDraft(this.#parts.context, request);
    let giveBack;
    try {
      for (; ; ) {
        const same = await reader.read(task.id);
        if (same !== void 0 && isFinal(same.record.status)) return this.#existing(same);
        const call = callOf(same?.record ?? task);
        const bucket = call && this.#parts.keys.look(call.owner, call.key);
        if (call && bucket?.isDoubtful && await this.#parts.keys.restore(bucket, call.owner, call.key)) continue;
        if (same !== void 0 && (bucket === void 0 || bucket.claim?.taskId === task.id)) {
          return draft.isPublished ? await this.#finish(same) : await this.#join(same);
        }
        const other = bucket?.claim && await this.#standing(bucket.claim, request);
        if (other !== void 0) return await this.#join(other);
        if (same === void 0) {
          giveBack ??= await this.#parts.usage.admit(request.now);
          if (await draft.prepare()) continue;
          if (!draft.publish()) continue;
        }
        if (bucket === void 0 || call === void 0) continue;
        const generation = same?.record.generation ?? 1;
        if (this.#parts.keys.claim(bucket, { ...call, id: task.id, generation }) === void 0) continue;
        this.#parts.context.observe("store.create.linked", task.id);
        draft.keep();
      }
    } finally {
      if (draft.isKept) this.#parts.usage.add(draft.bytes);
      else giveBack?.();
      draft.discard();
    }
  }
  /** The task that has the call already, if it is unfinished or its result can be given again. */
  async #standing(claim, request) {
    const { reader, keys } = this.#parts;
    const reading = await keys.holderOf(claim);
    if (reading === void 0 || !isFinal(reading.record.status)) return reading;
    const reusable = isReusable(reader.snapshotOf(reading), request.reuseResultMs, request.now.wallMs);
    const continues = request.continueFailed === true && isContinuable(reading.record);
    return reusable || continues ? reading : void 0;
  }
  #existing(reading) {
    return { snapshot: this.#parts.reader.snapshotOf(reading), created: false };
  }
  /** The caller is answered by this task: what its maker has not made durable yet becomes so now. */
  async #join(reading) {
    if (!isFinal(reading.record.status)) await this.#makeDurable(reading);
    return this.#existing(reading);
  }
  async #finish(reading) {
    const { context, notifications, reader } = this.#parts;
    const taskId = reading.record.id;
    context.observe("store.create.claimed", taskId);
    await this.#makeDurable(reading);
    context.observe("store.create.synced", taskId);
    notifications.notify(taskId, "runnable");
    return { snapshot: reader.snapshotOf(reading), created: true };
  }
  async #makeDurable({ record }) {
    const { context, finished, keys } = this.#parts;
    const { disk, layout, durable } = context;
    finished.reopen(record.id);
    if (!durable) return;
    await allDone([
      disk.syncFolder(shardFolder(layout, record.id)),
      disk.syncFolder(layout.tasks),
      disk.syncFolder(layout.open),
      record.key === null ? void 0 : keys.sync(record.owner, record.key)
    ]);
  }
};
function callOf({ owner, key }) {
  return key === null ? void 0 : { owner, key };
}
var TaskDraft = class {
  #context;
  #task;
  #now;
  #place;
  /** What it takes on the disk. */
  bytes = 0;
  #state = "none";
  constructor(context, { task, now }) {
    this.#context = context;
    this.#task = task;
    this.#now = now;
    this.#place = join19(context.layout.trash, `new.${context.instance}.${context.unique()}`);
  }
  /** The folder that is in place was made here. */
  get isPublished() {
    return this.#state === "published" || this.#state === "kept";
  }
  /** It has its call, and stays. */
  get isKept() {
    return this.#state === "kept";
  }
  /** Moves the folder into place. @returns false when there is one already. */
  publish() {
    const { disk, layout, observe } = this.#context;
    disk.makeFolder(shardFolder(layout, this.#task.id));
    try {
      disk.rename(this.#place, taskFolder(layout, this.#task.id));
    } catch (error) {
      if (hasCode(error, "ENOTEMPTY", "EEXIST")) return false;
      throw error;
    }
    this.#state = this.#task.key === null ? "kept" : "published";
    observe("store.create.published", this.#task.id);
    return true;
  }
  /** Makes the folder aside. @returns false when that was done before. */
  async prepare() {
    if (this.#state !== "none") return false;
    const { disk, durable, observe } = this.#context;
    disk.makeFolder(this.#place);
    this.#state = "prepared";
    const created = {
      type: "created",
      task: this.#task,
      seq: 1,
      at: new Date(this.#now.wallMs).toISOString()
    };
    const bodies = [firstHeader(this.#task.id, this.#context.unique()), { seq: 1, events: [created] }];
    const path = join19(this.#place, journalName(1));
    const bytes = Buffer.concat(bodies.map((body) => encodeLine(JSON.stringify(body))));
    this.bytes = bytes.byteLength;
    appendTo(disk, path, bytes, "wx");
    if (durable) {
      await syncPath(disk, path);
      await disk.syncFolder(this.#place);
    }
    observe("store.create.prepared", this.#task.id);
    return true;
  }
  /** The call is claimed: the task stays. */
  keep() {
    if (this.#state === "published") this.#state = "kept";
  }
  /** Removes what was made for nothing. */
  discard() {
    const { disk, layout } = this.#context;
    if (this.#state === "published") disk.rename(taskFolder(layout, this.#task.id), this.#place);
    if (this.#state === "prepared" || this.#state === "published") disk.removeTree(this.#place);
    this.#state = "none";
  }
};

// ../packages/store-fs/src/index/task-keys.ts
import { join as join20 } from "path";
import { z as z5 } from "zod";
var claimSchema = z5.object({
  hash: z5.string(),
  taskId: z5.string(),
  /** The generation that the claim is for: a later one than the task's is a restart that is not written yet. */
  generation: z5.number()
});
var TaskKeys = class {
  #context;
  #reader;
  #known;
  constructor(context, reader) {
    this.#context = context;
    this.#reader = reader;
    this.#known = new KnownClaims(context.limits);
  }
  /** The newest claim of a call: one that was taken back, or whose task was deleted, uncovers the one before it. */
  look(owner, key) {
    const hash = hashOfCall(owner, key);
    const folder = join20(this.#context.layout.keys, hash.slice(0, 3));
    const numbers = claimFiles.list(this.#context.disk, folder);
    const highest = numbers.at(-1) ?? 0;
    const candidates = this.#known.candidates(folder, numbers, hash);
    let isDoubtful = false;
    const found = newest(
      () => candidates,
      (number) => {
        const claim = this.#readClaim(folder, number);
        if (claim === "damaged") isDoubtful = true;
        if (claim === void 0 || claim === "damaged") return void 0;
        this.#known.note(folder, number, claim.hash);
        return claim.hash === hash && taskExists(this.#context, claim.taskId) ? { claim, number } : void 0;
      }
    );
    const path = found && join20(folder, claimFiles.nameOf(found.number));
    return { folder, highest, claim: found?.claim, path, isDoubtful };
  }
  /**
   * Finds the task of a call where a damaged claim hides it: an unfinished task has a marker and says itself whose
   * it is. What is found is claimed again, so that the next process that asks finds it at once.
   *
   * @returns whether there is something new to look at.
   */
  async restore(bucket, owner, key) {
    for (const taskId of listIfExists(this.#context.disk, this.#context.layout.open) ?? []) {
      const record = (await this.#readable(taskId))?.record;
      if (record?.owner !== owner || record.key !== key || isFinal(record.status)) continue;
      if (bucket.claim?.taskId === taskId) return false;
      this.claim(bucket, { owner, key, id: taskId, generation: record.generation });
      return true;
    }
    return false;
  }
  #readClaim(folder, number) {
    const bytes = readFrom(this.#context.disk, join20(folder, claimFiles.nameOf(number)));
    return bytes && (parseClaim(bytes) ?? "damaged");
  }
  /** Claims a call. @returns where the claim is, or `undefined` when another process claimed anything in the folder meanwhile. */
  claim(bucket, task) {
    const { disk, unique } = this.#context;
    const claim = { hash: hashOfCall(task.owner, task.key), taskId: task.id, generation: task.generation };
    const whole = { bytes: encodeLine(JSON.stringify(claim)), unique: unique() };
    return claimFiles.create(disk, bucket.folder, bucket.highest + 1, whole);
  }
  /** Claims the calls of unfinished tasks when all claims were lost. */
  claimAll() {
    this.#known = new KnownClaims(this.#context.limits);
    for (const taskId of taskIds(this.#context)) {
      const record = readableView(this.#context, taskId)?.record;
      if (record === void 0 || record.key === null || isFinal(record.status)) continue;
      const { owner, key, id, generation } = record;
      for (let bucket = this.look(owner, key); bucket.claim === void 0; bucket = this.look(owner, key)) {
        this.claim(bucket, { owner, key, id, generation });
      }
    }
  }
  /** The task that a claim speaks for, if it can still run or be reused; ends restarts that were never finished. */
  async holderOf(claim) {
    const isWritten = ({ record }) => record.generation >= claim.generation;
    const reading = await this.#readable(claim.taskId);
    if (reading === void 0 || isWritten(reading)) return reading;
    return await this.#reader.fence(claim.taskId, isWritten);
  }
  /** A damaged task has no call any more. */
  async #readable(taskId) {
    try {
      return isSafeId(taskId) ? await this.#reader.read(taskId) : void 0;
    } catch (error) {
      if (isResumableError(error, "TASK_CORRUPT")) return void 0;
      throw error;
    }
  }
  /**
   * Claims the call of a finished task that is about to begin again.
   *
   * @returns what takes the claim back when nothing was written.
   * @throws {@link ResumableError} `KEY_TAKEN`.
   */
  async claimAgain(record) {
    const { owner, key, id, generation } = record;
    if (key === null) return () => {
    };
    for (; ; ) {
      const bucket = this.look(owner, key);
      if (bucket.isDoubtful && await this.restore(bucket, owner, key)) continue;
      await this.refuseRival(id, bucket.claim);
      const path = this.claim(bucket, { owner, key, id, generation });
      if (path === void 0) continue;
      await this.sync(owner, key);
      return () => this.void(path, hashOfCall(owner, key));
    }
  }
  /** @throws {@link ResumableError} `KEY_TAKEN` when a claim is of another task, which is not finished. */
  async refuseRival(taskId, claim) {
    if (claim === void 0 || claim.taskId === taskId) return;
    const rival = await this.holderOf(claim);
    if (rival === void 0 || isFinal(rival.record.status)) return;
    throw keyTaken(taskId, claim.taskId);
  }
  /** Keeps the number and takes away what it said. */
  void(path, hash) {
    const { disk, unique, durable } = this.#context;
    replaceWhole(disk, path, encodeLine(JSON.stringify({ hash, taskId: "", generation: 0 })), unique(), durable);
  }
  /** Makes a call's claims durable, with what they say: one that is empty after a loss of power names no task. */
  async sync(owner, key) {
    const { disk, durable, layout } = this.#context;
    if (!durable) return;
    const { folder, path } = this.look(owner, key);
    await allDone([path === void 0 ? void 0 : this.#syncFile(path), disk.syncFolder(folder)]);
    await disk.syncFolder(layout.keys);
  }
  /** It may have been removed meanwhile, by the process that claimed the next number. */
  async #syncFile(path) {
    try {
      await syncPath(this.#context.disk, path);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
  /** Removes the claims of deleted tasks, except the highest number. */
  prune(owner, key) {
    const folder = join20(this.#context.layout.keys, hashOfCall(owner, key).slice(0, 3));
    for (const number of claimFiles.list(this.#context.disk, folder).slice(0, -1)) {
      const claim = this.#readClaim(folder, number);
      if (claim === "damaged" || claim !== void 0 && taskExists(this.#context, claim.taskId)) continue;
      unlinkIfExists(this.#context.disk, join20(folder, claimFiles.nameOf(number)));
    }
  }
};
function parseClaim(bytes) {
  return claimSchema.safeParse(decodeWhole(bytes)).data;
}
function hashOfCall(owner, key) {
  return hashOf(JSON.stringify([owner, key]));
}
var markStart = 3;
var markEnd = 10;
var KnownClaims = class {
  /** Marks of calls by the numbers of their claims, for each folder. */
  #folders;
  constructor({ maxKnownClaims }) {
    this.#folders = new BoundedCache({ maxEntries: Number.POSITIVE_INFINITY, maxBytes: maxKnownClaims });
  }
  /** Gives the numbers whose claims may be about a call, without those that are known to be about another. */
  candidates(folder, numbers, hash) {
    const known2 = this.#folders.get(folder);
    if (known2 === void 0) return numbers;
    this.#forget(folder, known2, numbers);
    const mark = markOf2(hash);
    return numbers.filter((number) => (known2.get(number) ?? mark) === mark);
  }
  /** Notes what a claim that could be read is about. */
  note(folder, number, hash) {
    const known2 = this.#folders.get(folder) ?? /* @__PURE__ */ new Map();
    known2.set(number, markOf2(hash));
    this.#folders.set(folder, known2, known2.size);
  }
  #forget(folder, known2, numbers) {
    if (known2.size <= numbers.length) return;
    const present = new Set(numbers);
    for (const number of known2.keys()) if (!present.has(number)) known2.delete(number);
    this.#folders.set(folder, known2, known2.size);
  }
};
function markOf2(hash) {
  return Number.parseInt(hash.slice(markStart, markEnd), 16);
}

// ../packages/store-fs/src/index/task-lists.ts
import { join as join21 } from "path";
var maxListLimit = 1e3;
var openTasksAtOnce = 16;
var TaskLists = class {
  #parts;
  constructor(parts) {
    this.#parts = parts;
  }
  async listTasks(query) {
    const limit = Math.min(Math.max(query.limit, 1), maxListLimit);
    const cursor = parseCursor(query.cursor);
    const newest3 = new FirstOf(limit + 1, byAge);
    const isWanted = (task) => matches(task, query) && (cursor === void 0 || byAge(task, cursor) > 0) && newest3.takes(task);
    const open2 = /* @__PURE__ */ new Set();
    for await (const snapshot of this.#openTasks(open2)) {
      const task = summarise(snapshot.record, statusOf(snapshot));
      if (isWanted(task)) newest3.add({ id: task.id, createdAt: task.createdAt, summary: () => task });
    }
    if (query.statuses !== void 0 && !query.statuses.some(isFinal)) return this.#pageOf(newest3, limit);
    const enough = (day) => newest3.isFull && (newest3.last?.createdAt.slice(0, 10) ?? "") > day;
    for await (const page of this.#parts.finished.pages(open2, enough)) {
      for (const task of page) if (isWanted(task.head)) newest3.add(listed(task));
    }
    return this.#pageOf(newest3, limit);
  }
  #pageOf(newest3, limit) {
    const found = newest3.items.slice(0, limit);
    const last = found.at(-1);
    const summaries = (chosen) => chosen.flatMap((task) => task.summary() ?? []);
    const tasks = summaries(found.filter(({ id }) => taskExists(this.#parts.context, id)));
    const damaged = summaries(found.filter(({ id }) => !taskExists(this.#parts.context, id) && this.#isSetAside(id)));
    const isMore = newest3.items.length > limit && last !== void 0;
    return {
      tasks,
      damaged: damaged.length > 0 ? damaged : void 0,
      nextCursor: isMore ? formatCursor(last) : void 0
    };
  }
  async countTasks({ owner }) {
    let total = 0;
    const byStatus = /* @__PURE__ */ new Map();
    const byTool = /* @__PURE__ */ new Map();
    const count = (summary) => {
      if (owner !== void 0 && summary.owner !== owner) return;
      total += 1;
      byStatus.set(summary.status, (byStatus.get(summary.status) ?? 0) + 1);
      byTool.set(summary.tool, (byTool.get(summary.tool) ?? 0) + 1);
    };
    const open2 = /* @__PURE__ */ new Set();
    for await (const snapshot of this.#openTasks(open2)) {
      count({ owner: snapshot.record.owner, tool: snapshot.record.tool, status: statusOf(snapshot) });
    }
    const { context } = this.#parts;
    const setAside2 = new Set(listIfExists(context.disk, context.layout.quarantine));
    const isThere = (id) => !setAside2.has(id) || taskExists(context, id);
    for await (const page of this.#parts.finished.pages(open2)) {
      for (const { head: head2 } of page) if (isThere(head2.id)) count(head2);
    }
    return { total, byStatus: Object.fromEntries(byStatus), byTool: Object.fromEntries(byTool) };
  }
  async listExpired({ now, limit }) {
    const oldest = new FirstOf(limit, byEnd);
    const open2 = /* @__PURE__ */ new Set();
    for await (const { record } of this.#openTasks(open2)) if (isExpired(record, now.wallMs)) oldest.add(record);
    for await (const page of this.#parts.finished.pages(open2)) {
      for (const { head: head2 } of page) {
        if (!isExpired(head2, now.wallMs) || !oldest.takes(head2)) continue;
        if (taskExists(this.#parts.context, head2.id)) oldest.add(head2);
        else this.#forget(head2);
      }
    }
    void this.#parts.finished.compact();
    return oldest.items.map(({ id }) => id);
  }
  async listRunnable(request) {
    const oldest = new FirstOf(request.limit, byCreation);
    let nextDueMs;
    for await (const snapshot of this.#openTasks(/* @__PURE__ */ new Set())) {
      const { record } = snapshot;
      if (!request.tools.includes(record.tool)) continue;
      const due = dueMs(snapshot);
      if (due === void 0) continue;
      if (due > request.now.wallMs) nextDueMs = Math.min(due, nextDueMs ?? due);
      else {
        const { id, owner, tool, toolVersion, crashes, createdAt } = record;
        const detached = needsNoCaller(snapshot);
        oldest.add({ id, owner, tool, toolVersion, dueMs: due, crashes, detached, createdAt });
      }
    }
    const tasks = oldest.items.map(({ createdAt: _, ...task }) => task);
    return { tasks, nextDueMs };
  }
  /** Tasks with a marker, whose ids are added to `ids`. Markers that should not be there are put right. */
  async *#openTasks(ids) {
    const open2 = this.#parts.finished.openIds();
    const read = this.#parts.reader.scan();
    for (let from = 0; from < open2.length; from += openTasksAtOnce) {
      const page = open2.slice(from, from + openTasksAtOnce);
      const snapshots = await Promise.all(page.map((id) => this.#openTask(id, read)));
      for (const snapshot of snapshots) {
        if (snapshot === void 0) continue;
        ids.add(snapshot.record.id);
        yield snapshot;
      }
    }
  }
  async #openTask(id, read) {
    const { context, reader, finished } = this.#parts;
    if (!isSafeId(id)) return void 0;
    try {
      const reading = await read(id);
      if (reading === void 0) {
        if (!context.readOnly) unlinkIfExists(context.disk, join21(context.layout.open, id));
        return void 0;
      }
      const snapshot = reader.snapshotOf(reading);
      if (isFinal(snapshot.record.status) && !snapshot.leased && !reader.isOwn(id)) {
        finished.repair(snapshot.record, reading.view.header.incarnation, () => reader.isStill(reading));
      }
      return snapshot;
    } catch (error) {
      if (isResumableError(error, "TASK_CORRUPT")) return void 0;
      throw error;
    }
  }
  /** A line of a task that was set aside, and that its operator has removed since, is the last that is left of it. */
  #forget(head2) {
    const { context, finished } = this.#parts;
    if (context.readOnly || this.#isSetAside(head2.id)) return;
    const { seq: lastSeq, ...task } = head2;
    void finished.remove({ ...task, lastSeq }).catch(() => void 0);
  }
  #isSetAside(id) {
    return isSafeId(id) && quarantinedAt(this.#parts.context, id) !== void 0;
  }
};
function matches(task, query) {
  if (query.owner !== void 0 && task.owner !== query.owner) return false;
  if (query.tool !== void 0 && task.tool !== query.tool) return false;
  return query.statuses === void 0 || query.statuses.includes(task.status);
}
function listed({ head: { createdAt, id }, line }) {
  const text2 = line.bytes.toString("utf8");
  return { createdAt, id, summary: () => parseFinishedText(text2)?.summary };
}
function byAge(left, right) {
  return compare(right.createdAt, left.createdAt) || compare(left.id, right.id);
}
function byCreation(left, right) {
  return compare(left.createdAt, right.createdAt) || compare(left.id, right.id);
}
function byEnd(left, right) {
  return compare(left.finishedAt ?? "", right.finishedAt ?? "") || compare(left.id, right.id);
}
function compare(left, right) {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
function formatCursor({ createdAt, id }) {
  return `${createdAt}_${id}`;
}
function parseCursor(cursor) {
  if (cursor === void 0) return void 0;
  const [, createdAt, id] = /^(\d{4}-[0-9T:.-]+Z)_([A-Za-z0-9_-]+)$/.exec(cursor) ?? [];
  if (createdAt !== void 0 && id !== void 0) return { createdAt, id };
  throw new ResumableError("INVALID_VALUE", "The cursor is not one that a page of tasks gave. Begin without one.", {
    details: { what: "The cursor", problems: ["it is not one that a page of tasks gave"] }
  });
}

// ../packages/store-fs/src/index/task-remover.ts
import { join as join22 } from "path";
import { z as z6 } from "zod";
var TaskRemover = class {
  #parts;
  constructor(parts) {
    this.#parts = parts;
  }
  async remove(lease) {
    const { context, book, notifications } = this.#parts;
    const { disk, layout, durable } = context;
    const writer = book.writerOf(lease);
    await writer.idle();
    const { record, header } = writer.view;
    const folder = taskFolder(layout, record.id);
    if (!writer.isCurrent()) throw leaseLost(lease);
    const place2 = join22(layout.trash, `del.${record.id}.${context.unique()}`);
    const gone = noteSchema.parse({ ...record, incarnation: header.incarnation });
    const note2 = await writeNote(context, gone);
    if (!writer.isCurrent()) {
      unlinkIfExists(disk, note2);
      throw leaseLost(lease);
    }
    disk.rename(folder, place2);
    context.observe("store.delete.trashed", record.id);
    await writer.drop();
    if (durable) await allDone([disk.syncFolder(shardFolder(layout, record.id)), disk.syncFolder(layout.trash)]);
    await this.#complete(gone, place2);
    notifications.notify(record.id, "task");
  }
  /** Takes a deleted task out of the lists and removes what is left of it. */
  async #complete(record, place2) {
    const { context, usage: usage2, finished, keys } = this.#parts;
    await finished.remove(record);
    context.observe("store.delete.listed", record.id);
    if (record.key !== null) keys.prune(record.owner, record.key);
    context.disk.removeTree(place2);
    usage2.free();
  }
  /** Finishes what processes that died left in `trash/`: deletions, and tasks that never came to be. */
  async emptyTrash() {
    const { context, workers } = this.#parts;
    const { disk, layout } = context;
    for (const name of listIfExists(disk, layout.trash) ?? []) {
      const place2 = join22(layout.trash, name);
      const [kind, subject = ""] = name.split(".");
      if (kind === "new" && !workers.isInstanceAlive(subject)) disk.removeTree(place2);
      if (kind !== "del") continue;
      const gone = readNote(context, place2);
      if (gone === void 0) disk.removeTree(place2);
      else await this.#complete(gone, place2);
    }
  }
};
var noteSchema = z6.object({
  id: z6.string(),
  incarnation: z6.string(),
  owner: z6.string(),
  key: z6.nullable(z6.string()),
  lastSeq: z6.number(),
  createdAt: z6.string(),
  finishedAt: z6.optional(z6.string())
});
async function writeNote({ disk, layout, durable, unique }, gone) {
  const folder = taskFolder(layout, gone.id);
  const path = join22(folder, `deleted.${unique()}.json`);
  createFile(disk, path, Buffer.from(`${JSON.stringify(gone)}
`));
  if (durable) await allDone([syncPath(disk, path), disk.syncFolder(folder)]);
  return path;
}
function readNote({ disk }, place2) {
  const note2 = (listIfExists(disk, place2) ?? []).find((name) => name.startsWith("deleted."));
  const text2 = note2 === void 0 ? void 0 : readFrom(disk, join22(place2, note2))?.toString("utf8");
  const parsed2 = parseDocument(noteSchema, text2 ?? "");
  return "document" in parsed2 ? parsed2.document : void 0;
}

// ../packages/store-fs/src/task/compaction.ts
import { join as join24 } from "path";

// ../packages/store-fs/src/journal/take-over.ts
import { dirname as dirname7, join as join23 } from "path";
function takeOver(context, cache, request) {
  const announced = announce(context, request);
  if (announced === void 0) return void 0;
  const { epoch, file } = announced;
  let isSealed = false;
  let taken;
  try {
    context.observe("store.takeover.announced", request.taskId);
    disturb(context, request.taskId);
    const before = request.rotate?.view ?? newestView(context, request.taskId, { cache, below: epoch });
    if (before === void 0) return void 0;
    cache.delete(request.taskId);
    context.observe("store.takeover.read", request.taskId);
    syncSealed(context, before);
    const header = headerOf(request, epoch, before);
    const line = encodeLine(JSON.stringify(header));
    writeAll(context.disk, file, line);
    isSealed = true;
    context.observe("store.takeover.sealed", request.taskId);
    const folder = lookAt(context.disk, taskFolder(context.layout, request.taskId));
    if (folder?.newest === epoch) taken = { epoch, file, view: viewOf2(context, header, before, line.byteLength) };
    else withdraw(context, request, epoch, isSealed);
    return taken;
  } catch (error) {
    withdraw(context, request, epoch, isSealed);
    throw error;
  } finally {
    if (taken === void 0) context.disk.close(file);
  }
}
function syncSealed({ disk, durable }, { unsynced, sealSynced, path, header }) {
  if (!durable) return;
  if (unsynced) syncPathNow(disk, path);
  if (sealSynced) return;
  const folder = dirname7(path);
  for (const { epoch } of header.chain) syncPathNow(disk, join23(folder, journalName(epoch)));
  disk.syncFolderNow(folder);
}
function withdraw(context, { taskId, by, rotate }, epoch, sealed) {
  const folder = taskFolder(context.layout, taskId);
  try {
    if (!sealed) unlinkIfExists(context.disk, join23(folder, journalName(epoch)));
    if (rotate === void 0 && by !== void 0) {
      unlinkIfExists(context.disk, join23(folder, leaseName(epoch, by.holder)));
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
function announce(context, request) {
  const { disk, layout } = context;
  const folderPath = taskFolder(layout, request.taskId);
  for (; ; ) {
    const folder = lookAt(disk, folderPath);
    if (folder === void 0) return void 0;
    const { rotate, by, after } = request;
    if (after !== void 0 && folder.newest !== after) return void 0;
    if (rotate !== void 0 && !holds(folder, rotate.epoch, rotate.leaseFile)) return void 0;
    const epoch = folder.newest + 1;
    const lease = rotate === void 0 && by !== void 0 ? join23(folderPath, leaseName(epoch, by.holder)) : void 0;
    try {
      if (lease !== void 0) touchFile(disk, lease);
      const file = journalFiles.open(disk, folderPath, epoch);
      if (file !== void 0) return { epoch, file };
      if (lease !== void 0) unlinkIfExists(disk, lease);
    } catch (error) {
      if (lease !== void 0) unlinkIfExists(disk, lease);
      if (hasCode(error, "ENOENT")) return void 0;
      throw error;
    }
  }
}
function holds(folder, epoch, leaseFile) {
  return folder?.newest === epoch && folder.leases.includes(leaseFile);
}
function headerOf(request, epoch, before) {
  const { record } = before;
  const whole = chainThrough(before);
  const through = request.compacted?.throughEpoch ?? 0;
  const segment = request.compacted?.segment;
  return {
    layout: layoutVersion,
    taskId: request.taskId,
    incarnation: before.header.incarnation,
    epoch,
    lease: request.rotate?.lease ?? epoch,
    worker: request.by?.worker ?? null,
    holder: request.by?.holder ?? null,
    ttlMs: request.ttlMs,
    base: record.lastSeq,
    items: record.itemCount,
    itemsFrom: record.itemsFromSeq,
    record,
    chain: whole.filter((entry) => entry.epoch > through),
    segments: [...before.header.segments, ...segment === void 0 ? [] : [segment]].filter(
      ({ itemsFrom }) => itemsFrom === record.itemsFromSeq
    ),
    consumed: [...before.consumed],
    answered: [...before.answered]
  };
}
function viewOf2(context, header, before, length) {
  const { record: _, ...rest } = header;
  return {
    ...before,
    header: rest,
    path: join23(taskFolder(context.layout, header.taskId), journalName(header.epoch)),
    sealedBytes: sealedBytes(header),
    offset: length,
    bodyStart: length,
    consumed: new Set(before.consumed),
    answered: new Set(before.answered),
    unsynced: false,
    sealSynced: true
  };
}
async function syncTakenOver(context, taken) {
  if (!context.durable) return;
  const { disk, layout } = context;
  const folder = taskFolder(layout, taken.view.header.taskId);
  const sealed = taken.view.header.chain.map(({ epoch }) => syncPath(disk, join23(folder, journalName(epoch))));
  await allDone([...sealed, disk.syncData(taken.file)]);
  await disk.syncFolder(folder);
}
function removeSuperfluous(context, view) {
  const { disk, layout } = context;
  const folderPath = taskFolder(layout, view.header.taskId);
  const folder = lookAt(disk, folderPath);
  if (folder?.newest !== view.header.epoch) return;
  const needed = new Set(view.header.chain.map(({ epoch }) => epoch));
  for (const epoch of folder.epochs) {
    if (epoch < view.header.epoch && !needed.has(epoch)) unlinkIfExists(disk, join23(folderPath, journalName(epoch)));
  }
  for (const name of folder.leases) {
    if (Number(name.split(".")[1]) < view.header.lease) unlinkIfExists(disk, join23(folderPath, name));
  }
}

// ../packages/store-fs/src/task/compaction.ts
var Compaction = class {
  #context;
  #running = /* @__PURE__ */ new Map();
  constructor(context) {
    this.#context = context;
  }
  /** Called after each commit. What fails is tried again after a later one; the files that are there stay whole. */
  consider(held3) {
    const { rotateBytes, maxJournalFiles } = this.#context.limits;
    const { offset, bodyStart } = held3.view;
    if (offset - bodyStart > Math.max(rotateBytes, 4 * bodyStart)) held3.rotate();
    if (held3.view.header.chain.length <= maxJournalFiles || held3.isEnded || this.#running.has(held3)) return;
    const running = this.#compact(held3).catch(() => void 0);
    this.#running.set(
      held3,
      running.finally(() => this.#running.delete(held3))
    );
  }
  /** Writes the items of the oldest files to a file of their own, seals a chain without those files, then removes them. */
  async #compact(held3) {
    const context = this.#context;
    const { chain } = held3.view.header;
    const oldFiles = Math.max(chain.length - context.limits.keepJournalFiles, 0);
    const last = chain[oldFiles - 1];
    if (last === void 0) return;
    const segment = await writeSegment(context, held3, oldFiles);
    context.observe("store.compact.written", held3.lease.taskId);
    if (held3.isEnded) return;
    held3.rotate({ throughEpoch: last.epoch, segment });
    if (context.durable) await held3.sync();
    if (held3.isEnded) return;
    removeSuperfluous(context, held3.view);
    context.observe("store.compact.removed", held3.lease.taskId);
  }
  /** Resolves when no compaction is under way. */
  async idle() {
    await Promise.all(this.#running.values());
  }
};
async function writeSegment(context, { folder, view }, oldFiles) {
  const { disk, durable, unique } = context;
  const { chain, epoch } = view.header;
  const itemsFrom = view.record.itemsFromSeq;
  const lines = [];
  let first;
  let next = 0;
  for (const [place2, entry] of chain.slice(0, oldFiles).entries()) {
    if (!mayHoldItems(entry, chain[place2 + 1])) continue;
    for (const { items: items2, index } of itemEvents(context, folder, entry, itemsFrom)) {
      first ??= index;
      next = index + items2.length;
      lines.push(encodeLine(JSON.stringify({ first: index, items: items2 })));
    }
    await Promise.resolve();
  }
  if (first === void 0) return void 0;
  const name = `${epoch}-${unique()}.jsonl`;
  const items = join24(folder, "items");
  disk.makeFolder(items);
  const bytes = Buffer.concat(lines);
  createFile(disk, join24(items, name), bytes);
  if (durable) await allDone([syncPath(disk, join24(items, name)), disk.syncFolder(items), disk.syncFolder(folder)]);
  return { name, bytes: bytes.byteLength, first, count: next - first, itemsFrom };
}
function mayHoldItems(entry, next) {
  return next === void 0 || next.itemsFrom !== entry.itemsFrom || next.items !== entry.items;
}

// ../packages/store-fs/src/task/held-folder.ts
import { join as join25 } from "path";
var HeldFolder = class {
  path;
  /** The name of the file whose presence is the lease. */
  leaseFile;
  #disk;
  #marker;
  /** What was listed last, as long as the marker stands. */
  #seen;
  constructor({ disk }, path, { lease, holder }) {
    this.#disk = disk;
    this.path = path;
    this.leaseFile = leaseName(lease, holder ?? "");
    this.#marker = join25(path, quietName(this.leaseFile));
  }
  /** The files that make the lease. */
  get leasePaths() {
    return [join25(this.path, this.leaseFile), this.#marker];
  }
  /** The folder, if the lease is there and an epoch is the newest. */
  look(epoch) {
    if (this.#seen !== void 0 && this.#disk.exists(this.#marker)) return this.#ifHeld(this.#seen, epoch);
    const isMarked = this.#mark();
    const folder = lookAt(this.#disk, this.path);
    this.#seen = isMarked ? folder : void 0;
    return this.#ifHeld(folder, epoch);
  }
  /** As `look`, and always lists. */
  list(epoch) {
    return this.#ifHeld(lookAt(this.#disk, this.path), epoch);
  }
  #ifHeld(folder, epoch) {
    return holds(folder, epoch, this.leaseFile) ? folder : void 0;
  }
  /** A marker that cannot be left only makes the next look more expensive. */
  #mark() {
    try {
      touchFile(this.#disk, this.#marker);
      return true;
    } catch {
      return false;
    }
  }
  /** Notes that the writer itself changed something. */
  changed() {
    this.#seen = void 0;
  }
  /** Tells whether an epoch is the newest, also after the lease was released. */
  isNewest(epoch) {
    if (this.#seen?.newest === epoch && this.#disk.exists(this.#marker)) return true;
    return lookAt(this.#disk, this.path)?.newest === epoch;
  }
};
var LeaseFiles = class {
  #disk;
  #remaining = /* @__PURE__ */ new Set();
  constructor({ disk }) {
    this.#disk = disk;
  }
  remove(paths) {
    for (const path of paths) this.#remaining.add(path);
    this.tidy();
  }
  /** Removes what could not be removed when its lease ended: until then, other processes see the task leased. */
  tidy() {
    for (const path of this.#remaining) {
      try {
        unlinkIfExists(this.#disk, path);
        this.#remaining.delete(path);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }
};

// ../packages/store-fs/src/task/journal-reader.ts
import { join as join26 } from "path";
var JournalReader = class {
  #context;
  #reader;
  /** Where pages ended, so that who asks for the next one does not begin at the file's start. */
  #places;
  constructor(context, reader) {
    this.#context = context;
    this.#reader = reader;
    const { maxCachedTasks } = context.limits;
    this.#places = new BoundedCache({ maxEntries: maxCachedTasks, maxBytes: Number.POSITIVE_INFINITY });
  }
  /** Reads events from behind a cursor. */
  readEvents(taskId, { afterSeq, limit }) {
    return this.#reader.guard(taskId, async () => {
      const reading = await this.#reader.require(taskId);
      return this.#eventsOf(reading, { after: Math.max(afterSeq, 0), limit });
    });
  }
  #eventsOf({ record, view }, range) {
    const { lastSeq } = record;
    if (range.after >= lastSeq) return { events: [], lastSeq };
    const fromTail = view.tail.between(range.after, lastSeq, range.limit);
    if (fromTail !== void 0) return { events: fromTail, lastSeq };
    const chain = chainThrough(view);
    const oldest = chain[0] ?? view.header;
    if (range.after >= oldest.base) {
      return { events: this.#scan({ record, view }, chain, range), lastSeq };
    }
    const snapshot = this.#snapshotBefore(record.id, oldest);
    return { snapshot, events: this.#scan({ record, view }, chain, { ...range, after: oldest.base }), lastSeq };
  }
  #scan({ record, view }, chain, { after, limit }) {
    const { incarnation } = view.header;
    const known2 = this.#places.get(placeKey(incarnation, after));
    const found = [];
    let bytes = 0;
    for (const entry of chain) {
      if (entry.end <= after) continue;
      const from = known2?.epoch === entry.epoch ? known2.offset : 0;
      const path = this.#pathOf(record.id, entry);
      for (const line of journalLines(this.#context, path, entry, { afterSeq: after, from })) {
        for (const event of line.commit.events) {
          if (event.seq > record.lastSeq || found.length >= limit) {
            this.#places.set(
              placeKey(incarnation, found.at(-1)?.seq ?? after),
              { epoch: entry.epoch, offset: line.start },
              0
            );
            return found;
          }
          if (event.seq > after) found.push(event);
        }
        bytes += line.next - line.start;
        if (bytes > this.#context.limits.maxPageBytes) return found;
      }
    }
    return found;
  }
  #pathOf(taskId, { epoch }) {
    return join26(taskFolder(this.#context.layout, taskId), journalName(epoch));
  }
  /** The task as it was when the oldest file that is left began. */
  #snapshotBefore(taskId, oldest) {
    const path = this.#pathOf(taskId, oldest);
    const [first] = rawLines(readFrom(this.#context.disk, path) ?? Buffer.alloc(0), 0, path);
    const record = first && parseHeader(first, path).record;
    if (!record) throw new DamagedFile(path, 0, "the snapshot is missing");
    return record;
  }
  /** Reads items of the present generation. */
  readItems(taskId, { after, limit }) {
    return this.#reader.guard(taskId, async () => {
      const { record, view } = await this.#reader.require(taskId);
      const total = record.itemCount;
      const start = Math.min(Math.max(after, 0), total);
      const end2 = Math.min(start + limit, total);
      const sources = [...view.header.segments, ...chainThrough(view)];
      const items = this.#collect(record, sources, start, end2);
      return { items, next: start + items.length, total };
    });
  }
  #collect(record, sources, start, end2) {
    const items = [];
    let bytes = 0;
    for (const [index, source] of sources.entries()) {
      if (start + items.length >= end2) break;
      if (endsBefore(sources[index + 1], record, start)) continue;
      for (const part of this.#itemsIn(record, source)) {
        const wanted = part.items.slice(Math.max(start + items.length - part.index, 0), end2 - part.index);
        if (part.index + part.items.length <= start || part.index >= end2) continue;
        items.push(...wanted);
        bytes += JSON.stringify(wanted).length;
        if (bytes > this.#context.limits.maxPageBytes) return items;
      }
    }
    return items;
  }
  #itemsIn(record, source) {
    const folder = taskFolder(this.#context.layout, record.id);
    if ("epoch" in source) return itemEvents(this.#context, folder, source, record.itemsFromSeq);
    return source.itemsFrom === record.itemsFromSeq ? itemLines(this.#context, folder, source) : [];
  }
};
function* itemLines(context, folder, { name, bytes: length }) {
  const path = join26(folder, "items", name);
  const bytes = readFrom(context.disk, path);
  if (bytes === void 0 || bytes.byteLength < length) throw new DamagedFile(path, 0, "items are missing");
  for (const line of rawLines(bytes.subarray(0, length), 0, path)) {
    const { first, items } = deepFreeze(decodeLine(line, path));
    yield { index: first, items };
  }
}
function endsBefore(next, record, start) {
  if (next === void 0 || next.itemsFrom !== record.itemsFromSeq) return false;
  return ("epoch" in next ? next.items : next.first) <= start;
}
function placeKey(incarnation, seq) {
  return `${incarnation} ${seq}`;
}

// ../packages/store-fs/src/task/task-signals.ts
import { join as join27 } from "path";
import { z as z7 } from "zod";
var answerSchema = z7.object({
  id: z7.string(),
  order: z7.number(),
  key: z7.string(),
  answer: z7.custom((value) => z7.looseObject({ action: z7.string() }).safeParse(value).success)
});
function pendingSignals(context, taskId, folder, state) {
  if (folder.signals.length === 0 && folder.answers.length === 0) {
    state.consumed.clear();
    return [];
  }
  const answers = readAnswers(context, taskId, folder);
  forgetRemoved(state.consumed, folder, answers);
  const plain = collapse(folder.signals.filter(({ id }) => !state.consumed.has(id)));
  const given = answers.filter(({ id }) => !state.consumed.has(id) && !state.answered.has(signalFile(id)));
  return [...plain, ...given].sort((left, right) => left.order - right.order).map(toSignal);
}
function forgetRemoved(consumed, folder, answers) {
  if (consumed.size === 0) return;
  const present = new Set([...folder.signals, ...answers].map(({ id }) => id));
  for (const id of consumed) if (!present.has(id)) consumed.delete(id);
}
function collapse(signals) {
  return signals.filter((signal) => {
    const same = signals.filter((other) => isSameValue(signal, other));
    return signal === (hasSides(signal) ? same.at(-1) : same[0]);
  });
}
function isSameValue({ kind }, other) {
  return other.kind === kind || other.kind === oppositeOf(kind);
}
function hasSides({ kind }) {
  return oppositeOf(kind) !== void 0;
}
function toSignal(signal) {
  if ("key" in signal) return { id: signal.id, kind: "answer", key: signal.key, answer: signal.answer };
  return { id: signal.id, kind: signal.kind };
}
function readAnswers(context, taskId, folder) {
  return folder.answers.flatMap((name) => {
    const path = join27(taskFolder(context.layout, taskId), name);
    const bytes = readFrom(context.disk, path);
    if (bytes === void 0) return [];
    const answer = parseAnswer(bytes);
    if (answer === void 0) setAside(context, path, `${taskId}.${name}`);
    return answer ?? [];
  });
}
function parseAnswer(bytes) {
  return answerSchema.safeParse(decodeWhole(bytes)).data;
}
function setAside(context, path, name) {
  if (context.readOnly) return;
  try {
    quarantineFile(context, path, name, "an answer is damaged");
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
function isAnswered({ record, answered: answered2 }, key) {
  if (answered2.has(answerName(record, key))) return true;
  return Object.hasOwn(record.remembered, key) && record.remembered[key]?.kind === "answer";
}
function answerName(record, key) {
  return `answer.${record.itemsFromSeq}.${hashOf(key).slice(0, 32)}`;
}
function hiddenBy(consume, folder) {
  const chosen = folder.signals.filter(({ id }) => consume.includes(id));
  const hidden = folder.signals.filter(
    (signal) => chosen.some((other) => isSameValue(other, signal) && (!hasSides(other) || signal.order <= other.order))
  );
  return [.../* @__PURE__ */ new Set([...consume, ...hidden.map(({ id }) => id)])];
}
function removeSignals(context, taskId, ids) {
  if (ids.length === 0) return;
  const folder = taskFolder(context.layout, taskId);
  for (const id of ids) unlinkIfExists(context.disk, join27(folder, signalFile(id)));
}
function leaveSignal(context, record, signal, folder) {
  const path = taskFolder(context.layout, record.id);
  const pending = [...folder.signals, ...readAnswers(context, record.id, folder)];
  const order = Math.max(0, ...pending.map((one) => one.order)) + 1;
  if (signal.kind === "answer") {
    const { length } = folder.answers;
    const { maxPendingAnswers } = context.limits;
    if (length >= maxPendingAnswers) throw limitExceeded("maxPendingAnswers", length + 1, maxPendingAnswers);
    const { name, id, bytes } = answerFile(record, signal, order, context.unique());
    return createWhole(context.disk, join27(path, name), bytes, context.unique()) ? { id, replaced: [] } : void 0;
  }
  const left = { id: `signal.${order}.${signal.kind}.${context.unique()}`, order, kind: signal.kind };
  const before = folder.signals.filter((other) => isSameValue(left, other));
  const [first] = before;
  if (first !== void 0 && !hasSides(left)) return { id: first.id, replaced: [] };
  touchFile(context.disk, join27(path, left.id));
  return { id: left.id, replaced: before.map(({ id }) => id) };
}
function answerFile(record, { key, answer }, order, unique) {
  const name = answerName(record, key);
  const stored = { id: `${name}.${unique}`, order, key, answer };
  return { name, id: stored.id, bytes: encodeLine(JSON.stringify(stored)) };
}
function withoutConsumed(view, ids) {
  if (ids.size === 0) return view;
  const consumed = new Set([...view.consumed].filter((id) => !ids.has(id)));
  const hidden = new Set([...ids].map(signalFile));
  return { ...view, consumed, answered: new Set([...view.answered].filter((name) => !hidden.has(name))) };
}
async function signalTask({ context, reader, notifications }, taskId, signal) {
  const { record, folder, view } = await reader.require(taskId);
  if (signal.kind === "answer" && isAnswered(view, signal.key)) throw alreadyAnswered(taskId, signal.key);
  const left = leaveSignal(context, record, signal, folder);
  disturb(context, taskId);
  context.observe("store.signal.linked", taskId);
  if (signal.kind === "answer") {
    if (left === void 0) throw alreadyAnswered(taskId, signal.key);
    await refuseLate(reader, taskId, signal.key, left.id, () => removeSignals(context, taskId, [left.id]));
  }
  if (context.durable) {
    const path = taskFolder(context.layout, taskId);
    if (signal.kind === "answer" && left !== void 0) await syncPath(context.disk, join27(path, signalFile(left.id)));
    await context.disk.syncFolder(path);
  }
  removeSignals(context, taskId, left?.replaced ?? []);
  notifications.notify(taskId, "runnable");
}
async function refuseLate(reader, taskId, key, id, undo) {
  const after = await reader.require(taskId);
  if (!isAnswered(after.view, key) || after.view.consumed.has(id)) return;
  undo();
  throw alreadyAnswered(taskId, key);
}

// ../packages/store-fs/src/task/writer-files.ts
import { join as join28 } from "path";
var zeros = Buffer.alloc(64 * 1024);
var WriterFiles = class {
  #context;
  #folder;
  #sync = new SharedSync(() => this.#syncAll());
  #file;
  /** How far the file reaches with the zeros behind what is written; 0 while there are none. */
  #extendedTo = 0;
  #retired = /* @__PURE__ */ new Set();
  /** Earlier files whose sync belongs to the next acknowledgement. */
  #unsynced = [];
  constructor(context, folder, file) {
    this.#context = context;
    this.#folder = folder;
    this.#file = file;
  }
  /**
   * Writes a line at the end of what is written.
   *
   * A file whose lines are synced is extended by zeros before they are needed: a sync that changes the length of a file
   * also waits for the file system's own journal, which takes as long again.
   */
  append(line, offset) {
    const { disk, durable, limits: limits2 } = this.#context;
    const end2 = offset + line.byteLength;
    if (durable && end2 > this.#extendedTo && offset >= limits2.extendFromBytes) this.#extend(end2, offset);
    writeAll(disk, this.#file, line, offset);
  }
  /** By as much as there is, so that no file becomes more than twice as long. A failure here only makes syncs slower. */
  #extend(from, written) {
    const { disk, limits: limits2 } = this.#context;
    const end2 = from + Math.min(written, limits2.maxExtendBytes);
    this.#extendedTo = from;
    try {
      while (this.#extendedTo < end2) {
        const ahead = zeros.subarray(0, end2 - this.#extendedTo);
        writeAll(disk, this.#file, ahead, this.#extendedTo);
        this.#extendedTo += ahead.byteLength;
      }
    } catch {
      this.#extendedTo = Number.POSITIVE_INFINITY;
    }
  }
  /** Cuts a file that takes no more lines to what was written. Only after writes that all succeeded. */
  trim(written) {
    if (this.#extendedTo === 0) return;
    try {
      this.#context.disk.truncate(this.#file, written);
    } catch {
    }
  }
  /** Resolves when all that was written before this call is on the disk, in this file and in those before it. */
  sync() {
    return this.#sync.request();
  }
  async #syncAll() {
    const { disk } = this.#context;
    const earlier = this.#unsynced.splice(0);
    if (earlier.length === 0) return disk.syncData(this.#file);
    await allDone([disk.syncData(this.#file), ...earlier.map((file) => this.#finish(file))]);
  }
  async #finish(file) {
    const { disk } = this.#context;
    await disk.syncData(file);
    await disk.syncFolder(this.#folder);
    this.#retired.delete(file);
    disk.close(file);
  }
  /** As `sync`, and lets nothing else happen meanwhile. */
  syncNow() {
    const { disk } = this.#context;
    disk.syncDataNow(this.#file);
    if (this.#unsynced.length > 0) disk.syncFolderNow(this.#folder);
  }
  /** Continues in another file. The seal counts what this one holds: it is synced before the next acknowledgement. */
  replace(file, written) {
    this.trim(written);
    if (this.#context.durable) {
      this.#retired.add(this.#file);
      this.#unsynced.push(this.#file);
    } else this.#context.disk.close(this.#file);
    this.#file = file;
    this.#extendedTo = 0;
  }
  /** Resolves when nothing is being synced. */
  idle() {
    return this.#sync.idle();
  }
  /** Closes the files when the last sync is over. */
  async close() {
    await this.#sync.idle();
    for (const file of [this.#file, ...this.#retired]) this.#context.disk.close(file);
  }
};
var DoubtfulFiles = class {
  #paths = /* @__PURE__ */ new Set();
  /** Notes the file of a view, and of earlier ones those that the same lease has written. */
  add(folder, { header, path }) {
    for (const { epoch } of header.chain) if (epoch >= header.lease) this.#paths.add(join28(folder, journalName(epoch)));
    this.#paths.add(path);
  }
  /** Writes what a doubtful file holds once more in its place, so that the next sync has something to do. */
  refresh({ disk }, folder, { header }) {
    for (const { epoch, bytes } of header.chain) {
      const path = join28(folder, journalName(epoch));
      if (!this.#paths.has(path)) continue;
      rewriteInPlace(disk, path, bytes);
      this.#paths.delete(path);
    }
  }
};

// ../packages/store-fs/src/task/task-writer.ts
var TaskWriter = class {
  lease;
  folder;
  #parts;
  #folder;
  #files;
  #view;
  #durable;
  #unacknowledged = /* @__PURE__ */ new Set();
  #isEnded = false;
  #closing;
  constructor(parts, lease, { view, file }) {
    const { context } = parts;
    this.#parts = parts;
    this.lease = Object.freeze(lease);
    this.folder = taskFolder(context.layout, lease.taskId);
    this.#folder = new HeldFolder(context, this.folder, view.header);
    this.#files = new WriterFiles(context, this.folder, file);
    this.#view = view;
    this.#durable = view.record;
  }
  get view() {
    return this.#view;
  }
  get durable() {
    return this.#durable;
  }
  get isEnded() {
    return this.#isEnded;
  }
  isWriting(name) {
    return !this.#isEnded && name === journalName(this.#view.header.epoch);
  }
  /** Tells whether no later epoch was announced and the lease is still there. */
  isCurrent() {
    return this.#folder.list(this.#view.header.epoch) !== void 0;
  }
  /** Makes the epoch's beginning durable. Nothing is acknowledged before. */
  async begin(taken) {
    const { context, doubtful, notifications } = this.#parts;
    const { taskId } = this.lease;
    doubtful.refresh(context, this.folder, this.#view);
    await syncTakenOver(context, taken);
    context.observe("store.takeover.synced", taskId);
    removeSuperfluous(context, this.#view);
    notifications.notify(taskId, "task");
    const folder = lookAt(context.disk, this.folder);
    if (folder === void 0) throw taskNotFound(taskId);
    const signals = pendingSignals(context, taskId, folder, this.#view);
    return { record: freezeRecord(this.#durable), signals, leased: true };
  }
  read() {
    const folder = this.#isEnded ? void 0 : this.#folder.list(this.#view.header.epoch);
    if (folder === void 0) return void 0;
    const view = withoutConsumed(this.#view, this.#unacknowledged);
    const signals = pendingSignals(this.#parts.context, this.lease.taskId, folder, view);
    return { record: this.#durable, view, folder, signals };
  }
  isNewest() {
    return this.#folder.isNewest(this.#view.header.epoch);
  }
  async commit(request) {
    const { context } = this.#parts;
    this.#expect(request.afterSeq);
    const before = this.#view.record;
    const { text: text2, events } = numberEvents(request);
    const record = reduceTask(before, events, this.#view.isPlain);
    context.observe("store.commit.before", record.id);
    const consumed = request.consume.length === 0 ? [] : hiddenBy(request.consume, this.#look());
    const line = encodeCommit(request.afterSeq + 1, text2, consumed);
    checkCommitSize(context.limits, this.#view, events, line.byteLength);
    if (isFinal(before.status) && !isFinal(record.status)) await this.#claimKey(request, record);
    const wrote = events.length + consumed.length > 0;
    try {
      if (wrote) this.#files.append(line, this.#view.offset);
    } catch (error) {
      this.end();
      throw storeFailure(error, "write", this.#view.path);
    }
    if (wrote) this.#note({ record, events, consumed, bytes: line.byteLength });
    const folder = this.#look();
    const signals = pendingSignals(context, record.id, folder, this.#view);
    if (wrote && context.durable) {
      await this.#files.sync().catch((error) => {
        this.#fail();
        throw storeFailure(error, "write", this.#view.path);
      });
      context.observe("store.commit.synced", record.id);
    }
    if (record.lastSeq > this.#durable.lastSeq) this.#durable = record;
    for (const id of consumed) this.#unacknowledged.delete(id);
    this.#follow(before, record, consumed, request);
    for (const event of events) deepFreeze(event);
    return { record, signals };
  }
  /** Refuses a commit after the end, or of one who is wrong about where the journal ends. */
  #expect(afterSeq) {
    if (this.#isEnded) throw leaseLost(this.lease);
    const actual = this.#view.record.lastSeq;
    if (afterSeq === actual) return;
    this.#look();
    throw seqConflict(this.lease.taskId, afterSeq, actual);
  }
  /** Another commit may come first while the key is claimed. */
  async #claimKey({ afterSeq }, record) {
    const { context, keys, finished } = this.#parts;
    const undo = await keys.claimAgain(record);
    try {
      await finished.reopenDurably(record.id);
      this.#expect(afterSeq);
      context.observe("store.commit.keyed", record.id);
    } catch (error) {
      undo();
      throw error;
    }
  }
  #note(commit) {
    const { context, usage: usage2 } = this.#parts;
    usage2.add(commit.bytes);
    context.observe("store.commit.appended", this.lease.taskId);
    addCommit(this.#view, commit);
    for (const id of commit.consumed) this.#unacknowledged.add(id);
  }
  #look() {
    const folder = this.#folder.look(this.#view.header.epoch);
    if (folder !== void 0) return folder;
    this.end();
    throw leaseLost(this.lease);
  }
  /** The commit counts already: what fails here is done by the next process that reads the task. */
  #follow(before, record, consumed, { now }) {
    const { context, finished, documents, compaction, notifications } = this.#parts;
    const statusChanged = before.status !== record.status;
    try {
      removeSignals(context, record.id, consumed);
      if (consumed.length > 0) this.#folder.changed();
      if (statusChanged && isFinal(record.status)) this.#close(record);
      else if (statusChanged) finished.reopen(record.id);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    documents.note(this, { statusChanged, nowMs: now.monotonicMs });
    compaction.consider(this);
    notifications.notify(record.id, statusChanged ? "runnable" : "task");
  }
  #close(record) {
    const isStill = () => !this.#isEnded && this.#view.record.lastSeq === record.lastSeq;
    this.#closing = this.#parts.finished.close(record, this.#view.header.incarnation, isStill);
  }
  /** Continues in a new file under the same lease. The next acknowledgement waits for the new file's beginning. */
  rotate(compacted) {
    const { context, cache } = this.#parts;
    const isSafe = !context.durable || this.#durable.lastSeq === this.#view.record.lastSeq;
    if (this.#isEnded || !isSafe && !this.#syncNow(() => this.#files.syncNow())) return;
    const { taskId, epoch: lease, worker } = this.lease;
    const { holder, ttlMs, epoch } = this.#view.header;
    const rotate = { epoch, lease, leaseFile: this.#folder.leaseFile, view: this.#view };
    try {
      const by = { worker, holder: holder ?? "" };
      const taken = takeOver(context, cache, { taskId, ttlMs, by, rotate, compacted });
      if (taken === void 0) this.end();
      else this.#continueIn(taken);
    } catch {
    }
  }
  #continueIn({ file, view }) {
    const { disk, durable, observe } = this.#parts.context;
    if (durable && !this.#syncNow(() => disk.syncDataNow(file))) {
      disk.close(file);
      return;
    }
    observe("store.rotate.sealed", this.lease.taskId);
    this.#files.replace(file, this.#view.offset);
    this.#view = view;
  }
  #syncNow(sync) {
    try {
      sync();
      return true;
    } catch {
      this.#fail();
      return false;
    }
  }
  sync() {
    return this.#files.sync();
  }
  /** Gives the lease back, once the finished index has what it must have before. */
  async release() {
    await this.#closing;
    this.giveUp();
    await this.#files.idle();
  }
  /** Gives the lease up at once: its file goes, and with it the worker's right. */
  giveUp() {
    const { held: held3, leaseFiles, notifications } = this.#parts;
    const { taskId } = this.lease;
    if (!this.#isEnded) this.#files.trim(this.#view.offset);
    this.end();
    if (held3.get(taskId) === this) held3.delete(taskId);
    leaseFiles.remove(this.#folder.leasePaths);
    notifications.notify(taskId, "runnable");
  }
  /** Writes nothing any more. */
  end() {
    if (this.#isEnded) return;
    this.#isEnded = true;
    void this.#files.close();
  }
  /** A sync failed: the bytes may not be on the disk, though the system will not say so a second time. */
  #fail() {
    this.#parts.doubtful.add(this.folder, this.#view);
    this.end();
  }
  /** Resolves when the finished index has what was acknowledged, and nothing is being synced. */
  async idle() {
    await this.#closing;
    await this.#files.idle();
  }
  /** Ends with the task, which was deleted. */
  async drop() {
    this.end();
    this.#parts.held.delete(this.lease.taskId);
    await this.#files.idle();
  }
};

// ../packages/store-fs/src/task/lease-book.ts
var LeaseBook = class {
  #parts;
  constructor(parts) {
    this.#parts = parts;
  }
  /** Takes a task's lease. @returns `undefined` when another worker holds it, or was faster. */
  async acquire(request) {
    const { context, cache, reader, workers, held: held3 } = this.#parts;
    const { taskId } = request;
    workers.noteTime(request.now);
    const reading = await reader.require(taskId);
    const isSpent = held3.get(taskId)?.isEnded === true;
    if (reader.isLeased(reading.folder, reading) && !isSpent) return void 0;
    const by = { worker: request.worker, holder: workers.beat(request.worker) };
    const take = { taskId, ttlMs: request.ttlMs, by, after: reading.folder.newest };
    let taken;
    try {
      taken = takeOver(context, cache, take);
    } catch (error) {
      taken = await reader.tryAgain(taskId, error, async () => takeOver(context, cache, take));
    }
    return taken && this.#begin(request, taken);
  }
  async #begin({ taskId, worker }, taken) {
    const { held: held3 } = this.#parts;
    const writer = new TaskWriter(this.#parts, { taskId, worker, epoch: taken.epoch }, taken);
    const before = held3.get(taskId);
    held3.set(taskId, writer);
    before?.end();
    try {
      return { lease: writer.lease, snapshot: await writer.begin(taken) };
    } catch (error) {
      writer.giveUp();
      if (hasCode(error, "ENOENT")) return void 0;
      throw error;
    }
  }
  /** The writer by whose lease this store may write. @throws `LEASE_LOST` when it may not. */
  writerOf(lease) {
    const writer = this.#parts.held.get(lease.taskId);
    const isSame = writer?.lease.epoch === lease.epoch && writer.lease.worker === lease.worker;
    if (!isSame || writer.isEnded) throw leaseLost(lease);
    return writer;
  }
  /** Gives a lease back; nothing happens when another one took its place. */
  async release(lease) {
    const writer = this.#parts.held.get(lease.taskId);
    if (writer?.lease.epoch === lease.epoch) await writer.release();
  }
  /** Gives all leases back. */
  async close() {
    await Promise.all([...this.#parts.held.values()].map((writer) => writer.release()));
  }
};

// ../packages/store-fs/src/task/notifications.ts
import { join as join29 } from "path";
var maxNotificationBytes = 64 * 1024;
var anyTask = "";
var Notifications = class {
  /** By task. */
  #watched = /* @__PURE__ */ new Map();
  #context;
  #held;
  constructor(context, held3) {
    this.#context = context;
    this.#held = held3;
  }
  /** `runnable`: also workers that look for work may want to know. */
  notify(taskId, about) {
    wakeAll(this.#watched.get(taskId));
    if (about === "task") return;
    wakeAll(this.#watched.get(anyTask));
    this.#touch();
  }
  #touch() {
    const { disk, layout } = this.#context;
    if (!disk.exists(layout.notifications)) return;
    try {
      withFile(disk, layout.notifications, "a", (file) => {
        disk.write(file, Buffer.from("\n"), null);
        if ((disk.stat(layout.notifications)?.size ?? 0) > maxNotificationBytes) disk.truncate(file, 0);
      });
    } catch {
    }
  }
  watch(taskId = anyTask, wake) {
    const watched = this.#watched.get(taskId) ?? this.#begin(taskId);
    const own = () => wake();
    watched.wakes.add(own);
    return () => {
      watched.wakes.delete(own);
      if (watched.wakes.size > 0) return;
      watched.stop();
      if (this.#watched.get(taskId) === watched) this.#watched.delete(taskId);
    };
  }
  #begin(taskId) {
    const { disk, layout, limits: limits2 } = this.#context;
    const path = taskId === anyTask ? layout.notifications : taskFolder(layout, taskId);
    const watched = {
      wakes: /* @__PURE__ */ new Set(),
      stop: watchPath({
        disk,
        path,
        pollMs: limits2.watchPollMs,
        fingerprint: () => taskId === anyTask ? JSON.stringify(disk.stat(path)) : this.#fingerprint(path),
        changed: (name) => {
          if (taskId === anyTask || this.#concerns(taskId, name)) wakeAll(watched);
        }
      })
    };
    this.#watched.set(taskId, watched);
    return watched;
  }
  /** Of what this store writes itself it has notified already. */
  #concerns(taskId, name) {
    if (name === void 0 || /^(?:signal|answer|lease)\./.test(name)) return true;
    return name.startsWith("journal.") && this.#held.get(taskId)?.isWriting(name) !== true;
  }
  #fingerprint(folder) {
    const state = lookAt(this.#context.disk, folder);
    if (state === void 0) return "none";
    const journal = this.#context.disk.stat(join29(folder, journalName(state.newest)));
    return JSON.stringify([{ ...state, quiet: void 0 }, journal]);
  }
  close() {
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
  }
};
function wakeAll(watched) {
  for (const wake of watched?.wakes ?? []) queueMicrotask(wake);
}
function watchPath(options) {
  const { disk, path, pollMs, fingerprint, changed } = options;
  let stop = () => {
  };
  const poll = () => {
    let last = look(fingerprint);
    const timer = setInterval(() => {
      const next = look(fingerprint);
      if (next === last) return;
      last = next;
      changed(void 0);
    }, pollMs);
    timer.unref();
    stop = () => clearInterval(timer);
  };
  try {
    const watch2 = disk.watch(path, changed, poll);
    stop = () => watch2.close();
  } catch {
    poll();
  }
  return () => stop();
}
function look(fingerprint) {
  try {
    return fingerprint();
  } catch {
    return "unreadable";
  }
}

// ../packages/store-fs/src/task/task-documents.ts
import { join as join30 } from "path";
import { z as z8 } from "zod";
var schema = z8.object({
  note: z8.string(),
  /** Which task of this id it is about, and by which epoch it was written. */
  incarnation: z8.optional(z8.string()),
  epoch: z8.optional(z8.number()),
  record: recordSchema
});
var note = "A copy for reading. The truth is in the journal; changing this file changes nothing.";
function documentOf({ durable, view: { header } }) {
  return { note, incarnation: header.incarnation, epoch: header.epoch, record: durable };
}
var TaskDocuments = class {
  #context;
  #waiting = /* @__PURE__ */ new Map();
  #running = /* @__PURE__ */ new Map();
  /** Tasks whose next document is not due yet. */
  #timers = /* @__PURE__ */ new Map();
  #due = /* @__PURE__ */ new Set();
  /** When the last document of a task was due, by the caller's monotonic clock. */
  #dueMs = /* @__PURE__ */ new WeakMap();
  #pumping;
  constructor(context) {
    this.#context = context;
  }
  /** Notes a commit, at the caller's monotonic time. */
  note(held3, { statusChanged, nowMs }) {
    const { taskId } = held3.lease;
    if (statusChanged) {
      clearTimeout(this.#timers.get(taskId)?.timer);
      this.#timers.delete(taskId);
      this.#dueMs.set(held3, nowMs);
      void this.#schedule({ held: held3, isLasting: true });
      return;
    }
    if (this.#timers.has(taskId)) return;
    const lastMs2 = this.#dueMs.get(held3) ?? Number.NEGATIVE_INFINITY;
    const leftMs = lastMs2 + this.#context.limits.documentPauseMs - nowMs;
    if (leftMs <= 0) this.#makeDue(held3, nowMs);
    else this.#startTimer(held3, { leftMs, dueMs: nowMs + leftMs });
  }
  #startTimer(held3, { leftMs, dueMs: dueMs2 }) {
    const { taskId } = held3.lease;
    const timer = setTimeout(() => {
      this.#timers.delete(taskId);
      this.#makeDue(held3, dueMs2);
    }, leftMs).unref();
    this.#timers.set(taskId, { held: held3, timer });
  }
  #makeDue(held3, dueMs2) {
    this.#dueMs.set(held3, dueMs2);
    this.#due.add(held3);
    this.#pumping ??= this.#pump();
  }
  async #pump() {
    for (const held3 of this.#due) {
      this.#due.delete(held3);
      await this.#schedule({ held: held3, isLasting: false });
      if (this.#due.size > 0) await pause(this.#context.limits.documentSpacingMs);
    }
    this.#pumping = void 0;
  }
  #schedule({ held: held3, isLasting }) {
    const { taskId } = held3.lease;
    this.#waiting.set(taskId, { held: held3, isLasting: isLasting || this.#waiting.get(taskId)?.isLasting === true });
    const running = this.#running.get(taskId) ?? this.#drain(taskId);
    this.#running.set(taskId, running);
    return running;
  }
  async #drain(taskId) {
    for (let next = this.#waiting.get(taskId); next !== void 0; next = this.#waiting.get(taskId)) {
      this.#waiting.delete(taskId);
      try {
        await this.#write(next);
      } catch {
      }
    }
    this.#running.delete(taskId);
  }
  async #write({ held: held3, isLasting }) {
    const { disk, layout, unique, durable, observe } = this.#context;
    const { taskId } = held3.lease;
    const options = {
      path: join30(taskFolder(layout, taskId), "task.json"),
      schema,
      disk,
      createName: unique,
      sync: durable && isLasting ? "content" : "none",
      onDamage: ({ path, problem }) => quarantineFile(this.#context, path, `${taskId}.task.json`, problem),
      // An older document must not replace the one of a newer epoch.
      mayReplace: () => {
        observe("store.record.written", taskId);
        return held3.isNewest();
      }
    };
    const document = await openDocument(options, documentOf(held3));
    const now = documentOf(held3);
    if (document.data.incarnation === now.incarnation && document.data.record.lastSeq > now.record.lastSeq) return;
    document.data = now;
    await document.write();
    observe("store.record.renamed", taskId);
  }
  /** Resolves when everything noted so far is written. */
  async idle() {
    for (const { held: held3, timer } of this.#timers.values()) {
      clearTimeout(timer);
      this.#due.add(held3);
    }
    this.#timers.clear();
    for (const held3 of this.#due) void this.#schedule({ held: held3, isLasting: false });
    this.#due.clear();
    await this.#pumping;
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
};
function pause(ms) {
  return new Promise((resolve2) => setTimeout(resolve2, ms));
}

// ../packages/store-fs/src/task/task-reader.ts
import { join as join31 } from "path";
import { setTimeout as delay } from "timers/promises";
var TaskReader = class {
  #context;
  #parts;
  constructor(context, parts) {
    this.#context = context;
    this.#parts = parts;
  }
  /** Reads a task that has to exist. */
  async require(taskId) {
    const reading = await this.read(taskId);
    if (reading === void 0) throw taskNotFound(taskId);
    return reading;
  }
  /** Reads a task as others may see it from now on, or resolves to `undefined` when there is none. */
  read(taskId) {
    return this.#readWith(this.#parts.cache, taskId);
  }
  /** Reads one task after the other, as `read` does, for a caller that goes through many and will do so again. */
  scan() {
    const cache = this.#parts.cache.forScan();
    return (taskId) => this.#readWith(cache, taskId);
  }
  async #readWith(cache, taskId) {
    if (!isSafeId(taskId)) return void 0;
    return this.guard(
      taskId,
      async () => this.#parts.held.get(taskId)?.read() ?? await this.#readStable(cache, taskId)
    );
  }
  /** Runs something that reads a task's files, and sets the task aside when they turn out to be damaged. */
  async guard(taskId, run) {
    try {
      return await run();
    } catch (error) {
      return await this.tryAgain(taskId, error, run);
    }
  }
  /**
   * Runs something once more that failed, as {@link guard} does. Damage has to be seen twice: a file may have been removed or
   * moved while it was read.
   */
  async tryAgain(taskId, first, run) {
    if (!(first instanceof DamagedFile)) throw first;
    this.#parts.cache.delete(taskId);
    try {
      const result = await run();
      if (!this.#isShorter(taskId, first)) return result;
      throw first;
    } catch (error) {
      const damage = error instanceof DamagedFile ? error : first;
      if (!(error instanceof DamagedFile) && !hasCode(error, "ENOENT")) throw error;
      throw taskCorrupt(taskId, quarantineTask(this.#context, taskId, damage), damage);
    }
  }
  /** What this process has read of a file is more than what is there: looking twice does not bring it back. */
  #isShorter(taskId, damage) {
    if (!(damage instanceof ShrunkFile)) return false;
    const view = newestView(this.#context, taskId);
    return view?.path === damage.path && view.header.incarnation === damage.incarnation && view.offset < damage.known;
  }
  async #readStable(cache, taskId) {
    const { takeOverPollMs, maxTakeOverPolls } = this.#context.limits;
    for (let polls = 0; ; polls += 1) {
      const reading = readNow(this.#context, cache, taskId);
      if (reading === void 0) return this.#missing(taskId);
      const signals = pendingSignals(this.#context, taskId, reading.folder, reading.view);
      const asks = openQuestions(reading.view.record).length > 0;
      if (asks && polls < maxTakeOverPolls && extendView(this.#context, reading.view)) continue;
      const isDurable = await this.#makeDurable(reading.view);
      if (!isDurable) continue;
      const isFinalReading = reading.isStable || this.#context.readOnly;
      if (!isFinalReading && polls < maxTakeOverPolls && this.#isBeingTaken(reading)) {
        await delay(takeOverPollMs);
        continue;
      }
      await this.#expectEnd(cache, reading);
      if (isFinalReading) return { ...reading, record: isDurable.record, signals };
      await this.sealEpoch(taskId);
    }
  }
  /** A journal that ends before the task is known to have finished is damaged, however sound what is left of it. */
  async #expectEnd(cache, reading) {
    const { header, record } = reading.view;
    const end2 = await this.#parts.ends.of(reading);
    if (end2 <= record.lastSeq) return;
    const again = newestView(this.#context, header.taskId, { cache });
    if (again?.header.incarnation === header.incarnation && again.record.lastSeq < end2) throw lostEnd(again, end2);
  }
  #missing(taskId) {
    const path = quarantinedAt(this.#context, taskId);
    if (path !== void 0) throw taskCorrupt(taskId, path);
    return void 0;
  }
  /**
   * What was read may not be on the disk yet: others must not act on what a loss of power could take back.
   *
   * @returns the record up to which that is so, or `undefined` when the files were removed meanwhile.
   */
  async #makeDurable(view) {
    const { record } = view;
    if (!view.unsynced || !this.#context.durable || this.#context.readOnly) return { record };
    try {
      await this.#syncRead(view);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return void 0;
      throw error;
    }
    if (view.record === record) view.unsynced = false;
    return { record };
  }
  /** A journal that is read for the first time may seal files whose taker died before it synced them. */
  async #syncRead(view) {
    const { disk, layout } = this.#context;
    const folder = taskFolder(layout, view.header.taskId);
    const sealed = view.sealSynced ? [] : view.header.chain.map(({ epoch }) => join31(folder, journalName(epoch)));
    await allDone([...sealed, view.path].map((path) => syncPath(disk, path)));
    if (!view.sealSynced) await disk.syncFolder(folder);
    view.sealSynced = true;
  }
  /** A live worker has announced an epoch: a taker, or the holder of the lease, whose journal continues in a new file. */
  #isBeingTaken({ view, folder }) {
    return folder.leases.map(parseLease).filter(({ epoch, holder }) => epoch >= view.header.lease && !this.#parts.workers.isOwn(holder)).some(({ holder }) => this.#parts.workers.isAlive(holder, view.header.ttlMs));
  }
  /**
   * An epoch was announced and its taker died: only a seal can say what counts, so one without a lease does.
   *
   * @param compacted files that count no more from then on.
   */
  async sealEpoch(taskId, compacted) {
    const taken = takeOver(this.#context, this.#parts.cache, { taskId, ttlMs: 0, compacted });
    if (taken === void 0) return;
    try {
      await syncTakenOver(this.#context, taken);
      removeSuperfluous(this.#context, taken.view);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    } finally {
      this.#context.disk.close(taken.file);
    }
  }
  /**
   * Waits for something that a live worker may be about to write. When it is not written, it never will be from then
   * on: a new epoch sees to that.
   */
  async fence(taskId, isWritten) {
    const { takeOverPollMs, maxTakeOverPolls } = this.#context.limits;
    for (let polls = 0; polls < maxTakeOverPolls; polls += 1) {
      const reading = await this.read(taskId);
      if (reading === void 0 || isWritten(reading)) return reading;
      if (!this.isLeased(reading.folder, reading)) break;
      await delay(takeOverPollMs);
    }
    await this.sealEpoch(taskId);
    return await this.read(taskId);
  }
  /** A task as its callers see it, or `undefined` when there is none. */
  async snapshot(taskId) {
    const reading = await this.read(taskId);
    return reading && this.snapshotOf(reading);
  }
  /** Makes a snapshot out of a reading. */
  snapshotOf(reading) {
    const { record, folder, signals } = reading;
    return { record: freezeRecord(record), signals: deepFreeze(signals), leased: this.isLeased(folder, reading) };
  }
  /** This store writes the task itself. */
  isOwn(taskId) {
    return this.#parts.held.get(taskId)?.isEnded === false;
  }
  /** No process has taken the task since it was read. */
  isStill(reading) {
    const folder = lookAt(this.#context.disk, taskFolder(this.#context.layout, reading.record.id));
    return folder !== void 0 && folder.newest === reading.view.header.epoch && !this.isLeased(folder, reading);
  }
  /** Tells whether a live worker holds the lease. */
  isLeased(folder, { view }) {
    const { holder, lease, ttlMs } = view.header;
    if (holder === null || !folder.leases.includes(leaseName(lease, holder))) return false;
    if (this.#parts.workers.isOwn(holder) && this.#parts.held.get(view.header.taskId)?.lease.epoch !== lease)
      return false;
    return this.#parts.workers.isAlive(holder, ttlMs);
  }
};

// ../packages/store-fs/src/task/worker-registry.ts
import { join as join32 } from "path";
import { z as z9 } from "zod";
var identitySchema = z9.object({
  host: z9.string(),
  bootId: z9.string(),
  processNamespace: z9.string(),
  pid: z9.number(),
  startTime: z9.string()
});
var beatWidth = 16;
var storeWorker = "store";
var WorkerRegistry = class {
  /** Workers of this store, by file name: where the number stands in their file, and what it is. */
  #own = /* @__PURE__ */ new Map();
  #seen = /* @__PURE__ */ new Map();
  /** Workers whose number moved since the last operation that knew the time: the next one tells when. */
  #undated = /* @__PURE__ */ new Set();
  #latestMs;
  #hasTime = false;
  #context;
  #host;
  constructor(context, host) {
    this.#context = context;
    this.#host = host;
  }
  /** Notes the time; the newest one noted counts where an operation does not get the time. */
  noteTime(now) {
    if (this.#latestMs === void 0 || now.monotonicMs > this.#latestMs) this.#latestMs = now.monotonicMs;
    this.#hasTime = true;
    for (const name of this.#undated) {
      const entry = this.#seen.get(name);
      if (entry !== void 0) entry.movedMs = this.#latestMs;
    }
    this.#undated.clear();
  }
  /** Notes that an operation begins which does not get the time: the newest one noted may be long ago. */
  noteNoTime() {
    this.#hasTime = false;
  }
  /** Says that a worker of this store is alive. @returns the name of its file. */
  beat(worker) {
    const name = holderName(worker, this.#context.instance);
    const known2 = this.#own.get(name);
    const beat = (known2?.beat ?? 0) + 1;
    if (known2 === void 0 || !this.#writeBeat(name, known2.position, beat)) this.#register(name, beat);
    else known2.beat = beat;
    this.#saw(name, beat);
    return name;
  }
  #saw(name, beat) {
    this.#seen.set(name, { beat, movedMs: this.#latestMs ?? 0 });
    if (!this.#hasTime) this.#undated.add(name);
  }
  #writeBeat(name, position, beat) {
    const { disk } = this.#context;
    const path = this.#pathOf(name);
    if (disk.stat(path) === void 0) return false;
    withFile(disk, path, "r+", (file) => disk.write(file, beatBytes(beat), position));
    return true;
  }
  #register(name, beat) {
    const { disk, layout, unique } = this.#context;
    const identity = Buffer.from(`${JSON.stringify(this.#host.identity)}
`);
    const draft = join32(layout.workers, `.draft.${unique()}`);
    createFile(disk, draft, Buffer.concat([identity, beatBytes(beat)]));
    disk.rename(draft, this.#pathOf(name));
    this.#own.set(name, { position: identity.byteLength, beat });
  }
  /** The worker lives in this very store, not in another of this or any process. */
  isOwn(name) {
    return this.#own.has(name);
  }
  /** Tells whether a worker is alive, by the newest time that was noted. */
  isAlive(name, ttlMs) {
    const beat = this.#own.get(name)?.beat ?? this.#beatOfLiving(name);
    if (beat === void 0) {
      this.#seen.delete(name);
      return false;
    }
    const before = this.#seen.get(name);
    if (before?.beat === beat) return this.#undated.has(name) || (this.#latestMs ?? 0) - before.movedMs < ttlMs;
    this.#saw(name, beat);
    return true;
  }
  /** The number of another store's worker, if its process is not known to be gone. */
  #beatOfLiving(name) {
    const entry = this.#read(name);
    return entry === void 0 || this.#host.processState(entry.identity) === "dead" ? void 0 : entry.beat;
  }
  /** Says that a worker is alive, and this store with it. */
  heartbeat(worker) {
    this.beat(worker);
    this.beat(storeWorker);
  }
  /** Notes that this store is in use, before it makes anything that others might take for left behind. */
  open() {
    this.beat(storeWorker);
  }
  /** Tells whether an opened store may still be in use. */
  isInstanceAlive(instance) {
    return !this.#isDead(holderName(storeWorker, instance));
  }
  /** Removes the files of workers whose process has ended, or whose last heartbeat is long ago. */
  forgetDead() {
    const { disk, layout } = this.#context;
    const nowMs = disk.stat(this.#pathOf(holderName(storeWorker, this.#context.instance)))?.modifiedMs ?? 0;
    for (const name of listIfExists(disk, layout.workers) ?? []) {
      if (this.#own.has(name)) continue;
      const silentMs = nowMs - (disk.stat(this.#pathOf(name))?.modifiedMs ?? nowMs);
      const isDeparted = !name.startsWith(".") && this.#isDead(name);
      if (silentMs > this.#context.limits.forgetWorkerMs || isDeparted) unlinkIfExists(disk, this.#pathOf(name));
    }
  }
  #isDead(name) {
    return this.#beatOfLiving(name) === void 0;
  }
  #read(name) {
    const text2 = readFrom(this.#context.disk, this.#pathOf(name))?.toString("utf8") ?? "";
    const [line = "", beat = ""] = text2.split("\n");
    const parsed2 = parseDocument(identitySchema, line);
    return "document" in parsed2 && /^\d+$/.test(beat) ? { identity: parsed2.document, beat: Number(beat) } : void 0;
  }
  #pathOf(name) {
    return join32(this.#context.layout.workers, name);
  }
  /** Removes the files of this store's workers. */
  close() {
    for (const name of this.#own.keys()) unlinkIfExists(this.#context.disk, this.#pathOf(name));
    this.#own.clear();
  }
};
function beatBytes(beat) {
  return Buffer.from(`${String(beat).padStart(beatWidth, "0")}
`);
}

// ../packages/store-fs/src/open-store.ts
function openStore(context, host) {
  const { maxCachedTasks, maxCachedBytes } = context.limits;
  const cache = new BoundedCache({ maxEntries: maxCachedTasks, maxBytes: maxCachedBytes });
  const held3 = /* @__PURE__ */ new Map();
  const workers = new WorkerRegistry(context, host);
  const notifications = new Notifications(context, held3);
  const finished = new FinishedIndex(context, workers);
  const reader = new TaskReader(context, { cache, held: held3, workers, ends: new FinalEventLookup(context, finished) });
  const keys = new TaskKeys(context, reader);
  const usage2 = new StoreUsage(context);
  const documents = new TaskDocuments(context);
  const compaction = new Compaction(context);
  const [leaseFiles, doubtful] = [new LeaseFiles(context), new DoubtfulFiles()];
  const index = { context, usage: usage2, keys, finished, notifications };
  const writing = { ...index, cache, held: held3, leaseFiles, doubtful, documents, compaction };
  const book = new LeaseBook({ ...writing, reader, workers });
  return {
    context,
    folder: new FolderSync(context),
    guard: new FolderGuard(context, keys),
    workers,
    reader,
    keys,
    book,
    leaseFiles,
    finished,
    documents,
    compaction,
    notifications,
    journal: new JournalReader(context, reader),
    creator: new TaskCreator({ ...index, reader }),
    remover: new TaskRemover({ ...index, book, workers }),
    lists: new TaskLists({ context, reader, finished }),
    documentFiles: new DocumentFiles(context)
  };
}
async function closeStore(store) {
  store.notifications.close();
  await store.book.close();
  await store.compaction.idle();
  await store.finished.idle();
  await store.documents.idle();
  store.workers.close();
}

// ../packages/store-fs/src/create-fs-store.ts
function createFsStore(options) {
  const lazy = new LazyStore(options);
  const write = lazy.methods("write");
  const read = lazy.methods("read");
  return {
    contractVersion,
    capabilities: Object.freeze({ durability: options.durability ?? "machine", shared: true }),
    open: write(() => async () => {
    }),
    createTask: write(({ creator }) => creator.create.bind(creator)),
    getTask: read(({ reader }) => reader.snapshot.bind(reader)),
    listTasks: read(({ lists }) => lists.listTasks.bind(lists)),
    listExpired: read(({ lists }) => lists.listExpired.bind(lists)),
    countTasks: read(({ lists }) => lists.countTasks.bind(lists)),
    listRunnable: read(({ lists }) => lists.listRunnable.bind(lists)),
    acquireLease: write(({ book }) => book.acquire.bind(book)),
    heartbeat: write(({ guard, workers, leaseFiles }) => async ({ worker }) => {
      guard.checkAll();
      workers.heartbeat(worker);
      leaseFiles.tidy();
    }),
    releaseLease: write(({ book }) => book.release.bind(book)),
    // A commit notices by itself that the folder is not there, from the names that it has to look at.
    commit: lazy.methods("commit")(({ book }, { lease }) => {
      const writer = book.writerOf(lease);
      return writer.commit.bind(writer);
    }),
    readEvents: read(({ journal }) => journal.readEvents.bind(journal)),
    readItems: read(({ journal }) => journal.readItems.bind(journal)),
    signal: write((store) => signalTask.bind(void 0, store)),
    watch: (id, wake) => lazy.open().notifications.watch(id, wake),
    deleteTask: write(({ remover }) => remover.remove.bind(remover)),
    getDocument: read(({ documentFiles }) => documentFiles.get.bind(documentFiles)),
    putDocument: write(({ documentFiles }) => documentFiles.put.bind(documentFiles)),
    deleteDocument: write(({ documentFiles }) => documentFiles.delete.bind(documentFiles)),
    listIdleDocuments: read(({ documentFiles }) => documentFiles.listIdle.bind(documentFiles)),
    checkHealth: read(() => async () => {
    }),
    close: () => lazy.close()
  };
}
var LazyStore = class {
  #opened;
  #closing;
  #cleaning;
  #options;
  constructor(options) {
    this.#options = options;
  }
  open() {
    if (this.#closing !== void 0) throw storeClosed();
    if (this.#opened !== void 0) return this.#opened;
    const options = this.#options;
    const context = contextOf(options);
    try {
      openFolder(context, options.allowNetworkFileSystem ?? false);
      const store = openStore(context, options.host ?? createHost());
      store.guard.open();
      store.workers.open();
      this.#opened = store;
      this.#cleaning = cleanUp(store);
      return store;
    } catch (error) {
      throw storeFailure(error, "write", context.layout.directory);
    }
  }
  /**
   * Makes methods that open the store, take note of the time, and turn what the system refuses into its errors.
   *
   * A method is found, not wrapped: what it does is called by this one alone.
   */
  methods(kind) {
    return (find) => async (...parameters) => {
      const store = this.open();
      const { guard, workers, folder, context } = store;
      const [first] = parameters;
      if (isTimed(first)) workers.noteTime(first.now);
      else workers.noteNoTime();
      try {
        if (kind !== "commit") guard.check();
        if (kind !== "read" && !folder.isDone) await folder.finish();
        return await find(store, first)(...parameters);
      } catch (error) {
        throw storeFailure(reasonOf2(store, error), kind === "read" ? "read" : "write", context.layout.directory);
      }
    };
  }
  async close() {
    this.#closing ??= this.#cleaning?.then(() => this.#opened && closeStore(this.#opened)) ?? Promise.resolve();
    await this.#closing;
  }
};
function reasonOf2({ guard }, error) {
  try {
    guard.check();
    return error;
  } catch (reason) {
    return reason;
  }
}
async function cleanUp({ remover, workers }) {
  try {
    await remover.emptyTrash();
    workers.forgetDead();
  } catch {
  }
}
function isTimed(value) {
  return typeof value === "object" && value !== null && "now" in value;
}
function contextOf(options) {
  const { directory, durability = "machine", limits: limits2, observer, disk } = options;
  if (directory === "") {
    throw new ResumableError("INVALID_OPTION", "A file store needs a directory.", { details: { option: "directory" } });
  }
  return createContext({
    directory,
    durable: durability === "machine",
    limits: limits2,
    disk,
    warn: options.onWarning,
    observe: observer,
    unique: options.createName
  });
}

// src/history/check.ts
function check(evidence) {
  return [
    checkLiveness,
    checkDurable,
    checkNoRepeat,
    checkAtomic,
    checkOneWriter,
    checkOrder,
    checkForward,
    checkSameCall,
    checkAnswers,
    checkContained,
    checkFair,
    checkShown,
    checkDelivery,
    checkWaits
  ].flatMap((rule) => rule(evidence));
}
function of(events, kind) {
  return events.filter((event) => event.kind === kind);
}
function checkLiveness({ events, tasks }) {
  const [ended] = of(events, "ended");
  const left = tasks.filter(({ record }) => !["completed", "failed", "cancelled"].includes(record.status));
  const unread = of(events, "not_read").map(({ error }) => `The store could not be read: ${String(error)}`);
  const stuck = left.map(({ record }) => `${record.id} is ${record.status} at the end.`);
  if (ended?.["all"] !== true && stuck.length === 0) stuck.push("The tasks could not be listed.");
  return [...unread, ...stuck].map((text2) => ({ rule: "liveness", text: text2 }));
}
function checkDurable({ events, tasks }) {
  const byId = new Map(tasks.map((task) => [task.record.id, task]));
  const lost = of(events, "called").filter(({ task }) => !byId.has(String(task)));
  const forgotten = of(events, "committed").filter(({ task, at }) => {
    const final = byId.get(String(task));
    return final !== void 0 && final.items[Number(at)] !== at;
  });
  return [
    ...lost.map(({ task, atMs }) => ({
      rule: "G1",
      text: `${task}, which was acknowledged at ${atMs} ms, does not exist.`
    })),
    ...forgotten.map(({ task, at, atMs }) => ({
      rule: "G1",
      text: `The checkpoint ${at} of ${task}, acknowledged at ${atMs} ms, is not in its items.`
    })),
    ...lostResults(events, byId)
  ];
}
function lostResults(events, byId) {
  const results = of(events, "result").filter(({ task, status }) => {
    const final = byId.get(String(task));
    return final !== void 0 && status === "completed" && final.record.status !== status;
  });
  return results.map(({ task, status, atMs }) => ({
    rule: "G1",
    text: `A caller of ${task} was told ${status} at ${atMs} ms, and it is ${byId.get(String(task))?.record.status}.`
  }));
}
function checkNoRepeat({ events }) {
  const violations = [];
  const done = /* @__PURE__ */ new Map();
  for (const event of events) {
    const key = `${event.kind === "step_runs" || event.kind === "step_done" ? "step" : "checkpoint"} ${event["at"]} of ${event["task"]}`;
    const attempt = Number(event["attempt"]);
    if (event.kind === "committed" || event.kind === "step_done")
      done.set(key, Math.min(done.get(key) ?? attempt, attempt));
    if (event.kind !== "begins" && event.kind !== "step_runs") continue;
    const by = done.get(key);
    if (by !== void 0 && attempt >= by) {
      violations.push({
        rule: "G2",
        text: `The ${key} was committed in attempt ${by} and begun again in attempt ${attempt} at ${event.atMs} ms.`
      });
    }
  }
  return violations;
}
function checkAtomic({ events, tasks }) {
  const torn = of(events, "attempt").filter(({ at, items }) => at !== items);
  const mixed = of(events, "item_read").filter(({ place: place2, item }) => place2 !== item);
  const wrong = tasks.filter(({ items }) => items.some((item, place2) => item !== place2));
  return [
    ...torn.map(
      ({ task, at, items, attempt }) => `Attempt ${attempt} of ${task} found the state of ${at} and ${items} items.`
    ),
    ...mixed.map(({ task, place: place2, item }) => `Item ${place2} of ${task} was read as ${item}.`),
    ...wrong.map(({ record, items }) => `The items of ${record.id} are ${JSON.stringify(items)}.`)
  ].map((text2) => ({ rule: "G3", text: text2 }));
}
function checkOneWriter({ events, tasks }) {
  const writers = /* @__PURE__ */ new Map();
  for (const { record, followed } of tasks) {
    let attempt = 0;
    for (const each of followed) {
      if (each.kind !== "event") continue;
      if (each.event.type === "attempt_started") attempt = each.event.attempt;
      if (each.event.type !== "checkpoint") continue;
      if (attempt > 0) for (const item of each.event.items ?? []) writers.set(`${record.id}/${String(item)}`, attempt);
    }
  }
  return of(events, "committed").filter(({ task, at, attempt }) => {
    const writer = writers.get(`${task}/${at}`);
    return writer !== void 0 && writer !== attempt;
  }).map(({ task, at, attempt }) => ({
    rule: "G4",
    text: `Attempt ${attempt} of ${task} was told that it committed ${at}, which attempt ${writers.get(`${task}/${at}`)} did.`
  }));
}
function checkOrder({ events, tasks }) {
  const violations = [];
  const last = /* @__PURE__ */ new Map();
  for (const event of events) {
    const key = `${event["caller"]} of ${event["task"]}`;
    if (event.kind === "snapshot") last.set(key, Number(event["seq"]));
    if (event.kind !== "sees") continue;
    const before = last.get(key) ?? 0;
    if (event["seq"] !== before + 1)
      violations.push({ rule: "G5", text: `${key} saw event ${event["seq"]} after ${before}.` });
    last.set(key, Number(event["seq"]));
  }
  for (const { record, followed } of tasks) {
    let seq;
    for (const each of followed) {
      const now = each.kind === "event" ? each.event.seq : each.record.lastSeq;
      if (each.kind === "event" && now !== (seq ?? 0) + 1) {
        violations.push({ rule: "G5", text: `The journal of ${record.id} has ${now} after ${seq}.` });
      }
      seq = now;
    }
  }
  return violations;
}
function checkForward({ tasks }) {
  const violations = [];
  for (const { record, followed } of tasks) {
    let progress = 0;
    for (const each of followed) {
      if (each.kind !== "event") continue;
      if (each.event.type === "restarted") progress = 0;
      if (each.event.type !== "checkpoint" || each.event.progress === void 0) continue;
      if (each.event.progress < progress)
        violations.push({ rule: "G6", text: `${record.id} went back from ${progress} to ${each.event.progress}.` });
      progress = each.event.progress;
    }
  }
  return violations;
}
function checkSameCall({ events, tasks, plan }) {
  const violations = [];
  const named = /* @__PURE__ */ new Map();
  const callIds = new Map(planCalls(plan).map(({ name, callId }) => [name, callId]));
  for (const { caller, task } of of(events, "called")) {
    const callId = callIds.get(String(caller));
    if (callId === void 0) continue;
    const before = named.get(callId) ?? task;
    if (before !== task) violations.push({ rule: "G7", text: `The call ${callId} found ${before}, then ${task}.` });
    named.set(callId, before);
  }
  const twins = /* @__PURE__ */ new Map();
  for (const task of tasks) {
    const key = `${task.owner} ${JSON.stringify(task.record.input)}`;
    twins.set(key, [...twins.get(key) ?? [], task]);
  }
  const returned = new Map(of(events, "returns").map(({ task, atMs }) => [String(task), atMs]));
  const created = new Map(
    of(events, "called").toReversed().map(({ task, atMs }) => [String(task), atMs])
  );
  for (const same of twins.values()) {
    for (const [one, other] of pairs(same)) {
      const isCompleted = one.record.status === "completed";
      const end2 = returned.get(one.record.id);
      const begin3 = created.get(other.record.id);
      const [oneCall, otherCall] = [created.get(one.record.id), begin3];
      if (!isCompleted || end2 === void 0 || begin3 === void 0 || oneCall === void 0 || otherCall === void 0)
        continue;
      if (oneCall < otherCall && otherCall < end2 - 100) {
        violations.push({
          rule: "G7",
          text: `${other.record.id} was created while ${one.record.id} of the same call was unfinished.`
        });
      }
    }
  }
  return violations;
}
function planCalls(plan) {
  return plan.calls;
}
function* pairs(values) {
  for (const one of values) for (const other of values) if (one !== other) yield [one, other];
}
function checkAnswers({ events, tasks }) {
  const violations = [];
  const words = /* @__PURE__ */ new Map();
  for (const { record, followed } of tasks) {
    for (const each of followed) {
      if (each.kind !== "event" || each.event.type !== "answered") continue;
      const key = `${each.event.key} of ${record.id}`;
      if (words.has(key)) violations.push({ rule: "G9", text: `The question ${key} has two answers.` });
      const { answer } = each.event;
      words.set(key, answer.action === "accept" ? String(answer.content["word"]) : void 0);
    }
  }
  const accepted = /* @__PURE__ */ new Map();
  for (const { task, key: question, word } of of(events, "answer_accepted")) {
    const key = `${question} of ${task}`;
    if (accepted.has(key) && accepted.get(key) !== word)
      violations.push({ rule: "G9", text: `Two answers to ${key} were accepted.` });
    accepted.set(key, word);
    const final = tasks.find(({ record }) => record.id === task);
    if (final?.record.status === "completed" && !final.followed.some(({ kind }) => kind === "snapshot") && words.get(key) !== word) {
      violations.push({
        rule: "G9",
        text: `The answer ${word} to ${key} was accepted, and the journal has ${words.get(key)}.`
      });
    }
  }
  for (const { task, at, action, word } of of(events, "answered")) {
    const key = `ask-${at} of ${task}`;
    if (action === "accept" && words.has(key) && words.get(key) !== word) {
      violations.push({ rule: "G9", text: `The tool got ${word} for ${key}, and the journal has ${words.get(key)}.` });
    }
  }
  return violations;
}
function checkContained({ tasks }) {
  return tasks.flatMap(({ record }) => {
    if (record.status !== "failed" || record.error === void 0) return [];
    const text2 = JSON.stringify(record.input);
    const { code } = record.error;
    const isRight = code === "CRASH_LOOP" && text2.includes('"poison"') || code === "TOOL_FAILED" && text2.includes('"give_up"');
    return isRight ? [] : [{ rule: "G12", text: `${record.id} failed with ${record.error.code}: ${record.error.message}` }];
  });
}
var patienceMs = 5e3;
var faultMs = 13e3;
function checkFair({ plan, events }) {
  if ((plan.limits["maxRunning"] ?? 0) < 32) return [];
  const ends = new Map(of(events, "probe_ends").map(({ probe, atMs }) => [probe, atMs]));
  const lastMs2 = events.at(-1)?.atMs ?? 0;
  const broken = events.filter(({ kind }) => kind === "died" || kind === "fault" || kind === "probe_fails");
  return of(events, "probe_begins").flatMap(({ probe, atMs }) => {
    const endMs = ends.get(probe) ?? lastMs2;
    if (endMs - atMs <= patienceMs) return [];
    const isDisturbed = broken.some(
      (fault) => fault.atMs > atMs - faultMs && fault.atMs < Math.min(endMs, atMs + patienceMs)
    );
    if (isDisturbed) return [];
    return [
      {
        rule: "fairness",
        text: `Probe ${String(probe)}, made at ${atMs} ms, took ${Math.round(endMs - atMs)} ms while slots were free.`
      }
    ];
  });
}
function checkShown({ events }) {
  return of(events, "mcp_progress").filter(({ progress, before, snapshot }) => Number(progress) < Number(before) + (snapshot === true ? 0 : 1e-9)).map(({ caller, progress, before, atMs }) => ({
    rule: "G6",
    text: `${String(caller)} was shown ${String(progress)} after ${String(before)} at ${atMs} ms.`
  }));
}
function checkDelivery({ plan, events, tasks }) {
  const violations = [];
  for (const { name, owner, via, input: input2 } of planCalls(plan)) {
    const callers = planCalls(plan).filter((call) => call.owner === owner && sameInput(call.input, input2));
    if (via === "engine" || callers.length > 1) continue;
    const completed = tasks.filter(({ record, owner: tag }) => tag === `client:${owner}` && record.status === "completed" && sameInput(record.input, input2));
    const accepted = of(events, "accepted").filter(({ caller }) => caller === name).length;
    if (completed.length > accepted + 1) {
      violations.push({ rule: "G7", text: `The call of ${name} ran ${completed.length} times, and ${accepted} results were accepted.` });
    }
  }
  return violations;
}
function sameInput(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
var lateMs = 3e3;
function checkWaits({ plan, events, tasks }) {
  if ((plan.limits["maxRunning"] ?? 0) < 32) return [];
  const inputs = new Map(tasks.map(({ record }) => [record.id, record.input]));
  const disturbed = events.filter(({ kind, fault }) => kind === "died" || kind === "fault" && fault !== "clock");
  const begun = /* @__PURE__ */ new Map();
  return events.flatMap((event) => {
    const key = `${String(event["task"])}/${String(event["at"])}/${String(event["attempt"])}`;
    if (event.kind === "begins" && event["op"] === "sleep") begun.set(key, event.atMs);
    const sinceMs = begun.get(key);
    if (event.kind !== "slept" || sinceMs === void 0) return [];
    const tookMs = event.atMs - sinceMs;
    const ms = sleepOf(inputs.get(String(event["task"])), Number(event["at"]));
    const isDisturbed = disturbed.some(({ atMs }) => atMs > sinceMs - faultMs && atMs < event.atMs);
    if (ms === void 0 || isDisturbed || tookMs <= ms + lateMs) return [];
    return [{ rule: "G9", text: `A sleep of ${ms} ms of ${String(event["task"])} took ${Math.round(tookMs)} ms in a process that lived.` }];
  });
}
function sleepOf(input2, at) {
  const program = isJsonObject(input2) ? input2["program"] : void 0;
  const operation = Array.isArray(program) ? program[at] : void 0;
  return isJsonObject(operation) && typeof operation["ms"] === "number" ? operation["ms"] : void 0;
}

// src/history/history.ts
import { createHash as createHash2 } from "crypto";
var History = class {
  events = [];
  /** How often each named point of the code was reached. */
  reached = /* @__PURE__ */ new Map();
  /** The named points at which a process died. */
  crashedAt = /* @__PURE__ */ new Set();
  crashes = 0;
  #world;
  #hash = createHash2("sha256");
  constructor(world) {
    this.#world = world;
  }
  /** Notes an event. What code of a dead process says is not noted. */
  add(kind, facts) {
    const event = { atMs: Math.round(this.#world.nowMs * 1e3) / 1e3, kind, ...facts };
    if (kind === "died") this.crashes += 1;
    this.events.push(event);
    this.#hash.update(JSON.stringify(event));
  }
  reach(point) {
    this.reached.set(point, (this.reached.get(point) ?? 0) + 1);
  }
  crossed(point) {
    this.crashedAt.add(point);
  }
  /** The same for the same seed, on every machine. */
  digest() {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }
};

// src/machine/connection.ts
var ConnectionLost = class extends Error {
};
var Connection = class {
  #world;
  #random;
  #caller;
  worker;
  #isOpen = true;
  #lastArrivalMs = 0;
  #onBreak = [];
  #broken = new AbortController();
  constructor(world, caller, worker) {
    this.#world = world;
    this.#random = world.random.fork();
    this.#caller = caller;
    this.worker = worker;
    worker.onDeath(() => this.break("the worker died"));
  }
  get isOpen() {
    return this.#isOpen;
  }
  /** Aborts at the worker when the connection ends. */
  get signal() {
    return this.#broken.signal;
  }
  /** Ends the connection; what was sent before still arrives. */
  break(reason) {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#world.nextTurn(() => this.#broken.abort(), this.worker.actor);
    for (const run of this.#onBreak) this.#toCaller(() => run(new ConnectionLost(reason)));
  }
  /** Calls back at the caller when the connection ends. */
  onBreak(run) {
    if (this.#isOpen) this.#onBreak.push(run);
    else this.#toCaller(() => run(new ConnectionLost("the connection was closed")));
  }
  /**
   * Runs code at the worker and brings back what it gives. @throws {@link ConnectionLost} also after `timeoutMs`.
   */
  ask(code, timeoutMs = 3e4) {
    return new Promise((resolve2, reject) => {
      this.onBreak(reject);
      this.#world.after(timeoutMs, () => reject(new ConnectionLost("there was no answer in time")), this.#caller);
      this.#toWorker((engine) => {
        code(engine).then(
          (value) => this.#send(() => resolve2(value)),
          (error) => this.#send(() => reject(error))
        );
      });
    });
  }
  /** Runs code at the worker that sends messages as it goes. */
  stream(code, receive, failed2) {
    this.onBreak(failed2);
    this.#toWorker((engine) => {
      code(engine, (message) => this.#send(() => receive(message))).catch(
        (error) => this.#send(() => failed2(error))
      );
    });
  }
  #toWorker(code) {
    const { worker } = this;
    this.#world.after(this.#random.between(0.2, 5), () => this.#isOpen && code(worker.engine), worker.actor);
  }
  #send(run) {
    if (this.#isOpen && this.worker.isAlive) this.#toCaller(run);
  }
  #toCaller(run) {
    const atMs = Math.max(this.#lastArrivalMs, this.#world.nowMs + this.#random.between(0.2, 5)) + 1e-3;
    this.#lastArrivalMs = atMs;
    this.#world.after(atMs - this.#world.nowMs, run, this.#caller);
  }
};

// ../packages/store-fs/src/testing/crash-image.ts
import { basename as basename3, dirname as dirname8 } from "path";

// ../packages/store-fs/src/testing/memory-disk.ts
function emptyTree() {
  return { kind: "folder", names: /* @__PURE__ */ new Map() };
}
function partsOf(path) {
  return path.split("/").filter((part) => part !== "");
}
function nodeAt(root, path) {
  let node = root;
  for (const part of partsOf(path)) node = node?.kind === "folder" ? node.names.get(part) : void 0;
  return node;
}
function copyTree(root) {
  const files = /* @__PURE__ */ new Map();
  const copyFile = (file) => {
    const copy2 = files.get(file) ?? { kind: "file", bytes: Buffer.from(file.bytes) };
    files.set(file, copy2);
    return copy2;
  };
  const copyFolder = ({ names }) => {
    const copies = [...names].map(([name, node]) => {
      return [name, node.kind === "file" ? copyFile(node) : copyFolder(node)];
    });
    return { kind: "folder", names: new Map(copies) };
  };
  return copyFolder(root);
}
var MemoryDisk = class {
  #files = /* @__PURE__ */ new Map();
  #root;
  #identities = /* @__PURE__ */ new WeakMap();
  #nextIdentity = 1;
  #nextFile = 3;
  constructor(root = emptyTree()) {
    this.#root = root;
  }
  open(path, flags2) {
    const there = nodeAt(this.#root, path);
    if (there?.kind === "folder") throw systemError("EISDIR", "open", path);
    if (there !== void 0 && flags2 === "wx") throw systemError("EEXIST", "open", path);
    const node = there ?? this.#create(path, flags2);
    const file = this.#nextFile++;
    this.#files.set(file, node);
    return file;
  }
  #create(path, flags2) {
    if (flags2 === "r" || flags2 === "r+") throw systemError("ENOENT", "open", path);
    const { folder, name } = this.#placeOf(path, "open");
    const node = { kind: "file", bytes: Buffer.alloc(0) };
    folder.names.set(name, node);
    return node;
  }
  close(file) {
    if (!this.#files.delete(file)) throw systemError("EBADF", "close", String(file));
  }
  read(file, into, position) {
    const part = this.#fileOf(file).bytes.subarray(position, position + into.byteLength);
    into.set(part);
    return part.byteLength;
  }
  write(file, bytes, position) {
    const node = this.#fileOf(file);
    node.bytes = withWritten(node.bytes, bytes, position ?? node.bytes.byteLength);
    return bytes.byteLength;
  }
  truncate(file, length) {
    const node = this.#fileOf(file);
    node.bytes = resized(node.bytes, length);
  }
  stat(path) {
    const node = nodeAt(this.#root, path);
    if (node === void 0) return void 0;
    const size = node.kind === "file" ? node.bytes.byteLength : 0;
    return { size, modifiedMs: 0, isFolder: node.kind === "folder" };
  }
  identify(path) {
    const node = nodeAt(this.#root, path);
    if (node === void 0) return void 0;
    const known2 = this.#identities.get(node) ?? this.#nextIdentity++;
    this.#identities.set(node, known2);
    return { id: String(known2), state: void 0 };
  }
  exists(path) {
    return nodeAt(this.#root, path) !== void 0;
  }
  list(folder) {
    const node = nodeAt(this.#root, folder);
    if (node === void 0) throw systemError("ENOENT", "scandir", folder);
    if (node.kind === "file") throw systemError("ENOTDIR", "scandir", folder);
    return [...node.names.keys()].sort();
  }
  makeFolder(path) {
    let folder = this.#root;
    for (const part of partsOf(path)) {
      const next = folder.names.get(part) ?? emptyTree();
      if (next.kind === "file") throw systemError("ENOTDIR", "mkdir", path);
      folder.names.set(part, next);
      folder = next;
    }
  }
  link(from, to) {
    const node = this.#nodeOf(from, "link");
    const { folder, name } = this.#placeOf(to, "link");
    if (folder.names.has(name)) throw systemError("EEXIST", "link", to);
    folder.names.set(name, node);
  }
  rename(from, to) {
    const node = this.#nodeOf(from, "rename");
    const source = this.#placeOf(from, "rename");
    const { folder, name } = this.#placeOf(to, "rename");
    const there = folder.names.get(name);
    if (there?.kind === "folder" && there.names.size > 0) throw systemError("ENOTEMPTY", "rename", to);
    source.folder.names.delete(source.name);
    folder.names.set(name, node);
  }
  unlink(path) {
    if (this.#nodeOf(path, "unlink").kind === "folder") throw systemError("EISDIR", "unlink", path);
    this.#remove(path, "unlink");
  }
  removeFolder(path) {
    const node = this.#nodeOf(path, "rmdir");
    if (node.kind === "file") throw systemError("ENOTDIR", "rmdir", path);
    if (node.names.size > 0) throw systemError("ENOTEMPTY", "rmdir", path);
    this.#remove(path, "rmdir");
  }
  removeTree(path) {
    if (this.exists(path)) this.#remove(path, "rm");
  }
  async syncData(file) {
    this.#fileOf(file);
  }
  syncDataNow(file) {
    this.#fileOf(file);
  }
  async syncFolder(path) {
    this.list(path);
  }
  syncFolderNow(path) {
    this.list(path);
  }
  fileSystemType() {
    return void 0;
  }
  /** Sends no notice, and says so: watchers poll. */
  watch(_path, _changed, failed2) {
    queueMicrotask(failed2);
    return { close() {
    } };
  }
  #fileOf(file) {
    const node = this.#files.get(file);
    if (node === void 0) throw systemError("EBADF", "write", String(file));
    return node;
  }
  #nodeOf(path, call) {
    const node = nodeAt(this.#root, path);
    if (node === void 0) throw systemError("ENOENT", call, path);
    return node;
  }
  #placeOf(path, call) {
    const parts = partsOf(path);
    const name = parts.at(-1) ?? "";
    const folder = nodeAt(this.#root, parts.slice(0, -1).join("/"));
    if (folder === void 0) throw systemError("ENOENT", call, path);
    if (folder.kind === "file") throw systemError("ENOTDIR", call, path);
    return { folder, name };
  }
  #remove(path, call) {
    const { folder, name } = this.#placeOf(path, call);
    folder.names.delete(name);
  }
};
function withWritten(before, bytes, position) {
  const after = resized(before, Math.max(before.byteLength, position + bytes.byteLength));
  after.set(bytes, position);
  return after;
}
function resized(before, length) {
  const after = Buffer.alloc(length);
  after.set(before.subarray(0, length));
  return after;
}
function systemError(code, syscall, path) {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}

// ../packages/store-fs/src/testing/crash-image.ts
function crashImage(base, events, choices) {
  const replay = new Replay(base);
  for (const event of events) replay.add(event);
  return replay.image(choices);
}
var Replay = class {
  #root;
  #openings = /* @__PURE__ */ new Map();
  #changes = [];
  #syncs = /* @__PURE__ */ new Map();
  constructor(base) {
    this.#root = newFolder(namesOf(base, /* @__PURE__ */ new Map()));
  }
  add(event) {
    switch (event.kind) {
      case "opened":
        this.#open(event.opening, event.path);
        break;
      case "wrote":
        this.#write(event.opening, event.bytes, event.position);
        break;
      case "truncated":
        this.#truncate(event.opening, event.length);
        break;
      case "made_folder":
        this.#set([this.#slot(event.path, newFolder(/* @__PURE__ */ new Map()))]);
        break;
      case "unlinked":
      case "removed_folder":
        this.#set([this.#slot(event.path, void 0)]);
        break;
      case "linked":
        this.#set([this.#slot(event.to, this.#nodeAt(event.from))]);
        break;
      case "renamed":
        this.#set([this.#slot(event.to, this.#nodeAt(event.from)), this.#slot(event.from, void 0)]);
        break;
      case "sync_began":
        this.#syncs.set(event.sync, this.#changesOf(event.of));
        break;
      case "sync_ended":
        for (const change2 of this.#syncs.get(event.sync) ?? []) change2.isSynced = true;
    }
  }
  #open(opening, path) {
    const there = this.#nodeAt(path);
    const file = there ?? newFile(Buffer.alloc(0));
    if (file.kind === "folder") return;
    this.#openings.set(opening, file);
    if (there === void 0) this.#set([this.#slot(path, file)]);
  }
  #write(opening, bytes, position) {
    const file = this.#openings.get(opening);
    if (file === void 0) return;
    const at = position ?? file.length;
    file.length = Math.max(file.length, at + bytes.byteLength);
    file.changes.push({ isSynced: false, apply: (before, loss) => lossyWrite(before, bytes, at, loss) });
  }
  #truncate(opening, length) {
    const file = this.#openings.get(opening);
    if (file === void 0) return;
    file.length = length;
    file.changes.push({ isSynced: false, apply: (bytes, loss) => loss === "kept" ? resized(bytes, length) : bytes });
  }
  #set(slots) {
    for (const { folder, name, node } of slots) {
      if (node === void 0) folder.names.delete(name);
      else folder.names.set(name, node);
    }
    this.#changes.push({ isSynced: false, slots, durableBy: slots[0].folder });
  }
  #slot(path, node) {
    const folder = this.#nodeAt(dirname8(path));
    if (folder?.kind !== "folder") throw new Error(`${path} was changed in no folder`);
    return { folder, name: basename3(path), node };
  }
  #nodeAt(path) {
    return nodeAt(this.#root, path);
  }
  /** What a sync that begins now covers: it is durable when the sync ends. */
  #changesOf(of2) {
    if ("opening" in of2) return [...this.#openings.get(of2.opening)?.changes ?? []];
    const folder = this.#nodeAt(of2.folder);
    return this.#changes.filter((change2) => change2.durableBy === folder);
  }
  image(choices) {
    const root = treeOf(this.#root, this.#durableNames(choices), choices, /* @__PURE__ */ new Map());
    if (root.kind === "file") throw new Error("the root of a disk is a folder");
    return root;
  }
  #durableNames(choices) {
    const names = /* @__PURE__ */ new Map();
    for (const { slots, isSynced } of this.#changes) {
      if (!isSynced && !choices.keepsName()) continue;
      for (const { folder, name, node } of slots) {
        const now = names.get(folder) ?? new Map(folder.original);
        names.set(folder, now);
        if (node === void 0) now.delete(name);
        else now.set(name, node);
      }
    }
    return names;
  }
};
function treeOf(node, names, choices, made) {
  const known2 = made.get(node);
  if (known2 !== void 0) return known2;
  const tree = node.kind === "file" ? { kind: "file", bytes: bytesOf(node, choices) } : emptyTree();
  made.set(node, tree);
  if (node.kind === "file" || tree.kind === "file") return tree;
  for (const [name, child2] of names.get(node) ?? node.original) {
    tree.names.set(name, treeOf(child2, names, choices, made));
  }
  return tree;
}
function bytesOf({ original, changes }, choices) {
  return changes.reduce((bytes, { isSynced, apply: apply2 }) => apply2(bytes, isSynced ? "kept" : choices.dataLoss()), original);
}
function newFile(original) {
  return { kind: "file", original, changes: [], length: original.byteLength };
}
function newFolder(original) {
  return { kind: "folder", original, names: new Map(original) };
}
function stateOf(tree, made) {
  const known2 = made.get(tree);
  if (known2 !== void 0) return known2;
  const state = tree.kind === "file" ? newFile(tree.bytes) : newFolder(namesOf(tree, made));
  made.set(tree, state);
  return state;
}
function namesOf(tree, made) {
  return new Map([...tree.names].map(([name, child2]) => [name, stateOf(child2, made)]));
}
var sectorBytes = 512;
function lossyWrite(before, bytes, position, loss) {
  if (loss === "kept") return withWritten(before, bytes, position);
  if (loss === "dropped") return before;
  const end2 = Math.max(before.byteLength, position + bytes.byteLength);
  if (loss === "zeroed") return resized(before, end2);
  if ("cutAt" in loss)
    return withWritten(before, bytes.subarray(0, Math.floor(loss.cutAt * bytes.byteLength)), position);
  let after = resized(before, end2);
  for (let from = 0; from < bytes.byteLength; ) {
    const sector = Math.floor((position + from) / sectorBytes);
    const to = Math.min((sector + 1) * sectorBytes - position, bytes.byteLength);
    if (loss.tornBy(sector)) after = withWritten(after, bytes.subarray(from, to), position + from);
    from = to;
  }
  return after;
}

// ../packages/store-fs/src/testing/recording-disk.ts
import { dirname as dirname9, join as join33 } from "path";
function recordDisk(inner) {
  const events = [];
  const changes = new Map([
    ...Object.entries(recordedFiles(inner, events)),
    ...Object.entries(recordedNames(inner, events))
  ]);
  const disk = new Proxy(inner, {
    get(target, name) {
      const method = changes.get(name) ?? Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    }
  });
  return { disk, events };
}
function recordedFiles(inner, events) {
  const openings = /* @__PURE__ */ new Map();
  let opened = 0;
  const openingOf = (file) => openings.get(file) ?? 0;
  return {
    open(path, flags2) {
      const file = inner.open(path, flags2);
      opened += 1;
      openings.set(file, opened);
      events.push({ kind: "opened", opening: opened, path });
      return file;
    },
    close(file) {
      openings.delete(file);
      inner.close(file);
    },
    write(file, bytes, position) {
      const count = inner.write(file, bytes, position);
      events.push({ kind: "wrote", opening: openingOf(file), position, bytes: Buffer.from(bytes.subarray(0, count)) });
      return count;
    },
    truncate(file, length) {
      inner.truncate(file, length);
      events.push({ kind: "truncated", opening: openingOf(file), length });
    },
    syncData: (file) => noteSync(events, { opening: openingOf(file) }, () => inner.syncData(file)),
    syncDataNow: (file) => noteSync(events, { opening: openingOf(file) }, () => inner.syncDataNow(file))
  };
}
function recordedNames(inner, events) {
  const disk = {
    makeFolder(path) {
      if (inner.exists(path)) return inner.makeFolder(path);
      if (dirname9(path) !== path) disk.makeFolder(dirname9(path));
      inner.makeFolder(path);
      events.push({ kind: "made_folder", path });
    },
    link(from, to) {
      inner.link(from, to);
      events.push({ kind: "linked", from, to });
    },
    rename(from, to) {
      inner.rename(from, to);
      events.push({ kind: "renamed", from, to });
    },
    unlink(path) {
      inner.unlink(path);
      events.push({ kind: "unlinked", path });
    },
    removeFolder(path) {
      inner.removeFolder(path);
      events.push({ kind: "removed_folder", path });
    },
    removeTree(path) {
      const stat = inner.stat(path);
      if (stat === void 0) return;
      if (!stat.isFolder) return disk.unlink(path);
      for (const name of inner.list(path)) disk.removeTree(join33(path, name));
      disk.removeFolder(path);
    },
    syncFolder: (folder) => noteSync(events, { folder }, () => inner.syncFolder(folder)),
    syncFolderNow: (folder) => noteSync(events, { folder }, () => inner.syncFolderNow(folder))
  };
  return disk;
}
function noteSync(events, of2, run) {
  const sync = events.length;
  events.push({ kind: "sync_began", sync, of: of2 });
  const end2 = () => void events.push({ kind: "sync_ended", sync });
  const running = run();
  if (running instanceof Promise) running.then(end2, () => {
  });
  else end2();
  return running;
}

// src/machine/machine.ts
var Machine = class {
  name;
  faults = { fullUntilMs: 0, slowUntilMs: 0, errorPercent: 0 };
  /** What its wall clock is ahead of virtual time: all its processes read the same clock. */
  wallAheadMs = 0;
  #world;
  /** Changes with every start, as the kernel's boot id does. */
  bootId = "";
  #boots = 0;
  #base = emptyTree();
  #recording;
  constructor(name, world) {
    this.name = name;
    this.#world = world;
    this.#recording = this.#boot();
  }
  /** The disk as the machine's processes share it. */
  get disk() {
    return this.#recording.disk;
  }
  /** Loses power, and starts again with what is left. The processes have to be dead. */
  losePower(random) {
    this.#base = crashImage(this.#base, this.#recording.events, choicesOf2(random));
    this.#recording = this.#boot();
  }
  #boot() {
    this.#boots += 1;
    this.bootId = `${this.name}-boot-${this.#boots}`;
    return recordDisk(new TimedDisk(copyTree(this.#base), this.#world, this.faults));
  }
};
var TimedDisk = class extends MemoryDisk {
  #world;
  #faults;
  #random;
  constructor(tree, world, faults) {
    super(tree);
    this.#world = world;
    this.#faults = faults;
    this.#random = world.random.fork();
  }
  async syncData(file) {
    await super.syncData(file);
    await this.#wait();
  }
  async syncFolder(path) {
    await super.syncFolder(path);
    await this.#wait();
  }
  #wait() {
    const slowMs = this.#faults.slowUntilMs > this.#world.nowMs ? this.#random.between(50, 5e3) : 0;
    return new Promise((resolve2) => this.#world.after(this.#random.between(0.05, 4) + slowMs, resolve2));
  }
};
function choicesOf2(random) {
  const [namesKept, dataKept] = [random.pick([0, 50, 100]), random.pick([0, 50, 100])];
  return {
    keepsName: () => random.percent(namesKept),
    dataLoss: () => {
      if (random.percent(dataKept)) return "kept";
      const kind = random.below(4);
      if (kind === 0) return "dropped";
      if (kind === 1) return "zeroed";
      if (kind === 2) return { cutAt: random.next() };
      const torn = random.fork();
      return { tornBy: () => torn.percent(50) };
    }
  };
}

// ../packages/mcp/src/call/json-schema-validator.ts
function createJsonSchemaValidator() {
  const compiled = /* @__PURE__ */ new WeakMap();
  return async (schema2, value) => {
    const check2 = compiled.get(schema2) ?? await compile(schema2);
    compiled.set(schema2, check2);
    const { valid, errorMessage } = check2(value);
    return valid ? [] : [errorMessage ?? "does not fit its schema"];
  };
}
var defaultValidator = createJsonSchemaValidator();
function bringValidator(engine) {
  engine.useJsonSchemaValidator(defaultValidator);
}
async function compile(schema2) {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/server/validators/ajv");
  return new AjvJsonSchemaValidator().getValidator(schema2);
}

// ../packages/protocol/src/elicitation.ts
var answerActions = ["accept", "decline", "cancel"];
function parseElicitationResult(value) {
  if (!isJsonObject(value)) return void 0;
  const action = answerActions.find((known2) => known2 === value.action);
  const { content = {} } = value;
  if (action === void 0 || !isJsonObject(content)) return void 0;
  return action === "accept" ? { action, content } : { action };
}
function questionId(taskId, key) {
  return `ask:${taskId}:${key}`;
}
function parseQuestionId(wireId) {
  const [, taskId, key] = /^ask:([A-Za-z0-9_-]{1,64}):(.*)$/s.exec(wireId) ?? [];
  return taskId === void 0 || key === void 0 ? void 0 : { taskId, key };
}

// ../packages/protocol/src/input-schema.ts
function checkInput(schema2, value) {
  if (!isJsonObject(value)) return { problems: ["expected an object"] };
  const input2 = {};
  const problems = [];
  for (const [name, property] of Object.entries(schema2.properties)) {
    const { [name]: given = property.default } = value;
    if (given !== void 0) {
      input2[name] = given;
      problems.push(...problemsOf(property, given, name));
    } else if (schema2.required?.includes(name)) problems.push(`${name}: missing`);
  }
  return problems.length > 0 ? { problems } : { input: input2 };
}
function problemsOf(schema2, value, path) {
  if (!hasType(schema2, value)) return [`${path}: expected ${schema2.type}`];
  if (schema2.enum !== void 0 && !schema2.enum.some((word) => word === value))
    return [`${path}: expected one of ${schema2.enum.join(", ")}`];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema2;
  if (typeof value === "string" && (value.length < minLength || value.length > maxLength))
    return [`${path}: expected ${minLength} to ${maxLength} characters`];
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema2;
  if (typeof value === "number" && value < minimum) return [`${path}: expected at least ${minimum}`];
  if (typeof value === "number" && value > maximum) return [`${path}: expected at most ${maximum}`];
  const { items } = schema2;
  if (items === void 0 || !Array.isArray(value)) return [];
  return value.flatMap((item, index) => problemsOf(items, item, `${path}.${index}`));
}
function hasType({ type }, value) {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "string":
    case "number":
      return typeof value === type;
  }
}

// ../packages/protocol/src/control-tools.ts
var readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
var idempotent = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
var destructive = { ...idempotent, destructiveHint: true };
var task_id = {
  type: "string",
  minLength: 1,
  maxLength: 256,
  description: "The id of the task, from the result of the call that started it."
};
var oneTask = { type: "object", properties: { task_id }, required: ["task_id"] };
var noArguments = { type: "object", properties: {} };
var maxWaitSeconds = 45;
var controlToolFacts = {
  get_task: {
    title: "Get a task",
    description: 'Tells how far a long-running task is, and with include: ["result"] what it returned.',
    annotations: readOnly,
    input: {
      type: "object",
      properties: { task_id, include: { type: "array", items: { type: "string", enum: ["result"] } } },
      required: ["task_id"]
    }
  },
  wait_for_task: {
    title: "Wait for a task",
    description: "Waits until a long-running task is finished and gives its result. Answers after timeout_seconds at the latest; while the status is not completed, call it again.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        task_id,
        timeout_seconds: {
          type: "number",
          minimum: 0,
          maximum: maxWaitSeconds,
          default: maxWaitSeconds,
          description: "0 answers at once."
        }
      },
      required: ["task_id"]
    }
  },
  pause_task: {
    title: "Pause a task",
    description: "Stops a running task at its next checkpoint. Nothing is lost: resume_task continues it.",
    annotations: idempotent,
    input: oneTask
  },
  resume_task: {
    title: "Resume a task",
    description: "Continues a paused, interrupted or failed task from its last checkpoint.",
    annotations: idempotent,
    input: oneTask
  },
  cancel_task: {
    title: "Cancel a task",
    description: "Ends an unfinished task for good.",
    annotations: destructive,
    input: oneTask
  },
  answer_task: {
    title: "Answer a task's question",
    description: "Passes on the user's answer to a question that a task asks. Ask the user; never answer for them.",
    annotations: idempotent,
    input: {
      type: "object",
      properties: {
        task_id,
        key: { type: "string", minLength: 1, maxLength: 256 },
        action: { type: "string", enum: answerActions },
        content: { type: "object", description: "The answer, for action accept." }
      },
      required: ["task_id", "key", "action"]
    }
  },
  delete_task: {
    title: "Delete a task",
    description: "Deletes a finished task and what it produced.",
    annotations: destructive,
    input: oneTask
  },
  get_task_items: {
    title: "Get a task's items",
    description: "Reads what a task has produced so far, page by page.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        task_id,
        after: { type: "integer", minimum: 0, default: 0, description: "`next` of the page before." },
        limit: { type: "integer", minimum: 1, maximum: 1e3, default: 100 }
      },
      required: ["task_id"]
    }
  },
  list_session_tasks: {
    title: "List tasks",
    description: "Lists the caller's long-running tasks, newest first, finished and unfinished.",
    annotations: readOnly,
    input: {
      type: "object",
      properties: {
        status: { type: "array", items: { type: "string", enum: [...unfinishedStatuses, ...finalStatuses] } },
        task_name: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: 200, default: 50 },
        cursor: { type: "string" }
      }
    }
  },
  get_checkpoint_stats: {
    title: "Count tasks",
    description: "Counts the caller's tasks by status.",
    annotations: readOnly,
    input: noArguments
  },
  get_session_info: {
    title: "Describe the session",
    description: "Tells the ids of this session, this request and this client.",
    annotations: readOnly,
    input: noArguments
  }
};
function checkControlInput(name, value) {
  return checkInput(controlToolFacts[name].input, value);
}

// ../packages/protocol/src/json-fields.ts
function definedOnly(properties) {
  const result = {};
  for (const [key, value] of Object.entries(properties)) if (value !== void 0) result[key] = value;
  return result;
}

// ../packages/protocol/src/json-rpc.ts
var rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A transport refuses the request for a reason without a code of its own. */
  refused: -32e3,
  /** The session is unknown, or the request has no valid token. */
  notAccepted: -32001,
  /** The client lacks a capability that the request needs. Source: MCP 2026-07-28, "Errors". */
  missingCapability: -32021,
  /** Inside the client: the stream ended before the response came. */
  streamEnded: -32099
};
function rpcErrorResponse(id, code, message) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
var maxJsonDepth = 256;
var tooDeep = `nests deeper than maxJsonDepth = ${maxJsonDepth}`;
function mayBeTooDeep(text2) {
  return text2.length > 2 * maxJsonDepth;
}
function isTooDeep(value) {
  let level = [value];
  for (let depth = 0; depth <= maxJsonDepth; depth++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}
function childrenOf(value) {
  return isContainer(value) ? Object.values(value).filter(isContainer) : [];
}
function isContainer(value) {
  return typeof value === "object" && value !== null;
}

// ../packages/protocol/src/log-levels.ts
var logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency"
];
function isLogLevel(value) {
  return logLevels.some((level) => level === value);
}
function isAtLeast(level, least) {
  const names = logLevels;
  return names.indexOf(level) >= names.indexOf(least);
}

// ../packages/protocol/src/meta-keys.ts
var metaKeys = {
  /** On requests: who calls. On listed tools: `argument` when their argument `client_id` names the caller. */
  clientId: "resumable-mcp/client_id",
  handoff: "resumable-mcp/handoff",
  callerStays: "resumable-mcp/attended",
  newTask: "resumable-mcp/new_task",
  afterSeq: "resumable-mcp/after_seq",
  taskId: "resumable-mcp/task_id",
  seq: "resumable-mcp/seq",
  status: "resumable-mcp/status",
  reused: "resumable-mcp/reused",
  snapshot: "resumable-mcp/snapshot",
  /** On listed tools: `journal` when the same call joins its task, so that it may be delivered again. */
  durable: "resumable-mcp/durable",
  /** On elicitation requests: the key of the question, which keeps its identity across restarts. */
  question: "resumable-mcp/question",
  /** Between a transport or supervisor and its server: the stable name of this call. */
  callId: "resumable-mcp/call_id",
  /** Likewise: this call was delivered before. */
  redelivered: "resumable-mcp/redelivered",
  /** Likewise: the sender reports by `deliveryMethod` whether its client received the result. */
  tellsDelivery: "resumable-mcp/tells_delivery",
  /** Likewise: the id by which the client knows the request. */
  requestId: "resumable-mcp/request_id"
};
var internalMetaKeys = [
  metaKeys.callId,
  metaKeys.redelivered,
  metaKeys.requestId,
  metaKeys.tellsDelivery,
  metaKeys.taskId
];
var envelopeKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId"
};
var tasksExtension = "io.modelcontextprotocol/tasks";
function repeatableOf({ _meta, annotations }) {
  if (isJsonObject(_meta) && _meta[metaKeys.durable] === "journal") return "journal";
  if (!isJsonObject(annotations)) return "once";
  return annotations.readOnlyHint === true || annotations.idempotentHint === true ? "again" : "once";
}
function takesClientId({ _meta }) {
  return isJsonObject(_meta) && _meta[metaKeys.clientId] === "argument";
}

// ../packages/protocol/src/task-object.ts
function encodeTask({ record, status, interrupted, questions }, error) {
  const { progress, total } = record;
  return definedOnly({
    task_id: record.id,
    task_name: record.tool,
    status,
    interrupted,
    progress,
    total,
    progress_percent: total === void 0 ? void 0 : percentOf(progress, total),
    message: record.message,
    attempt: record.attempt,
    generation: record.generation,
    item_count: record.itemCount,
    last_seq: record.lastSeq,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    finished_at: record.finishedAt,
    questions: questions.length > 0 ? encodeQuestions(questions) : void 0,
    error: error === void 0 ? void 0 : definedOnly({ ...error })
  });
}
function encodeListedTask(view, error) {
  const { progress, total } = view.record;
  const shown = total === void 0 ? String(progress) : `${progress}/${total}`;
  return { ...encodeTask(view, error), progress: shown, progress_value: progress };
}
function encodeInterim({ record: { id, progress, total } }, status, nextTool, questions) {
  return definedOnly({
    status,
    task_id: id,
    progress,
    total,
    next_tool: nextTool,
    questions: questions && encodeQuestions(questions)
  });
}
function encodeQuestions(open2) {
  return open2.map(
    ({ key, question }) => definedOnly({
      key,
      message: question.message,
      schema: question.schema,
      expires_at: question.expiresAt,
      user_only: question.userOnly ?? false
    })
  );
}
function percentOf(progress, total) {
  return total <= 0 ? 0 : Math.min(100, Math.floor(progress * 1e3 / total) / 10);
}
function taskUri(taskId, part = "task") {
  return part === "task" ? `task://${taskId}` : `task://${taskId}/${part}`;
}
function parseTaskUri(uri) {
  const [, taskId, suffix] = /^task:\/\/([A-Za-z0-9_-]{16,64})(?:\/(journal|items))?$/.exec(uri) ?? [];
  if (taskId === void 0) return void 0;
  return { taskId, part: suffix === "journal" || suffix === "items" ? suffix : "task" };
}

// ../packages/mcp/src/limits.ts
var limits = {
  /** Longest `client_id`, in characters, however it is sent. */
  maxClientIdLength: 256,
  /** Shortest `client_id` that identifies the owner of a local request, in characters. */
  minLocalClientIdLength: 8,
  /** Events before the cursor that are read again, to know which progress the caller received last. */
  lookBackEvents: 256,
  /**
   * After which time a question is shown again whose answer may have been lost, or could not be stored, in milliseconds.
   * Sooner would bother users who are still thinking, or whose disk is still full.
   */
  askAgainMs: 3e4,
  /** Answered requests of one connection whose cancellation is still noticed; the oldest is forgotten first. */
  maxReceipts: 256,
  /** How long a call may last before a caller with a time limit is handed off, unless the tool says otherwise. */
  defaultHandoffAfterMs: 45e3,
  maxNamedTasks: 10,
  /** Events of a journal that one read gives, the newest. */
  maxJournalEvents: 1e3,
  maxReadItems: 1e3,
  maxListedResources: 100,
  /** How long another server has to take up a task whose tool this one does not have. */
  foreignToolSeconds: 2,
  /** How long a request waits for the server's list of tools; after that its argument `client_id` is not kept. */
  toolListTimeoutMs: 1e4,
  /** How often a client is asked to poll, in milliseconds. */
  pollIntervalMs: 1e3,
  /** How long a cancelled task may take to stop before its answer says so anyway: the request is durable. */
  cancelWaitMs: 2e3,
  /** Cancelled tasks that may still be about to stop, of which one store knows; the oldest is forgotten first. */
  maxStoppingTasks: 1024,
  expireBatch: 1e3,
  maxToolPages: 100,
  maxConflicts: 10,
  /** How long what was only noted waits for a change to go with, in milliseconds; then it is written by itself. */
  noteFlushMs: 5e3,
  maxOnceLength: 512,
  /** Sessions whose order of streams is kept in memory. */
  maxStreamLogs: 2e3,
  /** Runs of events whose order is kept for one session. */
  maxStreamMarks: 512,
  /** How long marks wait to be written together, in milliseconds: a crash costs their order, and so a few repeats. */
  saveMarksAfterMs: 500,
  /** Resources that one session may subscribe to. */
  maxSubscriptionsPerSession: 100,
  /** How long a state is accepted, in milliseconds: a person may take days to answer. */
  requestStateTtlMs: 7 * 24 * 60 * 60 * 1e3,
  /** Questions that a tool asks together reach the journal one after the other: look again after this time. */
  gatherQuestionsMs: 25,
  /** How long a call that comes back to a server that drains is held, so that its next round trip meets the new one. */
  drainHoldMs: 1e3,
  /** Bytes of a refused body that are still read, so that the connection can be used again; more of them end it. */
  maxDiscardBytes: 16 * 1024 * 1024
};
var sessionLimits = {
  /** Of one POST. */
  maxBodyBytes: 4 * 1024 * 1024,
  /**
   * Sessions that one authenticated subject may have; of callers without authentication, all together. Each process
   * counts those that it opened.
   */
  maxSessionsPerOwner: 1e4,
  /** Sessions kept in memory; beyond that the longest idle one goes to the store. */
  maxLiveSessions: 2e3,
  /** Streams of one session that are open at once. */
  maxStreams: 256,
  /** Calls of one session that are unfinished at once. */
  maxOpenCalls: 256,
  /** Finished calls that a session still knows, so that a late cursor is answered rightly. */
  maxFinishedCalls: 16,
  /** Of one stream, written and not yet read; then the writer waits. */
  maxStreamBytes: 256 * 1024,
  /** How long a stream may stay full before it is closed; its caller may come back. */
  maxStallMs: 6e4,
  /** Events of one stream that are kept to be sent again within this process. */
  maxReplayEvents: 256,
  maxReplayBytes: 1024 * 1024,
  keepAliveMs: 15e3,
  /**
   * When clients come back after a stream broke. Stock clients try twice, after this time and after twice this time: a
   * server that is away for longer than both loses the call.
   */
  retryMs: 7500,
  /** The same, as a server that stops tells it: what follows is a deploy, which takes longer than a crash. */
  drainRetryMs: 15e3,
  /** The same, where a handler ended the stream of its request early: the server is there. */
  pollRetryMs: 1e3,
  /**
   * After a restart: how long an answer to a question that was shown before is waited for, before it is shown again. And
   * after which time it is shown again when its answer could not be stored.
   */
  askAgainMs: limits.askAgainMs,
  /** A session without a request for this long is kept only in the store. */
  idleMs: 5 * 6e4,
  /** A session without a request for this long is forgotten. */
  sessionTtlMs: 7 * 24 * 60 * 6e4,
  sweepEveryMs: 6e4
};
var limits2026 = {
  /** Of one POST that was not read before. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Subscriptions of one endpoint, or of one connection over stdio, that are open at once. */
  maxSubscriptions: 8192,
  /** Of one owner. */
  maxSubscriptionsPerOwner: 128,
  /** Tasks that one subscription may name by id, and as many as resources. */
  maxTasksPerSubscription: 256,
  /** How often an idle stream says that it lives. */
  keepAliveMs: 15e3,
  /** The longest event of an SDK's stream that is waited for, in characters: its own messages are far below. */
  maxFrameLength: 16 * 1024 * 1024,
  /** How long the end of a draining server waits for the answers of calls that it sends away. */
  drainAnswersMs: 3e3
};

// ../packages/mcp/src/call/call.ts
function parseCallMeta(meta, trusted = true) {
  const source = isJsonObject(meta) ? meta : {};
  const read = (key, accepts2) => {
    const isRead = Object.hasOwn(source, key) && (trusted || !internalMetaKeys.includes(key));
    const value = isRead ? source[key] : void 0;
    return accepts2(value) ? value : void 0;
  };
  return {
    afterSeq: read(metaKeys.afterSeq, isCount) ?? 0,
    callerStays: read(metaKeys.callerStays, isBoolean) ?? false,
    redelivered: read(metaKeys.redelivered, isBoolean) ?? false,
    tellsDelivery: read(metaKeys.tellsDelivery, isBoolean) ?? false,
    clientId: read(metaKeys.clientId, isLabel),
    handoff: read(metaKeys.handoff, isBoolean) ?? read(metaKeys.handoff, isCount),
    newTask: read(metaKeys.newTask, isBoolean) ?? read(metaKeys.newTask, isLabel),
    callId: read(metaKeys.callId, isLabel),
    taskId: read(metaKeys.taskId, isLabel),
    requestId: read(metaKeys.requestId, isRequestId),
    progressToken: read("progressToken", isRequestId)
  };
}
var isBoolean = (value) => typeof value === "boolean";
var isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
var isLabel = (value) => typeof value === "string" && value.length > 0 && value.length <= limits.maxClientIdLength;
var isRequestId = (value) => typeof value === "string" || typeof value === "number";
function claimsVersion(message) {
  const params2 = isJsonObject(message) ? message.params : void 0;
  const meta = isJsonObject(params2) ? params2._meta : void 0;
  return isJsonObject(meta) && envelopeKeys.protocolVersion in meta;
}
async function findTask(tasks, taskId) {
  try {
    return await tasks.get(taskId);
  } catch (error) {
    if (isResumableError(error, "TASK_NOT_FOUND")) return void 0;
    throw error;
  }
}

// ../packages/mcp/src/call/journal-message.ts
function journalMessage(followed, shown, taskId) {
  if (followed.kind === "snapshot") {
    const { lastSeq, progress, total: total2, message } = followed.record;
    return risen(shown, { seq: lastSeq, progress, snapshot: true, total: total2, message });
  }
  const { event } = followed;
  const { seq } = event;
  if (event.type === "log") return { message: { kind: "log", seq, level: event.level, data: event.data }, shown };
  if (event.type === "restarted" && !event.fromState) {
    const data = `The task begins again: generation ${event.generation}.`;
    return { message: { kind: "log", seq, level: "notice", data }, shown };
  }
  if (event.type === "attempt_ended" && event.reason === "paused") {
    return { message: { kind: "log", seq, level: "info", data: `Task ${taskId} paused` }, shown };
  }
  if (event.type !== "checkpoint" || event.progress === void 0) return { shown };
  const total = event.total ?? shown.total;
  return risen(shown, { seq, progress: event.progress, total, message: event.message });
}
function seqOf(followed) {
  return followed.kind === "event" ? followed.event.seq : followed.record.lastSeq;
}
function risen(shown, next) {
  const known2 = { ...shown, total: next.total ?? shown.total };
  if (shown.progress !== void 0 && next.progress <= shown.progress) return { shown: known2 };
  return { message: { kind: "progress", ...next }, shown: { ...known2, progress: next.progress } };
}
function notificationOf(message, call) {
  const _meta = { [metaKeys.taskId]: call.taskId, [metaKeys.seq]: message.seq };
  if (message.kind === "log") {
    const { level, data } = message;
    return { method: "notifications/message", params: { level, logger: call.tool, data, _meta } };
  }
  if (call.progressToken === void 0) return void 0;
  const { kind: _kind, seq: _seq, snapshot, ...progress } = message;
  const marked = snapshot === true ? { ..._meta, [metaKeys.snapshot]: true } : _meta;
  return {
    method: "notifications/progress",
    params: { progressToken: call.progressToken, ...progress, _meta: marked }
  };
}

// ../packages/mcp/src/call/follow-call.ts
async function followCall(call, begun, timeoutMs) {
  const { id: taskId, tool, total, lastSeq } = begun.record;
  const { afterSeq, progressToken } = call.meta;
  const stop = new AbortController();
  const timer = timeoutMs === void 0 ? void 0 : setTimeout(() => stop.abort("timeout"), timeoutMs);
  const asking = createAsking(call, taskId, () => stop.abort("asking failed"));
  let shown = { total };
  let seen = afterSeq;
  let mayStand = standsStill(begun) !== void 0;
  const endNow = async () => {
    const view = await call.tasks.get(taskId);
    if (seen < view.record.lastSeq) return void 0;
    mayStand = false;
    const still = standsStill(view);
    const isAsked = still !== "finished" && still !== "paused" && asking.begin(view);
    return still === void 0 || isAsked ? void 0 : { reason: call.signal.aborted ? "left" : still, view };
  };
  try {
    let ending2 = mayStand && afterSeq >= lastSeq ? await endNow() : void 0;
    if (ending2 !== void 0) return ending2;
    for await (const followed of call.tasks.follow(taskId, {
      afterSeq: Math.max(0, afterSeq - limits.lookBackEvents),
      signal: AbortSignal.any([call.signal, stop.signal])
    })) {
      asking.heard(followed);
      const mapped = journalMessage(followed, shown, taskId);
      shown = mapped.shown;
      const seq = seqOf(followed);
      if (seq <= afterSeq) continue;
      const { message } = mapped;
      const isWanted = message !== void 0 && (message.kind !== "log" || call.wantsLog(message.level));
      const notification = isWanted ? notificationOf(message, { taskId, tool, progressToken }) : void 0;
      if (notification !== void 0) await call.notify(notification);
      seen = seq;
      mayStand ||= seq > lastSeq && mayStop(followed);
      ending2 = mayStand ? await endNow() : void 0;
      if (ending2 !== void 0) return ending2;
    }
    const view = await call.tasks.get(taskId);
    return { reason: call.signal.aborted ? "left" : standsStill(view) ?? "timeout", view };
  } finally {
    clearTimeout(timer);
    asking.stop();
  }
}
function standsStill({ status }) {
  if (isFinal(status)) return "finished";
  return status === "paused" || status === "input_required" ? status : void 0;
}
function mayStop(followed) {
  if (followed.kind === "snapshot") return true;
  return ["asked", "answered", "desiredState", "attempt_ended"].includes(followed.event.type);
}
function createAsking(call, taskId, onFailure) {
  const open2 = /* @__PURE__ */ new Map();
  const askedAt = /* @__PURE__ */ new Map();
  let able = call.ask !== void 0;
  const askOne = async (question, signal) => {
    try {
      const answer = await call.ask?.(taskId, question, signal);
      if (answer !== void 0) await call.tasks.answer(taskId, question.key, answer);
    } catch (error) {
      if (signal.aborted || isResumableError(error, "ALREADY_ANSWERED")) return;
      if (isAnswerLost(error)) {
        await untilAskedAgain(signal);
        return signal.aborted ? void 0 : askOne(question, signal);
      }
      able = false;
      onFailure();
    }
  };
  return {
    heard(followed) {
      if (followed.kind === "event" && followed.event.type === "asked") {
        askedAt.set(followed.event.key, followed.event.seq);
      }
    },
    begin(view) {
      const { questions } = view;
      for (const [key, controller] of open2) {
        if (!questions.some((question) => question.key === key)) controller.abort("answered");
      }
      if (!able) return false;
      for (const question of questions.filter(({ key }) => !open2.has(key))) {
        const controller = new AbortController();
        open2.set(question.key, controller);
        const seq = askedAt.get(question.key) ?? Math.min(call.meta.afterSeq, view.record.lastSeq);
        void askOne({ ...question, seq }, controller.signal);
      }
      return true;
    },
    stop() {
      for (const controller of open2.values()) controller.abort("left");
    }
  };
}
function isAnswerLost(error) {
  return isResumableError(error, "STORE_WRITE_FAILED");
}
function untilAskedAgain(signal) {
  return new Promise((resolve2) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve2();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : limits.askAgainMs);
    signal.addEventListener("abort", done);
  });
}

// ../packages/mcp/src/call/receipt.ts
import { setImmediate as nextTurn2 } from "timers/promises";

// ../packages/mcp/src/sdk-workarounds.ts
import { z as z10 } from "zod";
function forSdk(value) {
  return value;
}
var dialect = "https://json-schema.org/draft/2020-12/schema";
function listed2(schema2) {
  return structuredClone({ $schema: dialect, ...schema2() });
}
function exactSchema(schema2) {
  const passing = z10.looseObject({});
  passing._zod.toJSONSchema = () => listed2(schema2);
  return passing;
}
function passingSchema(schema2) {
  const jsonSchema = { input: () => listed2(schema2), output: () => listed2(schema2) };
  const validate = (value) => ({ value: value ?? {} });
  return { "~standard": { version: 1, vendor: "resumable-mcp", validate, jsonSchema } };
}
function handlerOf(server, method) {
  const handlers = Reflect.get(server, "_requestHandlers");
  return handlers instanceof Map ? handlers.get(method) : void 0;
}
function isIgnoredLevel(server, level, sessionId) {
  const test = Reflect.get(server, "isMessageIgnored");
  return typeof test === "function" && test(level, sessionId) === true;
}
function isUnknownTool(name, result) {
  const content = Reflect.get(result, "content");
  const block = Array.isArray(content) ? content[0] : void 0;
  return isJsonObject(block) && block.text === `MCP error ${rpcCodes.invalidParams}: Tool ${name} not found`;
}
var issues = z10.array(z10.looseObject({ path: z10.array(z10.union([z10.string(), z10.number()])), message: z10.string() })).min(1);
var maxProblems = 10;
var paramsCodes = [rpcCodes.internalError, rpcCodes.invalidParams];
function withReadableError(message) {
  const error = Reflect.get(message, "error");
  if (!isJsonObject(error) || !paramsCodes.includes(error.code) || typeof error.message !== "string") return message;
  const problems = problemsIn(error.message);
  if (problems === void 0) return message;
  return { ...message, error: { code: rpcCodes.invalidParams, message: `Invalid params: ${problems}.` } };
}
function problemsIn(text2) {
  const list = /^(?:MCP error -\d+: )?(?:Invalid [\w/]+ request: )?(\[[\s\S]*\])$/.exec(text2)?.[1];
  if (list === void 0) return void 0;
  try {
    const parsed2 = issues.safeParse(JSON.parse(list));
    const sentences = parsed2.data?.map(({ path, message }) => {
      const place2 = path[0] === "params" ? path.slice(1) : path;
      return place2.length === 0 ? message : `${place2.join(".")}: ${message}`;
    });
    return sentences?.slice(0, maxProblems).join("; ");
  } catch {
    return void 0;
  }
}
var answerKey = "resumable-mcp/wire_answer";
function wrapAnswer(answer) {
  return { content: [], isError: true, _meta: { [answerKey]: forSdk(answer) } };
}
function mayHoldAnswer(text2) {
  return text2.includes(answerKey);
}
function unwrapAnswer(message) {
  if (!isJsonObject(message) || !isJsonObject(message.result)) return message;
  const { _meta } = message.result;
  const answer = isJsonObject(_meta) ? _meta[answerKey] : void 0;
  if (!isJsonObject(_meta) || !isJsonObject(answer)) return message;
  const { jsonrpc = "2.0", id = null } = message;
  if (isJsonObject(answer.error)) return { jsonrpc, id, error: answer.error };
  const { [answerKey]: _wrapped, ...meta } = _meta;
  const result = isJsonObject(answer.result) ? answer.result : {};
  return { jsonrpc, id, result: Object.keys(meta).length === 0 ? result : { ...result, _meta: meta } };
}
var answeringServer = /* @__PURE__ */ Symbol("resumable-mcp.answering-server");
function answeringServerOf(context) {
  return Reflect.get(context, answeringServer);
}
function serverOfRequest(built) {
  const { server } = built;
  const build = Reflect.get(server, "buildContext");
  if (typeof build !== "function") throw new TypeError("The SDK's Server has no buildContext.");
  const derived = Object.assign(Object.create(server), {
    _transport: void 0,
    _requestHandlerAbortControllers: /* @__PURE__ */ new Map(),
    _responseHandlers: /* @__PURE__ */ new Map(),
    _progressHandlers: /* @__PURE__ */ new Map(),
    _timeoutInfo: /* @__PURE__ */ new Map(),
    _pendingDebouncedNotifications: /* @__PURE__ */ new Set(),
    buildContext: (...args) => ({ ...Reflect.apply(build, derived, args), [answeringServer]: derived }),
    // The SDK registers `server/discover` at each server that it is given: the built one has it.
    setRequestHandler() {
    }
  });
  return Object.create(built, { server: { value: derived } });
}
function watchTransport(transport, sending, received) {
  const wire = forSdk(transport);
  const { send, onmessage } = wire;
  const sendWatched = async (before, ...args) => {
    const sent = await before;
    await send.apply(wire, args);
    sent?.();
  };
  wire.send = (...args) => {
    const before = sending(args[0]);
    return before === void 0 ? send.apply(wire, args) : sendWatched(before, ...args);
  };
  wire.onmessage = (message, ...rest) => {
    received(message);
    onmessage?.call(wire, message, ...rest);
  };
}

// ../packages/mcp/src/call/receipt.ts
function createReceipt({ engine, tasks, meta }, taskId) {
  let state = meta.tellsDelivery ? "withdrawn" : "open";
  const observe = (point) => engine.observe(point, taskId);
  observe("result.ready");
  return {
    sending: () => observe("result.sending"),
    sent() {
      if (state !== "open") return;
      state = "sent";
      observe("result.sent");
      tasks.markDelivered(taskId).then(
        () => observe("result.delivered"),
        () => {
        }
      );
    },
    withdraw() {
      if (state === "sent") tasks.withdrawDelivered(taskId).catch(() => {
      });
      state = "withdrawn";
    }
  };
}
async function hearCallers() {
  await nextTurn2();
  await nextTurn2();
}
var takesReceipts = /* @__PURE__ */ Symbol("resumable-mcp.takes-receipts");
function carryResult(call, taskId) {
  const { server, request, requestId } = call;
  const receipt = createReceipt(call, taskId);
  const { transport } = server;
  if (transport === void 0) return;
  const taker = knowsReceipts(transport) ? transport : watch(server, transport);
  const sent = request === void 0 ? receipt.sent : () => void held.set(request, receipt);
  taker[takesReceipts](requestId, { ...receipt, sent });
}
var held = /* @__PURE__ */ new WeakMap();
function answerSent(request) {
  held.get(request)?.sent();
}
function isCompletedResponse(message) {
  return isJsonObject(message) && isJsonObject(message.result) && message.result.isError !== true;
}
function knowsReceipts(transport) {
  return takesReceipts in transport;
}
function watch(server, transport) {
  const receipts = /* @__PURE__ */ new Map();
  const sending = (message) => {
    const receipt = isJsonObject(message) && isCompletedResponse(message) ? receipts.get(message.id) : void 0;
    return receipt && send(receipt);
  };
  const send = async (receipt) => {
    await hearCallers();
    receipt.sending();
    return server.transport === transport ? receipt.sent : void 0;
  };
  watchTransport(transport, sending, (message) => receipts.get(cancelledId(message))?.withdraw());
  return Object.assign(transport, {
    [takesReceipts](requestId, receipt) {
      receipts.delete(requestId);
      receipts.set(requestId, receipt);
      const [oldest] = receipts.keys();
      if (receipts.size > limits.maxReceipts) receipts.delete(oldest);
    }
  });
}
function cancelledId(message) {
  if (!isJsonObject(message) || message.method !== "notifications/cancelled") return void 0;
  const id = isJsonObject(message.params) ? message.params.requestId : void 0;
  return isRequestId(id) ? id : void 0;
}

// ../packages/mcp/src/call/tool-result.ts
function dataResult(data, sentence) {
  return { content: [text(sentence ?? JSON.stringify(data))], structuredContent: data };
}
function errorResult(code, message) {
  return { content: [text(message)], structuredContent: { error: { code, message } }, isError: true };
}
function thrownResult(error) {
  if (isResumableError(error)) return errorResult(error.code, error.message);
  return errorResult("INTERNAL", "The server failed to carry out the call. Its log says more.");
}
function finishedResult(engine, view, reused) {
  const { record } = view;
  const _meta = { ...taskMeta(view), ...reused ? { [metaKeys.reused]: true } : {} };
  if (record.status === "completed") return { ...outputResult(engine, record), _meta };
  if (record.status === "cancelled") {
    return { ...errorResult("CANCELLED", `Task ${record.id} (${record.tool}) was cancelled.`), _meta };
  }
  return { ...failedResult(engine, record), _meta };
}
function failedResult(engine, record) {
  const failure = failureOf2(engine, record);
  const { progress, total } = record;
  const error = definedOnly({ ...failure, task_id: record.id, progress, total });
  return {
    content: [text(`${failure.message} ${failure.continuation}`)],
    structuredContent: { error },
    isError: true
  };
}
function failureOf2(engine, record) {
  const { code, message } = record.error ?? { code: "TOOL_FAILED", message: `Task ${record.id} failed.` };
  const continues = continuesBy(engine, record);
  return { code, message, continuation: continuationOf(record, continues), continues };
}
function continuesBy(engine, record) {
  if (!isContinuable(record)) return "never";
  const tool = engine.tools.find(({ name }) => name === record.tool);
  return record.key !== null && tool?.onFailure !== "restart" ? "by_call" : "by_resume";
}
var continuations = {
  by_call: "the same call continues from its last checkpoint.",
  by_resume: "resume_task continues from its last checkpoint, and the same call begins from nothing.",
  never: "the same call begins from nothing."
};
function continuationOf(record, continues) {
  const sentence = continuations[continues];
  if (record.progress > 0) return `The task came to ${progressText(record)}; ${sentence}`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
function outputResult(engine, { tool, output = null }) {
  const known2 = engine.tools.find(({ name }) => name === tool);
  const content = known2 === void 0 ? [text(JSON.stringify(output))] : known2.content(output);
  return isJsonObject(output) ? { content, structuredContent: output } : { content };
}
var nextTools = { running: "wait_for_task", paused: "resume_task", input_required: "answer_task" };
function interimResult(view, status, prefix) {
  const { id, tool } = view.record;
  const at = progressText(view.record);
  const next = `${prefix}${nextTools[status]}`;
  const asked = view.questions.map(({ key, question }) => `"${question.message}" (key ${key})`).join(", ");
  const sentences = {
    running: `Still running: ${at}. Do not call ${tool} again. Call ${next} with ${JSON.stringify({ task_id: id })} now, and again until its status is completed. The user may also come back later.`,
    paused: `Task ${id} (${tool}) is paused at ${at}. Nothing is lost: ${next} or the same call lets it go on.`,
    input_required: `Task ${id} (${tool}) waits for an answer: ${asked}. Ask the user; never answer for them. Then call ${next} with the task_id, the key and the answer.`
  };
  const data = encodeInterim(view, status, next, status === "input_required" ? view.questions : void 0);
  return { ...dataResult(data, sentences[status]), _meta: { ...taskMeta(view), [metaKeys.status]: status } };
}
function taskMeta({ record, status }) {
  return { [metaKeys.taskId]: record.id, [metaKeys.seq]: record.lastSeq, [metaKeys.status]: status };
}
function taskObject(engine, view) {
  return encodeTask(view, errorOf(engine, view));
}
function listedTask(engine, view) {
  return encodeListedTask(view, errorOf(engine, view));
}
function errorOf(engine, { record }) {
  return record.error === void 0 ? void 0 : failureOf2(engine, record);
}
function progressText({ progress, total }) {
  return total === void 0 ? `${progress} done` : `${progress}/${total} (${Math.floor(percentOf(progress, total))} %)`;
}
function statusMessage({ record, status, interrupted }) {
  const sentence = `${interrupted ? "interrupted" : status}: ${progressText(record)}`;
  return record.message === void 0 ? sentence : `${sentence}, ${record.message}`;
}
function keptMs({
  createdAt,
  finishedAt,
  ttlMs
}) {
  if (finishedAt === void 0) return null;
  return Math.max(1, Math.floor(Date.parse(finishedAt) - Date.parse(createdAt) + ttlMs));
}
function text(value) {
  return { type: "text", text: value };
}

// ../packages/mcp/src/call/run-tool-call.ts
async function runToolCall(call, tool, input2) {
  const handoffMs = handoffMsOf(call, tool);
  const detached = handoffMs === 0 && !call.meta.callerStays;
  const known2 = await knownTask(call);
  const started = known2 ?? await call.tasks.start(startRequest(call, tool, input2, detached));
  return resultOf(call, await followTask2(call, started, handoffMs), started.reused);
}
var hostLimitsMs = /* @__PURE__ */ new Map([["claude-ai", 6e4]]);
function handoffMsOf({ meta, handoff, host = "" }, { handoffAfterMs: usualMs = limits.defaultHandoffAfterMs }) {
  if (typeof meta.handoff === "number") return meta.handoff;
  const limitMs = hostLimitsMs.get(host);
  if (!(meta.handoff ?? handoff ?? limitMs !== void 0)) return void 0;
  return limitMs === void 0 ? usualMs : Math.min(usualMs, limitMs * 0.75);
}
function startRequest({ meta: { callId, newTask: newTask2 }, sessionId }, tool, input2, detached) {
  return { tool: tool.name, input: input2, detached, session: sessionId, callId, newTask: newTask2 };
}
async function knownTask({ meta, tasks }) {
  const taskId = meta.redelivered ? meta.taskId ?? meta.callId : void 0;
  const view = taskId === void 0 ? void 0 : await findTask(tasks, taskId);
  return view && { ...view, created: false, reused: false };
}
async function followTask2(given, started, handoffMs) {
  const { id: taskId } = started.record;
  const call = await joinTask(given, started);
  const leave2 = call.tasks.addWaiter(taskId);
  let left = "gone";
  try {
    const isFresh = started.created || call.meta.redelivered;
    const begun = isFresh ? started : await resumePaused(call, taskId);
    const ending2 = await followCall(call, begun, handoffMs);
    if (ending2.reason === "left") left = call.left();
    if (ending2.reason === "timeout" && !call.meta.callerStays) await call.tasks.detach(taskId);
    return ending2;
  } finally {
    leave2(left);
  }
}
async function joinTask(call, { record, created }) {
  if (created || call.meta.redelivered || call.meta.afterSeq > 0 || record.progress === 0) return call;
  const { id: taskId, tool, lastSeq: seq, progress, total, message } = record;
  const notification = notificationOf(
    { kind: "progress", seq, progress, total, message },
    { taskId, tool, progressToken: call.meta.progressToken }
  );
  if (notification !== void 0) await call.notify(notification);
  return { ...call, meta: { ...call.meta, afterSeq: seq } };
}
async function resumePaused(call, taskId) {
  const view = await call.tasks.get(taskId);
  return view.status === "paused" ? call.tasks.resume(taskId) : view;
}
function resultOf(call, { reason, view }, reused) {
  if (reason === "finished") {
    carryResult(call, view.record.id);
    return finishedResult(call.engine, view, reused);
  }
  return interimResult(view, reason === "paused" || reason === "input_required" ? reason : "running", call.prefix);
}

// ../packages/mcp/src/call/session-client.ts
function attribute(request, known2, takesArgument) {
  const named = namedClient(request, takesArgument);
  if (named !== void 0) return { request, clientId: named.length <= limits.maxClientIdLength ? named : known2 };
  return { request: known2 === void 0 ? request : withClient(request, known2), clientId: known2 };
}
function namedClient({ params: params2 }, takesArgument) {
  const { clientId } = parseCallMeta(params2?._meta);
  return clientId ?? (takesArgument ? clientIdArgument(params2?.arguments) : void 0);
}
function withClient(request, clientId) {
  const meta = request.params?._meta;
  if (meta !== void 0 && !isJsonObject(meta)) return request;
  return { ...request, params: { ...request.params, _meta: { ...meta, [metaKeys.clientId]: clientId } } };
}
var namesCaller = { [metaKeys.clientId]: "argument" };
function withClientId(schema2) {
  const properties = typeof schema2.properties === "object" ? schema2.properties : {};
  const description = "Set by the client program, to find its tasks again. Do not invent one.";
  return { ...schema2, properties: { ...properties, client_id: { type: "string", description } } };
}
function splitClientId(input2) {
  const { client_id: _given, ...rest } = input2;
  return { clientId: clientIdArgument(input2), rest };
}
function clientIdArgument(input2) {
  const given = isJsonObject(input2) ? input2.client_id : void 0;
  return typeof given === "string" && given !== "" ? given : void 0;
}

// ../packages/mcp/src/control/instructions.ts
var longToolsText = "MCP server with resumability and checkpoints for long tasks. A long tool saves its progress as it goes: if a call is cut off, call the tool again with the same arguments and it continues where it was, instead of beginning again. When a call answers with status running, call wait_for_task with its task_id until the status is completed; do not call the tool again. pause_task, resume_task and cancel_task control a task where they are offered.";
function joinInstructions(own, unfinished) {
  return [own, longToolsText, unfinished].filter((part) => part !== void 0).join("\n\n");
}

// ../packages/mcp/src/control/control-tools.ts
function controlTool(name, run) {
  const { input: input2, ...facts } = controlToolFacts[name];
  const listed3 = withClientId(input2);
  return {
    name,
    ...facts,
    inputSchema: () => listed3,
    run: async (call, value) => {
      const checked = checkControlInput(name, value);
      if ("input" in checked) return run(call, checked.input);
      throw new InvalidArguments(`The arguments do not fit: ${checked.problems.join("; ")}.`);
    }
  };
}
function controlMeta({ readOnlyHint }) {
  return { _meta: { ...namesCaller, ...readOnlyHint === true ? { [metaKeys.durable]: "journal" } : {} } };
}
var InvalidArguments = class extends Error {
  name = "InvalidArguments";
};
var getTask = controlTool("get_task", async (call, input2) => {
  const view = await call.tasks.get(input2.task_id);
  if (!input2.include?.includes("result") || !isFinal(view.status)) return viewResult(call, view);
  const { _meta, ...result } = finishedResult(call.engine, view, true);
  return dataResult({ ...taskObject(call.engine, view), result: { ...result } });
});
function unlessOver(error) {
  if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
}
function needsServer({ interrupted, status }) {
  return interrupted || status === "pending";
}
function hasTool({ engine }, { record }) {
  return engine.tools.some(({ name }) => name === record.tool);
}
function missingTool(call, { record }) {
  const cancel = `${call.prefix}cancel_task`;
  return errorResult(
    "UNKNOWN_TOOL",
    `Task ${record.id} needs the tool "${record.tool}", which this server does not have, and no other server has taken it up. Start a server that has the tool, or end the task with ${cancel}.`
  );
}
var waitForTask2 = controlTool("wait_for_task", async (call, input2) => {
  const view = await call.tasks.get(input2.task_id);
  if (needsServer(view)) await call.tasks.resume(input2.task_id).catch(unlessOver);
  const isForeign = needsServer(view) && !hasTool(call, view);
  const seconds = isForeign ? Math.min(input2.timeout_seconds, limits.foreignToolSeconds) : input2.timeout_seconds;
  const ending2 = await followCall(call, view, seconds * 1e3);
  if (isForeign && ending2.reason === "timeout" && needsServer(ending2.view)) return missingTool(call, ending2.view);
  return resultOf(call, ending2, isFinal(view.status));
});
var pauseTask = controlTool("pause_task", async (call, input2) => {
  const view = await call.tasks.pause(input2.task_id);
  const message = `Task ${input2.task_id} paused correctly`;
  return dataResult({ ...taskObject(call.engine, view), message }, message);
});
var resumeTask = controlTool(
  "resume_task",
  async (call, input2) => viewResult(call, await call.tasks.resume(input2.task_id))
);
var cancelTask = controlTool(
  "cancel_task",
  async (call, input2) => viewResult(call, await call.tasks.cancel(input2.task_id))
);
var answerTask = controlTool("answer_task", async (call, input2) => {
  const view = await call.tasks.get(input2.task_id);
  const question = view.questions.find(({ key }) => key === input2.key)?.question;
  if (question?.userOnly === true) {
    return errorResult(
      "USER_ONLY",
      `Only the user may answer question ${input2.key} of task ${input2.task_id}, in a client that shows it to them.`
    );
  }
  const { action, content = {} } = input2;
  const answer = action === "accept" ? { action, content } : { action };
  return viewResult(call, await call.tasks.answer(input2.task_id, input2.key, answer));
});
var deleteTask = controlTool("delete_task", async (call, input2) => {
  await call.tasks.delete(input2.task_id);
  return dataResult({ deleted: input2.task_id });
});
var getTaskItems = controlTool("get_task_items", async (call, input2) => {
  const { items, next, total } = await call.tasks.items(input2.task_id, input2);
  return dataResult({ task_id: input2.task_id, items, next, total });
});
var allStatuses = [...unfinishedStatuses, ...finalStatuses];
var listSessionTasks = controlTool("list_session_tasks", async (call, input2) => {
  const [page, counts2] = await Promise.all([
    call.tasks.list({ limit: input2.limit, statuses: input2.status, tool: input2.task_name, cursor: input2.cursor }),
    call.tasks.count()
  ]);
  const { views, damaged } = await viewsOf(call.tasks, [...page.tasks, ...page.damaged ?? []]);
  return dataResult({
    session_id: call.sessionId ?? null,
    persistent_id: call.clientId ?? call.sessionId ?? null,
    total_tasks: counts2.total,
    tasks: views.map((view) => listedTask(call.engine, view)),
    ...damaged.length > 0 && { damaged_tasks: damaged },
    ...page.nextCursor !== void 0 && { next_cursor: page.nextCursor }
  });
});
var checkpointStats = controlTool("get_checkpoint_stats", async (call) => {
  const counts2 = await call.tasks.count();
  const checkpoint_stats = Object.fromEntries(allStatuses.map((name) => [name, counts2.byStatus[name] ?? 0]));
  return dataResult({ checkpoint_stats, total_checkpoints: counts2.total });
});
var sessionInfo = controlTool(
  "get_session_info",
  async (call) => dataResult({
    session_id: call.sessionId ?? null,
    request_id: call.meta.requestId ?? call.requestId,
    client_id: call.clientId ?? null
  })
);
async function makeInstructions(own, tasks) {
  const unfinished = tasks === void 0 ? [] : await unfinishedTasks(tasks, limits.maxNamedTasks);
  const named = unfinished.length === 0 ? void 0 : `Unfinished tasks of this user:
${listText(unfinished)}`;
  return joinInstructions(own, named);
}
async function unfinishedTasksText(tasks) {
  const unfinished = await unfinishedTasks(tasks, 100);
  if (unfinished.length === 0) return "There are no unfinished tasks.";
  return `These tasks are not finished:
${listText(unfinished)}
Tell me about them, and ask which of them to resume (resume_task, then wait_for_task) and which to cancel (cancel_task).`;
}
function listText(tasks) {
  return tasks.map(({ record, status, interrupted }) => {
    const state = interrupted ? "interrupted" : status;
    return `- ${record.tool}, task_id ${record.id}: ${state}, ${progressText(record)}`;
  }).join("\n");
}
async function unfinishedTasks(tasks, limit) {
  const page = await tasks.list({ statuses: unfinishedStatuses, limit });
  return (await viewsOf(tasks, page.tasks)).views;
}
async function viewsOf(tasks, listed3) {
  const damaged = /* @__PURE__ */ new Map();
  const read = async ({ id, tool }) => {
    try {
      return await findTask(tasks, id);
    } catch (error) {
      if (!isResumableError(error, "TASK_CORRUPT")) throw error;
      const { code, message } = error;
      damaged.set(id, { task_id: id, task_name: tool, error: { code, message } });
      return void 0;
    }
  };
  const found = await Promise.all(listed3.map(read));
  return {
    views: found.filter((view) => view !== void 0),
    damaged: listed3.map(({ id }) => damaged.get(id)).filter((task) => task !== void 0)
  };
}
var controlTools = [
  getTask,
  waitForTask2,
  pauseTask,
  resumeTask,
  cancelTask,
  answerTask,
  deleteTask,
  getTaskItems,
  listSessionTasks,
  checkpointStats,
  sessionInfo
];
var defaultControlTools = [
  "wait_for_task",
  "get_task",
  "cancel_task",
  "answer_task"
];
function chosenControlTools(chosen) {
  if (chosen === "all") return controlTools;
  const names = chosen ?? defaultControlTools;
  return controlTools.filter(({ name }) => names.includes(name));
}
function viewResult({ engine }, view) {
  return dataResult(taskObject(engine, view));
}

// ../packages/mcp/src/define-server.ts
function defineServer(definition) {
  return definition;
}

// ../packages/mcp/src/http/http-answer.ts
import { setImmediate as nextTurn3 } from "timers/promises";
var HttpAnswer = class _HttpAnswer {
  status;
  /** By names in lower case. */
  headers;
  body;
  /** To be called when a connection that was open accepted the last byte of a text; never when that is in doubt. */
  onSent;
  constructor(status, headers = {}, body, onSent) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.onSent = onSent;
  }
  static json(value, status = 200, headers = {}) {
    return new _HttpAnswer(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
  }
  static ofWeb({ status, headers, body }, onSent) {
    return new _HttpAnswer(status, Object.fromEntries(headers), body === null ? void 0 : webSource(body, onSent));
  }
  /** The same answer with more headers. */
  with(headers) {
    return new _HttpAnswer(this.status, { ...this.headers, ...headers }, this.body, this.onSent);
  }
  toWeb() {
    const { status, headers, body, onSent } = this;
    if (typeof body === "object") return new Response(webBody(body), { status, headers });
    if (body === void 0 || onSent === void 0) return new Response(body, { status, headers });
    const sized = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    return new _HttpAnswer(status, sized, _HttpAnswer.ofWeb(new Response(body), onSent).body).toWeb();
  }
};
var encoder = new TextEncoder();
var chunkBytes2 = 16 * 1024;
function webBody(source) {
  let onMore = () => {
  };
  let wasRead;
  let cancelled = false;
  const tell = async () => {
    if (wasRead === void 0) return;
    await nextTurn3();
    if (!cancelled) wasRead();
    wasRead = void 0;
  };
  return new ReadableStream(
    {
      start: () => source.follow(() => onMore()),
      async pull(controller) {
        await tell();
        let taken = source.take(chunkBytes2);
        while (taken.text.length === 0 && !source.ended && !cancelled) {
          await new Promise((resolve2) => {
            onMore = resolve2;
          });
          taken = source.take(chunkBytes2);
        }
        if (cancelled) return;
        const { text: text2, onSent } = taken;
        if (text2.length > 0) controller.enqueue(typeof text2 === "string" ? encoder.encode(text2) : text2);
        wasRead = onSent;
        if (!source.ended || text2.length > 0 && onSent !== void 0) return;
        await tell();
        if (!cancelled) controller.close();
      },
      cancel() {
        cancelled = true;
        source.cancel();
        onMore();
      }
    },
    { highWaterMark: 0 }
  );
}
function webSource(body, onSent) {
  const reader = body.getReader();
  let next;
  let ended = false;
  let failure;
  let onMore = () => {
  };
  const read = async () => {
    try {
      const { done, value } = await reader.read();
      ended = done;
      next = value;
    } catch (error) {
      failure = { error };
    }
    onMore();
  };
  return {
    get ended() {
      return ended;
    },
    take() {
      if (failure !== void 0) throw failure.error;
      if (next === void 0) return { text: "", onSent: ended ? onSent : void 0 };
      const text2 = next;
      next = void 0;
      void read();
      return { text: text2 };
    },
    follow(listener) {
      onMore = listener;
      void read();
    },
    cancel: () => void reader.cancel().catch(() => {
    })
  };
}
var codesOfStatus = {
  400: rpcCodes.invalidRequest,
  404: rpcCodes.notAccepted,
  413: rpcCodes.invalidRequest,
  500: rpcCodes.internalError
};
function refusal(status, message, options = {}) {
  const code = options.code ?? codesOfStatus[status] ?? rpcCodes.refused;
  return HttpAnswer.json(rpcErrorResponse(options.id ?? null, code, message), status, options.headers);
}

// ../packages/mcp/src/http/http-request.ts
function ofWebRequest(request) {
  return {
    method: request.method,
    url: new URL(request.url),
    get headers() {
      return Object.fromEntries(request.headers);
    },
    header: (name) => request.headers.get(name) ?? void 0,
    text: (maxBytes) => readText2(request, maxBytes),
    toWeb: () => request
  };
}
async function readText2({ headers, body }, maxBytes) {
  if (saysMoreThan(maxBytes, headers.get("content-length"))) return void 0;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text2 = "";
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return void 0;
    text2 += decoder.decode(chunk, { stream: true });
  }
  return text2 + decoder.decode();
}
function saysMoreThan(maxBytes, contentLength) {
  return Number(contentLength ?? 0) > maxBytes;
}
async function readJsonBody(request, maxBodyBytes) {
  const type = request.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refusal(415, "Unsupported Media Type: Content-Type must be application/json.");
  const text2 = await request.text(maxBodyBytes);
  if (text2 === void 0) return refusal(413, `The body is larger than maxBodyBytes = ${maxBodyBytes}.`);
  const value = parseJson(text2);
  if (value === void 0) return refusal(400, "Parse error: the body is not JSON.", { code: rpcCodes.parseError });
  if (mayBeTooDeep(text2) && isTooDeep(value)) return refusal(400, `Invalid Request: the body ${tooDeep}.`);
  return { value };
}
function parseJson(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}

// ../packages/mcp/src/http/node-listener.ts
function listenerOf(answer) {
  const listen2 = async (incoming, outgoing) => {
    try {
      const request = NodeRequest.of(incoming, outgoing);
      if (request === void 0) {
        outgoing.writeHead(400).end();
        return;
      }
      await sendAnswer(await answer(request, { remoteAddress: incoming.socket.remoteAddress }), outgoing);
      await request.discardRest();
    } catch {
      outgoing.destroy();
    }
  };
  return listen2;
}
function handlerOf2(answer, close) {
  return {
    answer,
    fetch: async (request, context) => (await answer(ofWebRequest(request), context)).toWeb(),
    node: listenerOf((request) => answer(request)),
    close
  };
}
var NodeRequest = class _NodeRequest {
  method;
  url;
  #incoming;
  #outgoing;
  #web;
  constructor(incoming, outgoing, url) {
    this.method = incoming.method ?? "GET";
    this.url = url;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }
  /** `undefined` when the address is none. */
  static of(incoming, outgoing) {
    try {
      const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`);
      const isAddress = url.username === "" && url.password === "";
      return isAddress ? new _NodeRequest(incoming, outgoing, url) : void 0;
    } catch {
      return void 0;
    }
  }
  get headers() {
    return this.#incoming.headers;
  }
  header(name) {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }
  async text(maxBytes) {
    if (saysMoreThan(maxBytes, this.header("content-length"))) return void 0;
    const chunks = await readChunks(this.#incoming, maxBytes);
    if (chunks === void 0) return void 0;
    const [first, ...more] = chunks;
    const text2 = (first === void 0 || more.length > 0 ? Buffer.concat(chunks) : first).toString();
    return text2.startsWith("\uFEFF") ? text2.slice(1) : text2;
  }
  toWeb() {
    this.#web ??= webRequest(this, this.#incoming, this.#outgoing);
    return this.#web;
  }
  /** What was not read of a request stands before the next one on the same connection. */
  async discardRest() {
    const incoming = this.#incoming;
    if (this.#web?.body?.locked === true || incoming.readableEnded || incoming.destroyed) return;
    let bytes = 0;
    for await (const chunk of incoming) {
      bytes += chunk.byteLength;
      if (bytes > limits.maxDiscardBytes) return;
    }
  }
};
function readChunks(incoming, maxBytes) {
  const chunks = [];
  let bytes = 0;
  return new Promise((resolve2, reject) => {
    const onClose = () => reject(new Error("The connection was closed before the whole body had come."));
    if (incoming.destroyed || incoming.readableEnded) return onClose();
    const finish2 = (result) => {
      incoming.off("data", onData).off("end", onEnd).off("error", reject).off("close", onClose);
      resolve2(result);
    };
    const onEnd = () => finish2(chunks);
    const onData = (chunk) => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      incoming.pause();
      finish2(void 0);
    };
    incoming.on("data", onData).on("end", onEnd).on("error", reject).on("close", onClose);
  });
}
function webRequest({ method, url }, incoming, outgoing) {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort("The connection was closed.");
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""])
      if (!name.startsWith(":")) headers.append(name, one);
  }
  const init = { method, headers, signal: gone.signal };
  if (method === "GET" || method === "HEAD" || incoming.readableEnded) return new Request(url, init);
  return new Request(url, { ...init, body: ReadableStream.from(incoming), duplex: "half" });
}
async function sendAnswer(answer, outgoing) {
  const { status, headers, body, onSent } = answer;
  if (outgoing.destroyed) return typeof body === "object" ? body.cancel() : void 0;
  if (typeof body === "object") return sendSource(answer, body, outgoing);
  outgoing.writeHead(status, body === void 0 ? headers : withLength(headers, body));
  end(outgoing, { text: body ?? "", onSent });
}
function withLength(headers, text2) {
  return { ...headers, "content-length": Buffer.byteLength(text2) };
}
function end(outgoing, { text: text2, onSent }) {
  if (onSent !== void 0) outgoing.write(text2, whenAccepted(outgoing, onSent));
  outgoing.end(onSent === void 0 ? text2 : void 0);
}
function whenAccepted(outgoing, onSent) {
  return (error) => {
    if (error == null && !outgoing.destroyed) onSent();
  };
}
var chunkBytes3 = 64 * 1024;
function sendSource({ status, headers }, source, outgoing) {
  return new Promise((resolve2, reject) => {
    let isWaiting = false;
    const leave2 = () => {
      source.cancel();
      resolve2();
    };
    const flush = () => {
      isWaiting = false;
      if (outgoing.destroyed) return leave2();
      try {
        const taken = source.take(chunkBytes3);
        const { text: text2, onSent } = taken;
        const { ended } = source;
        if (!outgoing.headersSent) {
          outgoing.writeHead(status, ended ? withLength(headers, text2) : headers);
          if (text2.length === 0) outgoing.flushHeaders();
        }
        if (ended) return end(outgoing, taken);
        if (text2.length === 0) return;
        if (outgoing.write(text2, onSent && whenAccepted(outgoing, onSent))) return afterTurn();
        isWaiting = true;
        outgoing.once("drain", flush);
      } catch (error) {
        source.cancel();
        reject(error);
      }
    };
    const afterTurn = () => {
      if (!isWaiting) setImmediate(flush);
      isWaiting = true;
    };
    source.follow(afterTurn);
    outgoing.once("close", leave2);
    afterTurn();
  });
}

// ../packages/mcp/src/era-2025/session/event-id.ts
import { createHmac } from "crypto";
function formatEventId(stream, place2) {
  return `${stream}.${place2}`;
}
function parseEventId(text2) {
  const match = /^([A-Za-z0-9_-]{1,1024})\.(0|[1-9][0-9]{0,14})$/.exec(text2);
  const [, stream, place2] = match ?? [];
  return stream === void 0 ? void 0 : { stream, place: Number(place2) };
}
var oncePrefix = "once_";
function onceStream(sessionId, nonce, { requestId, method, tool }) {
  const fact = Buffer.from(JSON.stringify([requestId, method, tool ?? null])).toString("base64url");
  const name = `${oncePrefix}${nonce}_${signature(sessionId, nonce, fact)}_${fact}`;
  return name.length <= limits.maxOnceLength ? name : void 0;
}
function parseOnceStream(sessionId, stream) {
  const [, nonce, signed, text2] = /^once_([A-Za-z0-9]+)_([0-9a-f]+)_([A-Za-z0-9_-]+)$/.exec(stream) ?? [];
  if (nonce === void 0 || text2 === void 0 || signed !== signature(sessionId, nonce, text2)) return void 0;
  const fact = parseJson(Buffer.from(text2, "base64url").toString());
  const [requestId, method, tool] = Array.isArray(fact) ? fact : [];
  if (typeof method !== "string" || typeof requestId !== "string" && typeof requestId !== "number") return void 0;
  return { requestId, method, tool: typeof tool === "string" ? tool : void 0 };
}
function signature(sessionId, nonce, fact) {
  return createHmac("sha256", sessionId).update(`${nonce}_${fact}`).digest("hex").slice(0, 32);
}

// ../packages/mcp/src/era-2025/session/kept-document.ts
var KeptDocument = class _KeptDocument {
  id;
  owner;
  #kind;
  #documents;
  #stored;
  #version;
  #pending = [];
  #writing;
  #flushing;
  /** @param stored where it is not in the store yet: its first change puts it there. */
  constructor(kind, documents, { id, owner }, stored) {
    this.#kind = kind;
    this.#documents = documents;
    this.id = id;
    this.owner = owner;
    this.#stored = stored.value;
    this.#version = stored.version;
  }
  static async open(kind, documents, id) {
    const document = await documents.getDocument(kind.kind, id);
    if (document === void 0) return void 0;
    const { value, version } = document;
    return new _KeptDocument(kind, documents, document, { value: kind.read(value), version });
  }
  /** As changed by now, durable or not. */
  get value() {
    return this.#changed(this.#pending);
  }
  /** Writes what was only noted. */
  async flush() {
    if (this.#pending.length > 0) await this.change((value) => value);
  }
  /** @param onError hears of what could not be written; after a full disk, which has room again some time, it is tried again. */
  note(change2, afterMs = limits.noteFlushMs, onError = () => {
  }) {
    this.#pending.push(change2);
    this.#flushLater(afterMs, onError);
  }
  #flushLater(afterMs, onError) {
    this.#flushing ??= setTimeout(() => {
      this.#flushing = void 0;
      this.flush().catch((error) => {
        onError(error);
        if (isResumableError(error, "STORE_WRITE_FAILED")) this.#flushLater(limits.noteFlushMs, onError);
      });
    }, afterMs).unref();
  }
  /** @throws {@link ResumableError} `STORE_WRITE_FAILED`; `DOCUMENT_CONFLICT` when the document was deleted. */
  async change(change2) {
    this.#pending.push(change2);
    await this.#writing?.catch(() => {
    });
    if (!this.#pending.includes(change2)) return;
    try {
      this.#writing ??= this.#write();
      await this.#writing;
    } catch (error) {
      this.#pending = this.#pending.filter((other) => other !== change2);
      throw error;
    }
  }
  async #write() {
    const changes = new Set(this.#pending);
    const { id, owner } = this;
    try {
      for (let conflicts = 0; ; conflicts++) {
        try {
          const changed = this.#changed(changes);
          const value = JSON.parse(JSON.stringify(changed));
          const now = { wallMs: Date.now(), monotonicMs: performance.now() };
          const request = { kind: this.#kind.kind, id, owner, value, expectedVersion: this.#version, now };
          this.#version = (await this.#documents.putDocument(request)).version;
          this.#stored = changed;
          this.#pending = this.#pending.filter((change2) => !changes.has(change2));
          return;
        } catch (error) {
          if (!isResumableError(error, "DOCUMENT_CONFLICT") || conflicts >= limits.maxConflicts) throw error;
          await this.#reread();
        }
      }
    } finally {
      this.#writing = void 0;
    }
  }
  #changed(changes) {
    let value = this.#stored;
    for (const change2 of changes) value = change2(value);
    return value;
  }
  async #reread() {
    const { kind, read } = this.#kind;
    const document = await this.#documents.getDocument(kind, this.id);
    if (document === void 0) {
      throw new ResumableError("DOCUMENT_CONFLICT", "The session was ended meanwhile. Open a new one.", {
        details: { kind, id: this.id }
      });
    }
    this.#stored = read(document.value);
    this.#version = document.version;
  }
};

// ../packages/mcp/src/era-2025/session/sse-stream.ts
var SseStream = class {
  /** The name of the stream whose events it carries. */
  carries;
  #limits;
  #open = true;
  #unread = [];
  #unreadBytes = 0;
  #onMore;
  #timer;
  #room = [];
  #users = 0;
  #onClosed;
  constructor(limits2, onClosed = () => {
  }) {
    this.#limits = limits2;
    this.#onClosed = [onClosed];
  }
  get closed() {
    return !this.#open;
  }
  get ended() {
    return !this.#open && this.#unread.length === 0;
  }
  /** Writes an event; a closed stream drops it. Resolves when there is room for the next. */
  async write(event) {
    if (!this.#open) return;
    const text2 = formatEvent(event);
    this.#unread.push({ text: text2, onSent: event.onSent });
    this.#unreadBytes += sizeOf(text2);
    this.#onMore?.();
    if (this.#isFull) await this.#waitForRoom();
  }
  take(maxBytes) {
    let bytes = 0;
    let count = 0;
    for (; count < this.#unread.length && bytes < maxBytes; count++) bytes += sizeOf(this.#unread[count]?.text);
    this.#unreadBytes -= bytes;
    const taken = this.#unread.splice(0, count);
    if (count > 0) this.#wake();
    const text2 = taken.map((one) => one.text).join("");
    const telling = taken.flatMap(({ onSent }) => onSent ?? []);
    return telling.length === 0 ? { text: text2 } : { text: text2, onSent: () => telling.forEach(callIt) };
  }
  follow(onMore) {
    this.#onMore = onMore;
    if (this.ended) onMore();
    else if (this.#open) this.#timer = setInterval(() => this.#keepAlive(), this.#limits.keepAliveMs).unref();
  }
  /** Notes one more use; the stream closes by itself when the last one is given back. */
  acquire(onClosed) {
    this.#users += 1;
    this.#onClosed.push(onClosed);
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      this.#onClosed = this.#onClosed.filter((listener) => listener !== onClosed);
      this.#users -= 1;
      if (this.#users === 0) this.close();
    };
  }
  /** What was written can still be read. */
  close() {
    if (!this.#open) return;
    this.#end();
    this.#onMore?.();
  }
  cancel() {
    this.#onMore = void 0;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#end();
  }
  get #isFull() {
    return this.#unreadBytes >= this.#limits.maxStreamBytes;
  }
  #end() {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#timer);
    this.#wake();
    for (const listener of this.#onClosed.splice(0)) listener();
  }
  #wake() {
    for (const resolve2 of this.#room.splice(0)) resolve2();
  }
  async #waitForRoom() {
    const stalled = setTimeout(() => this.close(), this.#limits.maxStallMs).unref();
    await new Promise((resolve2) => this.#room.push(resolve2));
    clearTimeout(stalled);
  }
  #keepAlive() {
    if (!this.#isFull) void this.write({ comment: "keep-alive" });
  }
};
function formatEvent({ id, data, retryMs, comment }) {
  if (comment !== void 0) return `: ${comment}

`;
  const name = data === void 0 || data === "" ? "" : "event: message\n";
  const head2 = `${id === void 0 ? "" : `id: ${id}
`}${retryMs === void 0 ? "" : `retry: ${retryMs}
`}`;
  return `${name}${head2}${data === void 0 ? "" : `data: ${data}
`}
`;
}
function callIt(call) {
  call();
}
function sizeOf(text2) {
  return Buffer.byteLength(text2 ?? "");
}

// ../packages/mcp/src/era-2025/session/session-answers.ts
function jsonAnswer(message, sessionId) {
  return HttpAnswer.json(message, 200, { "mcp-session-id": sessionId });
}
function streamAnswer(stream, sessionId) {
  return new HttpAnswer(200, eventStreamHeaders(sessionId), stream);
}
function eventStreamHeaders(sessionId) {
  return {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    // Proxies that buffer would hold back progress.
    "x-accel-buffering": "no",
    "mcp-session-id": sessionId
  };
}
function nothingLeft() {
  return new HttpAnswer(405, { allow: "POST, DELETE" });
}
function outcomeUnknown(tool) {
  const message = `The server restarted while ${tool} ran; it may or may not have taken effect. Check before calling again.`;
  return errorResult("OUTCOME_UNKNOWN", message);
}
function lostAnswer(cursor, sessionId, limits2) {
  const lost = parseOnceStream(sessionId, cursor.stream);
  if (lost === void 0) return void 0;
  const { requestId: id, method, tool } = lost;
  const message = tool === void 0 ? {
    jsonrpc: "2.0",
    id,
    error: {
      code: rpcCodes.internalError,
      message: `The server restarted while it answered ${method}. Ask again.`
    }
  } : { jsonrpc: "2.0", id, result: { ...outcomeUnknown(tool) } };
  const stream = new SseStream(limits2);
  void stream.write({ id: formatEventId(cursor.stream, cursor.place), data: "" });
  void stream.write({ id: formatEventId(cursor.stream, cursor.place + 1), data: JSON.stringify(message) });
  stream.close();
  return streamAnswer(stream, sessionId);
}

// ../packages/mcp/src/era-2025/session/session-document.ts
import { z as z11 } from "zod";
var jsonObject = z11.record(z11.string(), z11.json());
var storedCall = z11.object({
  callId: z11.string(),
  /** The id by which the client knows the request. */
  requestId: z11.union([z11.string(), z11.number()]),
  kind: z11.enum(["journal", "again"]),
  /** Absent for `tools/call`. */
  method: z11.literal("tasks/result").optional(),
  params: jsonObject,
  /** The task that the call joined, where that is not the call's own. */
  taskId: z11.string().optional(),
  /** The place of the last event of a finished call. */
  end: z11.number().optional()
});
var sessionFacts = z11.object({
  protocolVersion: z11.string(),
  /** Params of the client's `initialize` request. */
  initialize: jsonObject,
  /** Params of its last `logging/setLevel` request. */
  logLevel: jsonObject.optional(),
  /** The client that the session named last: the caller of every request that names none. */
  clientId: z11.string().optional(),
  /** A local request opened it. */
  local: z11.boolean().optional(),
  /** Oldest first. */
  calls: z11.array(storedCall)
});
var sessionKind = {
  kind: "session",
  read: (value) => sessionFacts.parse(value)
};
var streamOrderKind = "stream-order";
function finishedCall(call, end2, ofTool) {
  if (call.kind === "again" && call.method === void 0) return void 0;
  const { arguments: given = {}, _meta = {}, name, taskId } = call.params;
  const { content: _answer, ...rest } = isJsonObject(given) ? given : {};
  const meta = pick(_meta, ["progressToken", metaKeys.clientId]);
  const params2 = {
    ...name === void 0 ? {} : { name, arguments: ofTool ? pick(given, ["client_id"]) : rest },
    ...taskId === void 0 ? {} : { taskId },
    ...Object.keys(meta).length === 0 ? {} : { _meta: meta }
  };
  return { ...call, params: params2, end: end2 };
}
function pick(value, keys) {
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).filter(([key]) => keys.includes(key)));
}
function withCall(facts, call, maxFinished) {
  const others = facts.calls.filter(({ callId }) => callId !== call.callId);
  const calls = [...others, call];
  const finished = calls.filter(({ end: end2 }) => end2 !== void 0);
  const dropped = new Set(finished.slice(0, Math.max(0, finished.length - maxFinished)));
  return { ...facts, calls: calls.filter((one) => !dropped.has(one)) };
}

// ../packages/mcp/src/era-2025/register-tools.ts
import { z as z15 } from "zod";

// ../packages/mcp/src/call/rpc-error.ts
var RpcError = class _RpcError extends Error {
  name = "RpcError";
  code;
  data;
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
  static of({ code, message, data }) {
    return new _RpcError(code, message, data);
  }
};
var serverFailures = [
  "DRAINING",
  "STORE_WRITE_FAILED",
  "STORE_READ_FAILED",
  "STORE_LAYOUT",
  "STORE_MISSING",
  "STORE_CLOSED",
  "TASK_CORRUPT"
];
function asRpcError(error) {
  if (error instanceof RpcError) return error;
  if (isResumableError(error)) {
    const code = serverFailures.includes(error.code) ? rpcCodes.internalError : rpcCodes.invalidParams;
    return new RpcError(code, error.message, { code: error.code });
  }
  return new RpcError(rpcCodes.internalError, "The server failed to carry out the request. Its log says more.");
}

// ../packages/mcp/src/control/task-resources.ts
var taskResources = [
  resource("task", "A task", "How far a long-running task is."),
  resource("journal", "A task's journal", "What happened to a long-running task: progress, log, steps and questions."),
  resource("items", "A task's items", "What a long-running task has produced so far.")
];
function resource(part, title, description) {
  const name = part === "task" ? "task" : `task_${part}`;
  const text2 = taskUri("{id}", part);
  const match = (uri) => {
    const parsed2 = parseTaskUri(uri);
    return parsed2?.part === part ? { id: parsed2.taskId } : null;
  };
  const uriTemplate = { match, variableNames: ["id"], toString: () => text2 };
  return { name, part, config: { title, description, mimeType: "application/json" }, uriTemplate };
}
function taskTemplate({ uriTemplate }, listCallback) {
  return { uriTemplate, listCallback, completeCallback: noCompletion };
}
var noCompletion = () => void 0;
async function listTaskResources(tasks) {
  const page = await tasks.list({ limit: limits.maxListedResources });
  const resources = page.tasks.map(({ id, tool, status }) => ({
    uri: taskUri(id),
    name: id,
    title: `${tool} (${status})`,
    mimeType: "application/json"
  }));
  return { resources };
}
async function readTaskResource(engine, tasks, uri) {
  const parsed2 = parseTaskUri(uri);
  const view = parsed2 && await findTask(tasks, parsed2.taskId);
  if (parsed2 === void 0 || view === void 0) throw notFound(uri);
  const data = await readPart(engine, tasks, view, parsed2.part);
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
}
async function checkTaskResource(tasks, uri) {
  const parsed2 = parseTaskUri(uri);
  if (parsed2 !== void 0 && await findTask(tasks, parsed2.taskId) === void 0) throw notFound(uri);
}
async function watchTaskResource(tasks, uri, updated, signal) {
  const parsed2 = parseTaskUri(uri);
  if (parsed2 === void 0) return;
  const { record } = await tasks.get(parsed2.taskId);
  let shown = record.lastSeq;
  for await (const followed of tasks.follow(parsed2.taskId, { afterSeq: shown, signal })) {
    if (seqOf(followed) <= shown) continue;
    shown = (await tasks.get(parsed2.taskId)).record.lastSeq;
    await updated();
  }
}
async function readPart(engine, tasks, view, part) {
  const { id: taskId, lastSeq } = view.record;
  if (part === "task") return taskObject(engine, view);
  if (part === "items") return { task_id: taskId, ...await tasks.items(taskId, { limit: limits.maxReadItems }) };
  const events = [];
  for await (const followed of tasks.follow(taskId, { afterSeq: Math.max(0, lastSeq - limits.maxJournalEvents) })) {
    events.push(shownEvent(followed));
    if (seqOf(followed) >= lastSeq) break;
  }
  return { task_id: taskId, last_seq: lastSeq, events };
}
function shownEvent(followed) {
  if (followed.kind === "snapshot") return { type: "snapshot", seq: followed.record.lastSeq };
  const {
    state: _state,
    value: _value,
    task: _task,
    items,
    ...shown
  } = { ...followed.event };
  return Array.isArray(items) ? { ...shown, item_count: items.length } : shown;
}
function notFound(uri) {
  return new RpcError(rpcCodes.invalidParams, "Resource not found", { uri });
}

// ../packages/mcp/src/control/register-tools.ts
function registerEngine(server, engine, { controlTools: controlTools2, prefix = "", onError }, adapter) {
  bringValidator(engine);
  const { configs: configs3 } = adapter;
  const register = (name, config, takesClientId2, tool, answer) => {
    const handler = async (input2, context) => {
      try {
        const { clientId, rest } = takesClientId2 ? splitClientId(input2) : { clientId: void 0, rest: input2 };
        return await answer(adapter.call(context, clientId), tool, rest, context);
      } catch (error) {
        return failureResult(error, onError);
      }
    };
    registerTool(server, name, config, handler);
  };
  for (const tool of engine.tools) {
    register(tool.name, configs3.ofTool(tool), tool.clientIdArgument === true, tool, adapter.runTool);
  }
  for (const tool of chosenControlTools(controlTools2)) {
    register(
      `${prefix}${tool.name}`,
      configs3.ofControlTool(tool),
      true,
      tool,
      (call, { run }, input2) => run(call, input2)
    );
  }
  adapter.registerTasks();
  const tasksOf = (context) => adapter.call(context, void 0).tasks;
  registerResources(server, engine, tasksOf);
  adapter.registerSubscriptions(tasksOf);
  registerPrompt(server, tasksOf);
}
function registerTool(server, name, config, handler) {
  try {
    server.registerTool(name, forSdk(config), forSdk(handler));
  } catch (cause) {
    const message = `The server already has a tool named ${name}. Rename it, or set the option prefix if it is a control tool.`;
    throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name }, cause });
  }
}
function failureResult(error, onError) {
  if (error instanceof InvalidArguments) return errorResult("INVALID_VALUE", error.message);
  if (!isResumableError(error)) onError?.(error);
  return thrownResult(error);
}
function registerResources(server, engine, tasksOf) {
  const list = async (context) => {
    try {
      return await listTaskResources(tasksOf(context));
    } catch (error) {
      if (isResumableError(error, "NO_OWNER")) return { resources: [] };
      throw error;
    }
  };
  const read = async (uri, _variables, context) => {
    try {
      return await readTaskResource(engine, tasksOf(context), uri.href);
    } catch (error) {
      throw asRpcError(error);
    }
  };
  for (const resource2 of taskResources) {
    const template = taskTemplate(resource2, resource2.part === "task" ? list : void 0);
    server.registerResource(resource2.name, forSdk(template), forSdk(resource2.config), forSdk(read));
  }
}
function registerPrompt(server, tasksOf) {
  const description = "Lists the long-running tasks that are not finished yet, so that they can be resumed or cancelled.";
  const handler = async (context) => {
    const text2 = await unfinishedTasksText(tasksOf(context));
    return { messages: [{ role: "user", content: { type: "text", text: text2 } }] };
  };
  try {
    server.registerPrompt("unfinished_tasks", forSdk({ title: "Unfinished tasks", description }), forSdk(handler));
  } catch {
  }
}
function createToolConfigs(schemaOf) {
  return {
    ofTool: oncePer((tool) => {
      const { inputJsonSchema, clientIdArgument: clientIdArgument2, outputJsonSchema, annotations, title, description, icons } = tool;
      const output = answerSchema2(outputJsonSchema);
      return {
        title,
        description,
        inputSchema: schemaOf(() => clientIdArgument2 === true ? withClientId(inputJsonSchema) : inputJsonSchema),
        outputSchema: output && schemaOf(() => output),
        annotations,
        icons,
        _meta: { [metaKeys.durable]: "journal", ...clientIdArgument2 === true ? namesCaller : {} }
      };
    }),
    ofControlTool: oncePer(({ title, description, annotations, inputSchema }) => ({
      title,
      description,
      inputSchema: schemaOf(inputSchema),
      annotations,
      ...controlMeta(annotations)
    }))
  };
}
function oncePer(make) {
  const made = /* @__PURE__ */ new WeakMap();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
function answerSchema2(output) {
  if (output?.type !== "object") return void 0;
  const { $defs, definitions, ...own } = output;
  const state = {
    type: "object",
    properties: {
      status: { enum: ["running", "paused", "input_required"] },
      task_id: { type: "string" },
      progress: { type: "number" },
      total: { type: "number" },
      next_tool: { type: "string" }
    },
    required: ["status", "task_id", "next_tool"]
  };
  const failure = { type: "object", properties: { error: { type: "object" } }, required: ["error"] };
  return {
    type: "object",
    ...$defs === void 0 ? {} : { $defs },
    ...definitions === void 0 ? {} : { definitions },
    anyOf: [own, state, failure]
  };
}

// ../packages/mcp/src/era-2025/call-2025.ts
import { z as z12 } from "zod";

// ../packages/mcp/src/owner/owner.ts
var strongClientIdForms = "a version 4 UUID, 32 or more hexadecimal digits, or 22 or more base64url characters";
var uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
var hex = /^(?=.*[0-9])([0-9a-f]{32,}|[0-9A-F]{32,})$/;
var base64url = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{22,}$/;
var minDistinctCharacters = 8;
function isStrongClientId(clientId) {
  if (clientId.length > limits.maxClientIdLength || new Set(clientId).size < minDistinctCharacters) return false;
  if (uuidV4.test(clientId)) return true;
  if (hex.test(clientId)) return /[a-f]/i.test(clientId);
  return base64url.test(clientId) && !readsLikeWords(clientId);
}
var letterFrequencies = [
  81.7,
  14.9,
  27.8,
  42.5,
  127,
  22.3,
  20.2,
  60.9,
  69.7,
  1.5,
  7.7,
  40.3,
  24.1,
  67.5,
  75.1,
  19.3,
  0.95,
  59.9,
  63.3,
  90.6,
  27.6,
  9.8,
  23.6,
  1.5,
  19.7,
  0.74
];
var inNames = {
  start: { lower: 0.35, upper: 0.6, digit: 0.04, sign: 0.01 },
  lower: { lower: 0.72, upper: 0.14, digit: 0.05, sign: 0.09 },
  upper: { lower: 0.8, upper: 0.12, digit: 0.02, sign: 0.06 },
  digit: { lower: 0.1, upper: 0.2, digit: 0.55, sign: 0.15 },
  sign: { lower: 0.2, upper: 0.6, digit: 0.19, sign: 0.01 }
};
var inRandomIds = { lower: 26 / 64, upper: 26 / 64, digit: 10 / 64, sign: 2 / 64 };
var leastEvidenceBits = 8;
function readsLikeWords(text2) {
  let bits = 0;
  let before = "start";
  for (const character of text2) {
    const kind = kindOf(character);
    bits += Math.log2(inNames[before][kind] / inRandomIds[kind]) + letterBits(character);
    before = kind;
  }
  return bits >= leastEvidenceBits;
}
function kindOf(character) {
  if (character >= "a" && character <= "z") return "lower";
  if (character >= "A" && character <= "Z") return "upper";
  return character >= "0" && character <= "9" ? "digit" : "sign";
}
function letterBits(character) {
  const frequency = letterFrequencies[character.toLowerCase().charCodeAt(0) - "a".charCodeAt(0)];
  return frequency === void 0 ? 0 : Math.log2(frequency / 1e3 * letterFrequencies.length);
}
function resolveOwner({ subject, clientId, sessionId, locality }) {
  if (subject !== void 0) return ownerTag("sub", subject);
  if (clientId !== void 0 && isStrongClientId(clientId)) return ownerTag("client", clientId);
  if (clientId === void 0) {
    if (locality.local) return ownerTag("local", "local");
    if (sessionId !== void 0) return ownerTag("session", sessionId);
    throw noOwner(
      `The call does not say whose it is: it has no token, no session and no client_id, ${notLocal(locality)}`
    );
  }
  if (clientId.length > limits.maxClientIdLength) {
    throw noOwner(
      `The client_id has ${clientId.length} characters; the limit maxClientIdLength is ${limits.maxClientIdLength}.`
    );
  }
  const identifies = locality.local && clientId.length >= limits.minLocalClientIdLength;
  const scope = identifies ? "local" : sessionId ?? (locality.local ? "local" : void 0);
  if (scope === void 0) {
    throw noOwner(
      `The client_id of the call can be guessed, so it identifies no owner: the call has no token and no session, ${notLocal(locality)}`
    );
  }
  return ownerTag("client", `${scope}/${clientId}`);
}
function notLocal(locality) {
  return locality.local ? "" : `and it is not local: ${locality.reason}.`;
}
function noOwner(problem) {
  const advice = `Send "_meta": {"resumable-mcp/client_id": "<128 random bits>"} (${strongClientIdForms}), or authenticate.`;
  return new ResumableError("NO_OWNER", `${problem} ${advice}`, { details: {} });
}
function subjectOf(token) {
  const sub = token?.extra?.sub;
  return typeof sub === "string" && sub !== "" ? sub : token?.clientId;
}
var local = { local: true };
var unknown2 = { local: false, reason: "the server was not given that fact by what serves it" };
var localities = /* @__PURE__ */ new WeakMap();
function noteLocality(request, locality) {
  if (locality !== void 0) localities.set(request, locality);
}
function localityOf(request) {
  return (request === void 0 ? void 0 : localities.get(request)) ?? unknown2;
}

// ../packages/mcp/src/era-2025/call-2025.ts
var goneReason = "resumable-mcp: the stream of this call has ended";
function call2025({ mcp, engine, options, wantsLog }, extra, clientIdArgument2) {
  const { server } = mcp;
  const { signal, sessionId, requestInfo, requestId } = extra;
  const isStdio = requestInfo === void 0 && sessionId === void 0;
  const isTrusted = isStdio || server.transport !== void 0 && setsInternalMeta in server.transport;
  const meta = parseCallMeta(extra._meta, isTrusted);
  const clientId = meta.clientId ?? clientIdArgument2;
  const subject = options.owner === void 0 ? subjectOf(extra.authInfo) : options.owner(extra);
  const locality = options.singleUser === true || isStdio ? local : localityOf(requestInfo);
  return {
    engine,
    tasks: engine.forOwner(resolveOwner({ subject, clientId, sessionId, locality })),
    meta,
    requestId,
    signal,
    server,
    clientId,
    sessionId,
    prefix: options.prefix ?? "",
    handoff: options.handoff,
    host: server.getClientVersion()?.name,
    // A request that ends with its connection, or that a newer delivery replaces, was not cancelled by its caller.
    left: () => signal.reason === goneReason || server.transport === void 0 ? "gone" : "cancelled",
    notify: forSdk(extra.sendNotification),
    ask: canAsk(mcp) ? (...asked) => askUser(extra, ...asked) : void 0,
    wantsLog: (level) => wantsLog(level, sessionId)
  };
}
var setsInternalMeta = /* @__PURE__ */ Symbol.for("resumable-mcp.sets-internal-meta");
var anyResult = z12.looseObject({});
var noTimeoutMs = 2 ** 31 - 1;
function canAsk({ server }) {
  const elicitation = server.getClientCapabilities()?.elicitation;
  if (elicitation === void 0) return false;
  return "form" in elicitation || !("url" in elicitation);
}
async function askUser(extra, taskId, { key, question, seq }, signal) {
  const _meta = { [metaKeys.taskId]: taskId, [metaKeys.question]: key, [metaKeys.seq]: seq };
  const params2 = { message: question.message, requestedSchema: question.schema, _meta };
  const request = { method: "elicitation/create", params: params2 };
  const options = { signal, timeout: noTimeoutMs };
  const given = await extra.sendRequest(forSdk(request), forSdk(anyResult), forSdk(options));
  return parseElicitationResult(given) ?? { action: "cancel" };
}

// ../packages/mcp/src/era-2025/server-2025.ts
function createClosedSignal({ server }) {
  let known2;
  return () => {
    if (known2 !== void 0) return known2;
    if (server.transport === void 0) return AbortSignal.abort("closed");
    const closed = new AbortController();
    const before = server.onclose;
    server.onclose = () => {
      known2 = void 0;
      server.onclose = before;
      closed.abort("closed");
      before?.();
    };
    known2 = closed.signal;
    return known2;
  };
}
function hasNoneOf({ server }, methods3) {
  try {
    for (const method of methods3) server.assertCanSetRequestHandler(method);
    return true;
  } catch {
    return false;
  }
}

// ../packages/mcp/src/era-2025/take-subscriptions.ts
import { z as z13 } from "zod";
var uriParams = z13.looseObject({ uri: z13.string().max(1024) });
var requests = {
  subscribe: z13.looseObject({ method: z13.literal("resources/subscribe"), params: uriParams }),
  unsubscribe: z13.looseObject({ method: z13.literal("resources/unsubscribe"), params: uriParams })
};
function takeSubscriptions({ mcp, options, closedSignal }, tasksOf) {
  const { server } = mcp;
  const open2 = /* @__PURE__ */ new Map();
  const watch2 = async (uri, tasks, stop) => {
    const signal = AbortSignal.any([stop.signal, closedSignal()]);
    const updated = async () => {
      if (!signal.aborted)
        await server.notification(forSdk({ method: "notifications/resources/updated", params: { uri } }));
    };
    try {
      await watchTaskResource(tasks, uri, updated, signal);
    } catch (error) {
      if (!isResumableError(error, "TASK_NOT_FOUND")) options.onError?.(error);
    }
  };
  const subscribe = async (uri, extra) => {
    if (open2.has(uri)) return {};
    if (open2.size >= limits.maxSubscriptionsPerSession) {
      const message = `This session has reached its limit of ${limits.maxSubscriptionsPerSession} subscriptions.`;
      throw new RpcError(rpcCodes.internalError, message);
    }
    const stop = new AbortController();
    open2.set(uri, stop);
    try {
      const tasks = tasksOf(extra);
      await checkTaskResource(tasks, uri);
      void watch2(uri, tasks, stop);
      return {};
    } catch (error) {
      open2.delete(uri);
      throw asRpcError(error);
    }
  };
  const unsubscribe = (uri) => {
    open2.get(uri)?.abort("unsubscribed");
    open2.delete(uri);
    return {};
  };
  if (!hasNoneOf(mcp, ["resources/subscribe", "resources/unsubscribe"])) return;
  server.registerCapabilities({ resources: { subscribe: true } });
  const take = (request, run) => {
    const handler = ({ params: params2 }, extra) => run(params2.uri, extra);
    server.setRequestHandler(forSdk(request), forSdk(handler));
  };
  take(requests.subscribe, subscribe);
  take(requests.unsubscribe, unsubscribe);
}

// ../packages/mcp/src/era-2025/tasks/register-tasks.ts
import { z as z14 } from "zod";

// ../packages/mcp/src/era-2025/tasks/task-2025.ts
var relatedTaskKey = "io.modelcontextprotocol/related-task";
function task2025(view) {
  return { ...summary2025({ ...view.record, status: view.status }), statusMessage: statusMessage(view) };
}
function summary2025(task) {
  return {
    taskId: task.id,
    status: status2025(task.status),
    statusMessage: task.message,
    createdAt: task.createdAt,
    lastUpdatedAt: task.updatedAt,
    ttl: keptMs(task),
    pollInterval: limits.pollIntervalMs
  };
}
function createTaskResult2025(view) {
  const { id, lastSeq } = view.record;
  return { task: task2025(view), _meta: { [metaKeys.taskId]: id, [metaKeys.seq]: lastSeq } };
}
function status2025(status) {
  return status === "pending" || status === "running" || status === "paused" ? "working" : status;
}
async function cancelTask2(tasks, taskId) {
  try {
    await tasks.cancel(taskId);
  } catch (error) {
    if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
    throw new RpcError(rpcCodes.invalidParams, error.message);
  }
  const { reason, ...view } = await tasks.wait(taskId, { timeoutMs: limits.cancelWaitMs });
  return isFinal(view.status) ? view : { ...view, status: "cancelled" };
}
var pageSize = 100;
async function listTasks(tasks, cursor) {
  const { tasks: listed3, nextCursor } = await tasks.list({ limit: pageSize, cursor });
  return { tasks: listed3.map(summary2025), nextCursor };
}
async function taskResult(call, taskId) {
  for (; ; ) {
    const { reason, view } = await followCall(call, await call.tasks.get(taskId), void 0);
    if (reason === "finished") {
      carryResult(call, taskId);
      const result = answerOfTask(call.engine, view);
      return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId } } };
    }
    if (reason === "left") throw new RpcError(rpcCodes.internalError, "The request was cancelled; the task continues.");
    await nextEvent(call, taskId, view.record.lastSeq);
  }
}
function answerOfTask(engine, view) {
  const { error } = view.record;
  const code = error === void 0 ? void 0 : rpcCodeOf(error);
  if (error !== void 0 && code !== void 0) throw new RpcError(code, error.message);
  return finishedResult(engine, view, false);
}
async function nextEvent({ tasks, signal }, taskId, afterSeq) {
  for await (const _event of tasks.follow(taskId, { afterSeq, signal })) {
    const { status } = await tasks.get(taskId);
    if (isFinal(status) || status !== "paused" && status !== "input_required") return;
  }
}

// ../packages/mcp/src/era-2025/tasks/register-tasks.ts
var paramsSchema = z14.looseObject({
  taskId: z14.string().max(256).default(""),
  cursor: z14.string().max(1024).optional()
});
var methods = {
  "tasks/get": async ({ tasks }, { taskId }) => task2025(await tasks.get(taskId)),
  "tasks/result": (call, { taskId }) => taskResult(call, taskId),
  "tasks/cancel": async ({ tasks }, { taskId }) => task2025(await cancelTask2(tasks, taskId)),
  "tasks/list": ({ tasks }, { cursor }) => listTasks(tasks, cursor)
};
var requests2 = Object.keys(methods).map(
  (method) => z14.looseObject({ method: z14.literal(method), params: paramsSchema.default({ taskId: "" }) })
);
var callRequest = z14.looseObject({ method: z14.literal("tools/call") });
var listRequest = z14.looseObject({ method: z14.literal("tools/list") });
function registerTasks(environment) {
  const { server } = environment.mcp;
  if (!hasNoneOf(environment.mcp, Object.keys(methods))) return;
  server.registerCapabilities({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  for (const [index, [method, run]] of Object.entries(methods).entries()) {
    const handler = async ({ params: params2 }, extra) => {
      try {
        const shown = method === "tasks/result" ? aboutTask(extra, params2.taskId) : extra;
        return await run(call2025(environment, shown, void 0), params2);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    server.setRequestHandler(forSdk(requests2[index]), forSdk(handler));
  }
  takeTaskCalls(environment);
}
function aboutTask(extra, taskId) {
  return {
    ...extra,
    sendNotification: (notification) => extra.sendNotification(forSdk(related(notification, taskId))),
    sendRequest: (request, schema2, options) => extra.sendRequest(forSdk(related(request, taskId)), schema2, options)
  };
}
function related(message, taskId) {
  const params2 = isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params2._meta) ? params2._meta : {};
  return { ...message, params: { ...params2, _meta: { ...meta, [relatedTaskKey]: { taskId } } } };
}
function takeTaskCalls(environment) {
  const { server } = environment.mcp;
  const callTool2 = handlerOf(server, "tools/call");
  const listTools = handlerOf(server, "tools/list");
  if (callTool2 === void 0 || listTools === void 0) return;
  const tools = new Map(environment.engine.tools.map((tool) => [tool.name, tool]));
  const tellStatus = createStatusTeller(environment);
  const listed3 = async (extra) => {
    const list = Reflect.get(await listTools({ method: "tools/list" }, extra), "tools");
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  const takeCall = async (request, extra) => {
    const { name, task, arguments: input2 } = isJsonObject(request.params) ? request.params : {};
    const tool = tools.get(String(name));
    if (tool === void 0) {
      const answer = await callTool2(request, extra);
      return isUnknownTool(String(name), answer) ? unknownTool(String(name), await listed3(extra)) : answer;
    }
    checkSupport(tool, task !== void 0);
    if (task === void 0) return callTool2(request, extra);
    return createTask(environment, tool, isJsonObject(input2) ? input2 : {}, extra, tellStatus);
  };
  const takeList = async (request, extra) => {
    const answer = await listTools(request, extra);
    const list = Reflect.get(answer, "tools");
    return { ...answer, tools: Array.isArray(list) ? list.map((entry) => withExecution(entry, tools)) : [] };
  };
  server.setRequestHandler(forSdk(callRequest), forSdk(takeCall));
  server.setRequestHandler(forSdk(listRequest), forSdk(takeList));
}
function unknownTool(name, tools) {
  const known2 = tools.map((tool) => String(tool.name)).join(", ");
  const message = `There is no tool ${JSON.stringify(name.slice(0, 100))}. There are: ${known2}.`;
  return errorResult("UNKNOWN_TOOL", message);
}
function checkSupport({ name, taskSupport = "optional" }, asTask) {
  const problems = {
    required: asTask ? void 0 : `has to be called as a task: add "task": {} to the params.`,
    forbidden: asTask ? `cannot be called as a task: leave out "task".` : void 0,
    optional: void 0
  };
  const problem = problems[taskSupport];
  if (problem !== void 0) throw new RpcError(rpcCodes.methodNotFound, `Tool ${name} ${problem}`);
}
async function createTask(environment, tool, input2, extra, tellStatus) {
  const { clientId, rest } = tool.clientIdArgument === true ? splitClientId(input2) : { clientId: void 0, rest: input2 };
  try {
    const call = call2025(environment, extra, clientId);
    const begun = await knownTask(call) ?? await call.tasks.start(startRequest(call, tool, rest, true));
    if (!begun.created) await call.tasks.detach(begun.record.id);
    tellStatus(call.tasks, begun.record.id);
    return createTaskResult2025(begun);
  } catch (error) {
    throw asRpcError(error);
  }
}
function createStatusTeller({ mcp: { server }, options, closedSignal }) {
  const watched = /* @__PURE__ */ new Set();
  const tell = async (tasks, taskId, signal) => {
    let shown;
    for await (const _event of tasks.follow(taskId, { signal })) {
      const params2 = task2025(await tasks.get(taskId));
      if (signal.aborted) return;
      if (params2.status === shown) continue;
      shown = params2.status;
      await server.notification(forSdk({ method: "notifications/tasks/status", params: params2 }));
    }
  };
  return (tasks, taskId) => {
    if (watched.has(taskId)) return;
    watched.add(taskId);
    tell(tasks, taskId, closedSignal()).catch((error) => options.onError?.(error)).finally(() => watched.delete(taskId));
  };
}
function withExecution(entry, tools) {
  const tool = isJsonObject(entry) ? tools.get(String(entry.name)) : void 0;
  return tool === void 0 ? entry : { ...Object(entry), execution: { taskSupport: tool.taskSupport ?? "optional" } };
}

// ../packages/mcp/src/era-2025/register-tools.ts
var configs = createToolConfigs(exactSchema);
function registerTools(server, engine, options = {}) {
  const environment = {
    mcp: server,
    engine,
    options,
    wantsLog: createLogFilter(server),
    closedSignal: createClosedSignal(server)
  };
  registerEngine(server, engine, options, {
    call: (extra, clientId) => call2025(environment, extra, clientId),
    runTool: runToolCall,
    configs,
    registerTasks: () => registerTasks(environment),
    registerSubscriptions: (tasksOf) => takeSubscriptions(environment, tasksOf)
  });
}
var setLevelRequest = z15.looseObject({
  method: z15.literal("logging/setLevel"),
  params: z15.looseObject({ level: z15.unknown() }).default({ level: void 0 })
});
function createLogFilter(mcp) {
  const { server } = mcp;
  if (!hasNoneOf(mcp, ["logging/setLevel"])) return (level, sessionId) => !isIgnoredLevel(server, level, sessionId);
  let least = "debug";
  server.registerCapabilities({ logging: {} });
  const handler = ({ params: params2 }) => {
    const { level } = params2;
    if (!isLogLevel(level))
      throw new RpcError(rpcCodes.invalidParams, `The level must be one of ${logLevels.join(", ")}.`);
    least = level;
    return {};
  };
  server.setRequestHandler(forSdk(setLevelRequest), forSdk(handler));
  return (level) => isAtLeast(level, least);
}

// ../packages/mcp/src/owner/random-token.ts
var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
var pool = new Uint8Array(4096);
var used = pool.length;
function randomToken(length) {
  let token = "";
  while (token.length < length) {
    const byte = nextByte();
    if (byte < 248) token += letters.charAt(byte % letters.length);
  }
  return token;
}
function nextByte() {
  if (used >= pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used] ?? 255;
  pool[used] = 0;
  used += 1;
  return byte;
}

// ../packages/mcp/src/era-2025/session/session-stream.ts
var SessionStream = class {
  name;
  kind;
  /** The place of the last event, as far as this process knows. */
  place;
  /** The task's result that the response carries, if it does. */
  receipt;
  #limits;
  #kept;
  #keptBytes = 0;
  #sse;
  #release;
  #onFirst;
  /** The place up to which the present response has sent. */
  #shown = 0;
  constructor(name, kind, limits2, place2 = 0) {
    this.name = name;
    this.kind = kind;
    this.place = place2;
    this.#limits = limits2;
  }
  /** Resolves when the first message was written, or when none will be. */
  first() {
    return this.place > 0 ? Promise.resolve() : new Promise((resolve2) => {
      this.#onFirst = resolve2;
    });
  }
  /** Nothing will be written any more. */
  abandon() {
    this.#onFirst?.();
    this.detach();
  }
  /** Lets a response carry the stream from now on, and sends again what the client lost. */
  sendOn(sse, after, prime, onLost = () => {
  }) {
    this.#release?.();
    this.#sse = sse;
    sse.carries = this.name;
    this.#shown = after;
    this.#release = sse.acquire(() => {
      if (this.#sse !== sse) return;
      this.detach();
      onLost();
    });
    const { retryMs } = prime ?? {};
    if (retryMs !== void 0) void sse.write({ id: formatEventId(this.name, after), data: "", retryMs });
    for (const { place: place2, data, onSent } of this.#kept ?? []) {
      if (place2 > after) void sse.write({ id: formatEventId(this.name, place2), data, onSent });
    }
  }
  /** Ends the present response; its client comes back after `retryMs`. */
  end(retryMs) {
    void this.#sse?.write({ retryMs });
    this.detach();
  }
  detach() {
    const release = this.#release;
    this.#sse = void 0;
    this.#release = void 0;
    release?.();
  }
  /** Writes a message to the client; resolves when there is room for the next. */
  async write(message) {
    const data = JSON.stringify(message);
    const place2 = this.#placeOf(message);
    const { receipt } = this;
    const onSent = receipt !== void 0 && isCompletedResponse(message) ? () => receipt.sent() : void 0;
    if (onSent !== void 0) receipt?.sending();
    if (this.kind !== "journal" && place2 !== void 0) this.#keep({ place: place2, data, onSent });
    this.#onFirst?.();
    const id = place2 === void 0 ? void 0 : formatEventId(this.name, place2);
    await this.#sse?.write({ id, data, onSent });
  }
  /** A message about a journal's event stands at its seq; one about nothing in the journal moves no cursor. */
  #placeOf(message) {
    const place2 = this.kind === "journal" ? metaOf(message, metaKeys.seq) : this.place + 1;
    if (typeof place2 !== "number") return void 0;
    this.place = Math.max(place2, this.place);
    this.#shown = Math.max(place2, this.#shown);
    return this.#shown;
  }
  #keep(event) {
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    this.#kept ??= [];
    this.#kept.push(event);
    this.#keptBytes += event.data.length;
    while (this.#kept.length > 1 && (this.#kept.length > maxReplayEvents || this.#keptBytes > maxReplayBytes)) {
      this.#keptBytes -= this.#kept.shift()?.data.length ?? 0;
    }
  }
};
var InFlightRequest = class extends SessionStream {
  request;
  /** Under which id the server behind knows the request now; `undefined` while nothing is delivered. */
  innerId;
  /** The task that the call belongs to, where that is not the call's own. */
  taskId;
  /** The place at which the client came back last: what was shown up to there is not shown again at once. */
  resumedAt = 0;
  response;
  constructor(name, request, kind, limits2, place2 = 0) {
    super(name, kind, limits2, place2);
    this.request = request;
  }
  /** The id of its task, if it has one. */
  get task() {
    return this.taskId ?? this.name;
  }
  get finished() {
    return this.response !== void 0;
  }
};
function metaOf(message, key) {
  const body = "result" in message ? message.result : "params" in message ? message.params : void 0;
  const meta = isJsonObject(body) ? Reflect.get(body, "_meta") : void 0;
  return isJsonObject(meta) ? meta[key] : void 0;
}

// ../packages/mcp/src/era-2025/session/in-flight-calls.ts
var InFlightCalls = class {
  #document;
  #engine;
  #limits;
  #inFlight = /* @__PURE__ */ new Map();
  /** Streams of cancelled calls of this process, oldest first. */
  #cancelled = [];
  constructor(document, engine, limits2) {
    this.#document = document;
    this.#engine = engine;
    this.#limits = limits2;
  }
  /** Unfinished calls that a client may come back to, and such requests as are being answered. */
  get openCount() {
    const inMemory = [...this.#inFlight.values()].filter(({ finished }) => !finished);
    const stored = this.#openCalls().filter(({ callId }) => !this.#inFlight.has(callId));
    return inMemory.length + stored.length;
  }
  /** Whether something is delivered to the server behind, which has not answered yet. */
  get delivering() {
    return [...this.#inFlight.values()].some(({ innerId }) => innerId !== void 0);
  }
  /** Makes the in-flight request of a request, which is not known here until it is added. */
  create(request, kind) {
    const name = kind === "once" ? onceName(this.#document.id, request) : randomToken(22);
    return new InFlightRequest(name, request, kind, this.#limits);
  }
  /** What the session's document keeps of a request that may be delivered again. */
  stored({ name: callId, request, kind }) {
    const params2 = JSON.parse(JSON.stringify(request.params ?? {}));
    const call = {
      callId,
      requestId: request.id,
      kind: kind === "again" ? kind : "journal",
      method: request.method === "tasks/result" ? request.method : void 0,
      params: params2
    };
    return (facts) => withCall(facts, call, this.#limits.maxFinishedCalls);
  }
  add(inFlight) {
    this.#inFlight.set(inFlight.name, inFlight);
    return inFlight;
  }
  /** The request that the server behind knows by this id now. */
  delivered(innerId) {
    const inFlight = this.#inFlight.get(String(innerId).split("#", 1)[0] ?? "");
    return inFlight?.innerId === innerId ? inFlight : void 0;
  }
  /** Finds the call of a stream, in memory or as it was stored by a process before this one. */
  find({ stream, place: place2 }) {
    const known2 = this.#inFlight.get(stream);
    const call = this.#stored(stream);
    if (known2 !== void 0 || call === void 0) return known2;
    const { callId, requestId, kind, params: params2, taskId, method = "tools/call" } = call;
    const request = { jsonrpc: "2.0", id: requestId, method, params: { ...params2 } };
    const inFlight = new InFlightRequest(callId, request, kind, this.#limits, kind === "again" ? place2 : 0);
    inFlight.taskId = taskId;
    return this.add(inFlight);
  }
  /**
   * Finds the unfinished in-flight request of a request, in memory or as a process before this one stored it. A restarted client
   * may use an id a second time: the newest request has it.
   */
  findRequest(requestId) {
    const known2 = [...this.#inFlight.values()].findLast(
      ({ request, finished }) => request.id === requestId && !finished
    );
    const stored = this.#openCalls().findLast((call) => call.requestId === requestId);
    return known2 ?? (stored && this.find({ stream: stored.callId, place: 0 }));
  }
  /** Tells whether a stream is that of a call which its client cancelled in this process. */
  wasCancelled(stream) {
    return this.#cancelled.includes(stream);
  }
  /**
   * Notes that the client cancelled a call: nothing of it is delivered from now on.
   *
   * Durability: resolves when no process after this one delivers the call again.
   *
   * @param delivered whether a server behind had the call, and so stops its task; otherwise this does.
   */
  async cancel(inFlight, delivered) {
    this.#cancelled = [...this.#cancelled, inFlight.name].slice(-this.#limits.maxFinishedCalls);
    this.forget(inFlight);
    if (inFlight.kind === "once") return;
    await this.#document.flush();
    if (!delivered && inFlight.kind === "journal") await this.#stopTask(inFlight);
  }
  /** The task of a call that no server behind has: its caller comes, and leaves at once. */
  async #stopTask({ task: id }) {
    const task = await this.#engine.readTask(id);
    if (task === void 0) return;
    const leave2 = this.#engine.forOwner(task.record.owner).addWaiter(task.record.id);
    leave2("cancelled");
  }
  /**
   * The client gave up a request. If it was answered before, maybe by a process before this one, it did not get the
   * result.
   */
  async withdraw(requestId) {
    [...this.#inFlight.values()].findLast(({ request }) => request.id === requestId)?.receipt?.withdraw();
    const call = this.#document.value.calls.findLast((one) => one.requestId === requestId);
    const taskId = call?.taskId ?? (call?.method === "tasks/result" ? call.params.taskId : call?.callId);
    const task = typeof taskId === "string" ? await this.#engine.readTask(taskId) : void 0;
    if (task !== void 0) await this.#engine.forOwner(task.record.owner).withdrawDelivered(task.record.id);
  }
  /**
   * Writes the user's answer to a question of one of this session's tasks into its journal, before the client receives
   * that it arrived: the request that asked may have ended. False when it answers nothing that this session can have been asked.
   */
  async answerQuestion(response) {
    const asked = parseQuestionId(String(response.id));
    const call = this.#openCalls().find((one) => (one.taskId ?? one.callId) === asked?.taskId);
    const task = asked === void 0 || call === void 0 ? void 0 : await this.#engine.readTask(asked.taskId);
    if (asked === void 0 || task === void 0 || !Object.hasOwn(task.record.remembered, asked.key)) return false;
    const answer = "result" in response ? parseElicitationResult(response.result) : void 0;
    if (answer === void 0) return true;
    try {
      await this.#engine.forOwner(task.record.owner).answer(asked.taskId, asked.key, answer);
    } catch (error) {
      if (!isResumableError(error, "INVALID_VALUE") && !isResumableError(error, "ALREADY_ANSWERED")) throw error;
    }
    return true;
  }
  /** What a place in an in-flight request's stream is: within it, its very end, or beyond anything that was sent. */
  async judge(inFlight, place2) {
    const end2 = inFlight.finished ? inFlight.place : this.#stored(inFlight.name)?.end;
    if (end2 !== void 0) return place2 > end2 ? "ahead" : place2 === end2 ? "over" : this.#isThere(inFlight);
    if (place2 <= inFlight.place) return "open";
    if (inFlight.kind !== "journal") return "ahead";
    const task = await this.#engine.readTask(inFlight.task);
    if (task === void 0) return "open";
    if (place2 > task.record.lastSeq) return "ahead";
    return task.record.finishedAt !== void 0 && place2 === task.record.lastSeq ? "over" : "open";
  }
  /** A finished call is not begun again: without its task there is nothing to tell. */
  async #isThere({ task, request, kind }) {
    if (kind !== "journal" || !this.#callsTool(request)) return "open";
    return await this.#engine.readTask(task) === void 0 ? "over" : "open";
  }
  #callsTool({ params: params2 }) {
    return this.#engine.tools.some(({ name }) => name === params2?.name);
  }
  /**
   * A call of a tool of ours joined a task that another call had begun, or a request for a task's result passes on
   * what the task asks: a later delivery has to know.
   *
   * Only the server behind says so, which has looked whose task it is. What a client names may be anybody's.
   */
  async noteTask(inFlight, message) {
    const taskId = metaOf(message, metaKeys.taskId);
    if (typeof taskId !== "string") return;
    const { name, request } = inFlight;
    const isResult = request.method === "tasks/result";
    if (isResult && "method" in message && inFlight.place === 0) inFlight.kind = "journal";
    if (inFlight.kind !== "journal" || taskId === name || taskId === inFlight.taskId) return;
    inFlight.taskId = taskId;
    if (!isResult && !this.#callsTool(request)) return;
    await this.#document.change((facts) => ({
      ...facts,
      calls: facts.calls.map((call) => call.callId === name ? { ...call, taskId, kind: "journal" } : call)
    }));
  }
  noteFinished(inFlight) {
    const finished = [...this.#inFlight.values()].filter((one) => one.finished);
    for (const old of finished.slice(0, -this.#limits.maxFinishedCalls)) this.#inFlight.delete(old.name);
    if (inFlight.kind === "once") return;
    this.#document.note((facts) => {
      const call = facts.calls.find(({ callId }) => callId === inFlight.name);
      if (call === void 0) return facts;
      const kept = finishedCall(call, inFlight.place, this.#callsTool(inFlight.request));
      const others = { ...facts, calls: facts.calls.filter((one) => one !== call) };
      return kept === void 0 ? others : withCall(others, kept, this.#limits.maxFinishedCalls);
    });
  }
  /** The client will not come back to this in-flight request. */
  forget({ name, kind }) {
    this.#inFlight.delete(name);
    if (kind !== "once") {
      this.#document.note((facts) => ({ ...facts, calls: facts.calls.filter(({ callId }) => callId !== name) }));
    }
  }
  clear() {
    for (const inFlight of this.#inFlight.values()) inFlight.abandon();
    this.#inFlight.clear();
  }
  #openCalls() {
    return this.#document.value.calls.filter(({ end: end2 }) => end2 === void 0);
  }
  #stored(callId) {
    return this.#document.value.calls.find((call) => call.callId === callId);
  }
};
function onceName(sessionId, { id, method, params: params2 }) {
  const tool = method === "tools/call" ? String(params2?.name) : void 0;
  const nonce = randomToken(16);
  return onceStream(sessionId, nonce, { requestId: id, method, tool }) ?? `once_${nonce}`;
}

// ../packages/mcp/src/call/question-relay.ts
var QuestionRelay = class {
  #maxQuestions;
  #shown = /* @__PURE__ */ new Set();
  #early = /* @__PURE__ */ new Map();
  /** Answers that a server was given, which may have died before it wrote them down. */
  #given = /* @__PURE__ */ new Map();
  #asking = /* @__PURE__ */ new Map();
  constructor(maxQuestions = 1e3) {
    this.#maxQuestions = maxQuestions;
  }
  /** A request asks. `seen`: the client may have been shown the question by a process before this one. */
  ask(wireId, innerId, seen) {
    const early = this.#early.get(wireId);
    if (early !== void 0) {
      this.#early.delete(wireId);
      this.#given.set(wireId, early);
      return { kind: "answered", message: early };
    }
    const here2 = this.#shown.has(wireId);
    this.#asking.set(wireId, (this.#asking.get(wireId) ?? /* @__PURE__ */ new Set()).add(innerId));
    this.#shown.add(wireId);
    drop(this.#shown, this.#maxQuestions);
    return here2 || seen ? { kind: "wait", here: here2 } : { kind: "show" };
  }
  /** An answer came: gives the requests that asked for it. Without one the answer is kept. */
  answer(wireId, message) {
    const asking = this.#asking.get(wireId);
    this.#asking.delete(wireId);
    this.#shown.delete(wireId);
    const isAsked = asking !== void 0 && asking.size > 0;
    const kept = isAsked ? this.#given : this.#early;
    kept.set(wireId, message);
    drop(kept, this.#maxQuestions);
    return isAsked ? [...asking] : [];
  }
  /** An answer came and could not be stored: that the question was shown here no longer means that its answer will come. */
  unanswered(wireId) {
    this.#shown.delete(wireId);
  }
  isWaiting(wireId) {
    return (this.#asking.get(wireId)?.size ?? 0) > 0;
  }
  /** The request of this id asks no longer. Gives the question's id when no other request asks. */
  withdraw(innerId) {
    for (const [wireId, asking] of this.#asking) {
      if (!asking.delete(innerId)) continue;
      if (asking.size > 0) return void 0;
      this.#asking.delete(wireId);
      return wireId;
    }
    return void 0;
  }
  /** The question is closed: it was shown for the last time. */
  forget(wireId) {
    this.#shown.delete(wireId);
    this.#asking.delete(wireId);
  }
  /** The task went on after its answers, so they are in its journal. */
  answersWritten(taskId) {
    for (const wireId of this.#given.keys()) if (parseQuestionId(wireId)?.taskId === taskId) this.#given.delete(wireId);
  }
  /** The server process has ended, with all that it asked, and perhaps with answers that it was given. */
  reset() {
    this.#asking.clear();
    for (const [wireId, message] of this.#given) this.#early.set(wireId, message);
    this.#given.clear();
  }
};
function drop(items, max) {
  for (const key of items.keys()) {
    if (items.size <= max) return;
    items.delete(key);
  }
}

// ../packages/mcp/src/era-2025/session/server-requests.ts
var ServerRequests = class {
  #nonce = randomToken(9);
  #askAgainMs;
  #questions = new QuestionRelay();
  #requests = /* @__PURE__ */ new Map();
  #timers = /* @__PURE__ */ new Map();
  /** Questions that this process asks, by the id under which the client knows them. */
  #asked = /* @__PURE__ */ new Map();
  #count = 0;
  constructor(askAgainMs) {
    this.#askAgainMs = askAgainMs;
  }
  close() {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#asked.clear();
  }
  /**
   * Gives a request an id that no other process of this session gives to another request. `undefined` when the client has
   * it already.
   *
   * @param onAnswered hears of an answer that came before.
   */
  number(request, inFlight, onAnswered) {
    const key = metaOf(request, metaKeys.question);
    const taskId = metaOf(request, metaKeys.taskId);
    if (inFlight === void 0 || typeof key !== "string" || typeof taskId !== "string") {
      const wireId2 = `srv_${this.#nonce}_${++this.#count}`;
      this.#requests.set(wireId2, request.id);
      return { ...request, id: wireId2 };
    }
    const wireId = questionId(taskId, key);
    const numbered = { ...request, id: wireId };
    const seq = metaOf(request, metaKeys.seq);
    const seen = typeof seq === "number" && inFlight.resumedAt > 0 && inFlight.resumedAt >= seq;
    const relayed = this.#questions.ask(wireId, request.id, seen);
    this.#asked.set(wireId, { inFlight, request: numbered });
    if (relayed.kind === "show") return numbered;
    if (relayed.kind === "answered") queueMicrotask(() => onAnswered({ ...relayed.message, id: request.id }));
    else if (!relayed.here) this.#showLater(inFlight, numbered);
    return void 0;
  }
  /**
   * Takes what the client answers, and gives the ids of the requests that asked.
   *
   * @param keep whether the answer waits until a request asks for it; otherwise it is dropped.
   */
  answer(response, keep) {
    const wireId = String(response.id);
    const innerId = this.#requests.get(wireId);
    this.#forget(wireId);
    const isQuestion = keep || this.#questions.isWaiting(wireId);
    const asking = isQuestion ? this.#questions.answer(wireId, response) : [];
    return innerId === void 0 ? asking : [innerId];
  }
  /** The answer to a question could not be stored: the question is shown once more, after `askAgainMs`. */
  askAgain(wireId) {
    this.#questions.unanswered(wireId);
    const asked = this.#asked.get(wireId);
    if (asked !== void 0) this.#showLater(asked.inFlight, asked.request);
  }
  /** The answer to a question that was shown before a restart may have been lost in between. */
  #showLater(inFlight, request) {
    const wireId = String(request.id);
    clearTimeout(this.#timers.get(wireId));
    const timer = setTimeout(() => {
      this.#timers.delete(wireId);
      if (inFlight.innerId !== void 0 && this.#questions.isWaiting(wireId)) void inFlight.write(request);
    }, this.#askAgainMs).unref();
    this.#timers.set(wireId, timer);
  }
  /** The server takes a request back: gives what the client is sent, which knows the request by another id. */
  takeBack(cancelled) {
    const innerId = cancelled.params?.requestId;
    if (!isRequestId2(innerId)) return void 0;
    const requestId = this.#questions.withdraw(innerId) ?? this.#wireIdOf(innerId);
    if (requestId === void 0) return void 0;
    this.#questions.forget(requestId);
    this.#forget(requestId);
    return { ...cancelled, params: { ...cancelled.params, requestId } };
  }
  /** A superseded delivery asks no longer; its question stays as it was shown. */
  withdraw(cancelled) {
    const innerId = cancelled.params?.requestId;
    if (cancelled.method !== "notifications/cancelled" || !isRequestId2(innerId)) return;
    const wireId = this.#questions.withdraw(innerId);
    if (wireId !== void 0) this.#asked.delete(wireId);
  }
  #wireIdOf(innerId) {
    for (const [wireId, id] of this.#requests) if (id === innerId) return wireId;
    return void 0;
  }
  #forget(wireId) {
    this.#requests.delete(wireId);
    this.#asked.delete(wireId);
  }
};
function isRequestId2(value) {
  return typeof value === "string" || typeof value === "number";
}

// ../packages/mcp/src/era-2025/session/session-transport.ts
var SessionTransport = class {
  onclose;
  onerror;
  onmessage;
  #session;
  #own = /* @__PURE__ */ new Map();
  #requests;
  #count = 0;
  constructor(session) {
    this.#session = session;
  }
  /** The session takes such keys out of what its client sends, before it delivers it here. */
  [setsInternalMeta] = true;
  get sessionId() {
    return this.#session.id;
  }
  async start() {
  }
  async close() {
    this.#session.end();
    this.#requests?.close();
    for (const [id, resolve2] of this.#own) resolve2(closedResponse(id));
    this.#own.clear();
    this.onclose?.();
  }
  /** Hands a request to the server behind; its messages go to the in-flight request. */
  deliver(inFlight, { afterSeq, redelivered, extra }) {
    const { request, name, taskId } = inFlight;
    const isJournal = inFlight.kind === "journal";
    inFlight.innerId = `${name}#${++this.#count}`;
    const _meta = {
      ...request.params?._meta,
      [metaKeys.requestId]: request.id,
      ...isJournal && { [metaKeys.callId]: name, [metaKeys.redelivered]: redelivered },
      ...afterSeq !== void 0 && { [metaKeys.afterSeq]: afterSeq },
      ...taskId !== void 0 && { [metaKeys.taskId]: taskId }
    };
    this.onmessage?.({ ...request, id: inFlight.innerId, params: { ...request.params, _meta } }, extra);
  }
  /** The in-flight request tells when the client's stream accepted the response; a delivery that was superseded has none. */
  [takesReceipts](innerId, receipt) {
    const inFlight = this.#session.calls.delivered(innerId);
    if (inFlight !== void 0) inFlight.receipt = receipt;
  }
  /** Ends a delivery: by its caller's request, or because its caller left or is served by a newer delivery. */
  endDelivery(inFlight, reason = goneReason) {
    const { innerId: requestId } = inFlight;
    if (requestId === void 0) return;
    inFlight.innerId = void 0;
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  }
  /** Sends a request of our own to the server behind. Answered with an error when the session closes before. */
  ask(method, params2, extra) {
    const id = `own#${++this.#count}`;
    if (this.#session.closed) return Promise.resolve(closedResponse(id));
    return new Promise((resolve2) => {
      this.#own.set(id, resolve2);
      this.onmessage?.({ jsonrpc: "2.0", id, method, params: params2 }, extra);
    });
  }
  /** Passes on what the client answers to a request of the server. See {@link ServerRequests.answer}. */
  accept(response, extra, keep) {
    for (const id of this.#serverRequests().answer(response, keep)) this.onmessage?.({ ...response, id }, extra);
  }
  /** The answer to a question could not be stored: the question is shown once more, after `askAgainMs`. */
  askAgain(wireId) {
    this.#requests?.askAgain(wireId);
  }
  async send(message, options) {
    const outgoing = "method" in message ? this.#addressed(message, options?.relatedRequestId) : await this.#response(message);
    if (outgoing === void 0) return;
    const { inFlight } = outgoing;
    if (inFlight === void 0) return this.#session.sendUnrelated(outgoing.message);
    if ("method" in message) await this.#session.calls.noteTask(inFlight, outgoing.message);
    await inFlight.write(outgoing.message);
    if (inFlight.response === outgoing.message) inFlight.detach();
  }
  #addressed(message, related2) {
    const inFlight = related2 === void 0 ? void 0 : this.#session.calls.delivered(related2);
    if (related2 !== void 0 && inFlight === void 0) {
      this.#requests?.withdraw(message);
      return void 0;
    }
    const sent = this.#outgoing(message, inFlight);
    return sent && { inFlight, message: sent };
  }
  /** A message as the client knows it; `undefined` when it knows nothing of that. */
  #outgoing(message, inFlight) {
    if ("id" in message) {
      return this.#serverRequests().number(message, inFlight, (response) => this.onmessage?.(response));
    }
    return message.method === "notifications/cancelled" ? this.#requests?.takeBack(message) : message;
  }
  /** The response to an in-flight request, which is finished with it; `undefined` when no client waits for it. */
  async #response(response) {
    const innerId = response.id ?? "";
    const own = this.#own.get(innerId);
    if (own !== void 0) {
      this.#own.delete(innerId);
      own(withReadableError(response));
    }
    const inFlight = this.#session.calls.delivered(innerId);
    if (inFlight === void 0) return void 0;
    const message = withReadableError({ ...response, id: inFlight.request.id });
    await this.#session.calls.noteTask(inFlight, message);
    if (inFlight.receipt !== void 0) await hearCallers();
    if (this.#session.calls.delivered(innerId) !== inFlight) return void 0;
    inFlight.innerId = void 0;
    inFlight.response = message;
    this.#session.calls.noteFinished(inFlight);
    return { inFlight, message };
  }
  /** Most sessions are never asked anything. */
  #serverRequests() {
    this.#requests ??= new ServerRequests(this.#session.limits.askAgainMs);
    return this.#requests;
  }
};
function closedResponse(id) {
  return rpcErrorResponse(id, rpcCodes.refused, "The session was closed.");
}

// ../packages/mcp/src/era-2025/session/tool-kinds.ts
async function readToolKinds(listTools) {
  const kinds = [];
  let cursor;
  for (let page = 0; page < limits.maxToolPages; page++) {
    const answer = await listTools(cursor);
    const result = "result" in answer ? answer.result : {};
    const { tools, nextCursor } = result;
    kinds.push(...toolKindsIn(tools));
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return new Map(kinds);
}
function toolKindsIn(tools) {
  const kinds = /* @__PURE__ */ new Map();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isJsonObject(tool) && typeof tool.name === "string") {
      kinds.set(tool.name, { kind: repeatableOf(tool), takesClientId: takesClientId(tool) });
    }
  }
  return kinds;
}

// ../packages/mcp/src/era-2025/session/session.ts
var primingVersion = "2025-11-25";
var longMethods = ["tools/call", "tasks/result"];
var Session2025 = class {
  document;
  transport = new SessionTransport(this);
  calls;
  #commons;
  #streams = /* @__PURE__ */ new Set();
  /** The stream of what belongs to no request. */
  #standalone;
  #kinds;
  /** What clients sent and is being looked at, before it has a stream or a place at the server behind. */
  entering = 0;
  lastUsedMs = performance.now();
  closed = false;
  constructor(document, commons) {
    this.#commons = commons;
    this.document = document;
    this.calls = new InFlightCalls(document, commons.engine, commons.limits);
  }
  get id() {
    return this.document.id;
  }
  get limits() {
    return this.#commons.limits;
  }
  get busy() {
    return this.entering > 0 || this.#streams.size > 0 || this.calls.delivering;
  }
  /** Connects a server and repeats what this session's client sent to an earlier one. */
  async connect(server, extra) {
    await server.connect(this.transport);
    const { initialize, logLevel } = this.document.value;
    const answer = await this.transport.ask("initialize", initialize, extra);
    if (logLevel === void 0) return answer;
    this.initialized(extra);
    await this.transport.ask("logging/setLevel", logLevel, extra);
    return answer;
  }
  initialized(extra) {
    this.transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" }, extra);
  }
  /** Tells the client on every stream when to come back. */
  tellRetry(retryMs) {
    for (const stream of this.#streams) void stream.write({ retryMs });
  }
  /** Carries out a request of the client. */
  async request(sent, extra) {
    const { kind, takesClientId: takesClientId2 } = await this.#factsOf(sent);
    const request = await this.#named(withoutInternalMeta(sent), takesClientId2);
    const { maxStreams, maxOpenCalls } = this.limits;
    if (this.#streams.size >= maxStreams) return tooMany("maxStreams", maxStreams);
    if (this.calls.openCount >= maxOpenCalls) return tooMany("maxOpenCalls", maxOpenCalls);
    const level = request.method === "logging/setLevel" ? request.params?.level : void 0;
    if (isLogLevel(level)) await this.document.change((facts) => ({ ...facts, logLevel: { level } }));
    if (!longMethods.includes(request.method)) return this.#shortRequest(request, extra);
    const inFlight = this.calls.create(request, kind);
    if (kind !== "once") await this.document.change(this.calls.stored(inFlight));
    this.calls.add(inFlight);
    const stream = this.#openStream();
    this.#sendOn(inFlight, stream, 0);
    this.transport.deliver(inFlight, { redelivered: false, extra: this.#extraOf(inFlight, extra) });
    return streamAnswer(stream, this.id);
  }
  /** Requests that are over at once are answered with JSON, unless the server has more to say in between. */
  async #shortRequest(request, extra) {
    const inFlight = this.calls.add(this.calls.create(request, "once"));
    this.transport.deliver(inFlight, { redelivered: false, extra });
    await inFlight.first();
    if (inFlight.response !== void 0 && inFlight.place <= 1) {
      this.calls.forget(inFlight);
      return jsonAnswer(inFlight.response, this.id);
    }
    const stream = this.#openStream();
    this.#sendOn(inFlight, stream, 0);
    if (inFlight.innerId === void 0) inFlight.detach();
    return streamAnswer(stream, this.id);
  }
  /** Takes a notification or a response of the client. */
  async accept(message, extra) {
    if (!("method" in message)) return this.#takeAnswer(message, extra);
    if (message.method === "notifications/cancelled") return this.#cancel(message);
    this.transport.onmessage?.(message, extra);
  }
  async #takeAnswer(response, extra) {
    try {
      const keep = await this.calls.answerQuestion(response);
      this.transport.accept(response, extra, keep);
    } catch (error) {
      this.transport.askAgain(String(response.id));
      throw error;
    }
  }
  async #cancel({ params: { requestId, reason } = {} }) {
    const inFlight = this.calls.findRequest(requestId);
    const withdrawn = this.calls.withdraw(requestId);
    if (inFlight !== void 0) {
      const delivered = inFlight.innerId !== void 0;
      this.transport.endDelivery(inFlight, typeof reason === "string" ? reason : "cancelled by the client");
      inFlight.abandon();
      await this.calls.cancel(inFlight, delivered);
    }
    await withdrawn;
  }
  /** The standalone stream. Source: MCP 2025-11-25, Transports, "Listening for Messages from the Server". */
  listen(after) {
    const standalone = this.#standaloneStream();
    const place2 = after?.stream === standalone.name ? after.place : standalone.place;
    if (place2 > standalone.place) return refusal(400, aheadEvent);
    const stream = this.#openStream();
    standalone.sendOn(stream, place2, this.#prime());
    return streamAnswer(stream, this.id);
  }
  /** Most sessions never have one. */
  #standaloneStream() {
    this.#standalone ??= new SessionStream(`all_${randomToken(9)}`, "once", this.limits);
    return this.#standalone;
  }
  /** Continues with a stream where the client lost it. Source: the same, "Resumability and Redelivery". */
  async resume(cursor, extra) {
    if (cursor.stream.startsWith("all_")) return this.listen(cursor);
    const inFlight = this.calls.find(cursor);
    if (inFlight === void 0) return this.#answerUnknown(cursor);
    const end2 = await this.calls.judge(inFlight, cursor.place);
    if (end2 === "ahead") return refusal(400, aheadEvent);
    if (end2 === "over") return nothingLeft();
    const stream = this.#openStream();
    this.#resumeOn(inFlight, stream, cursor.place, extra);
    return streamAnswer(stream, this.id);
  }
  /** Nothing is left of a call that was cancelled, or that the session no longer keeps: its client need not ask again. */
  #answerUnknown(cursor) {
    const lost = this.calls.wasCancelled(cursor.stream) ? void 0 : lostAnswer(cursor, this.id, this.limits);
    return lost ?? nothingLeft();
  }
  #resumeOn(inFlight, stream, place2, extra) {
    const deliver = inFlight.kind === "journal" || inFlight.innerId === void 0;
    if (inFlight.kind === "journal") {
      this.transport.endDelivery(inFlight);
      inFlight.response = void 0;
    }
    inFlight.resumedAt = place2;
    this.#sendOn(inFlight, stream, place2);
    if (!deliver || inFlight.finished) return;
    const afterSeq = inFlight.kind === "journal" ? { afterSeq: place2 } : {};
    this.transport.deliver(inFlight, { ...afterSeq, redelivered: true, extra: this.#extraOf(inFlight, extra) });
  }
  /**
   * A handler of the server may end the stream of its request early; the client comes back for the answer. Only those
   * that were primed can. Source: MCP 2025-11-25, Transports, "Sending Messages to the Server" (disconnecting at will).
   */
  #extraOf(inFlight, extra) {
    if (this.#prime() === void 0) return extra;
    return { ...extra, closeSSEStream: () => inFlight.end(this.limits.pollRetryMs) };
  }
  async #factsOf(request) {
    if (request.method === "tasks/result") return { kind: "again", takesClientId: false };
    if (request.method !== "tools/call") return otherRequest;
    this.#kinds ??= readToolKinds(
      (cursor) => this.transport.ask("tools/list", cursor === void 0 ? {} : { cursor })
    ).then((kinds2) => this.#commons.shared(kinds2));
    const kinds = await this.#kinds;
    return kinds.get(String(request.params?.name)) ?? otherRequest;
  }
  /**
   * A session's caller is the client that it named last. Durability: the name is in the store before a request by that
   * name is carried out.
   */
  async #named(request, takesArgument) {
    const known2 = this.document.value.clientId;
    const { request: attributed, clientId } = attribute(request, known2, takesArgument);
    const isNew = clientId !== void 0 && clientId !== known2;
    if (isNew) await this.document.change((facts) => ({ ...facts, clientId }));
    return attributed;
  }
  #sendOn(inFlight, stream, place2) {
    inFlight.sendOn(stream, place2, this.#prime(), () => {
      if (inFlight.kind === "journal") this.transport.endDelivery(inFlight);
    });
    if (inFlight.finished && inFlight.kind !== "journal") inFlight.detach();
  }
  #prime() {
    return this.document.value.protocolVersion >= primingVersion ? this.limits : void 0;
  }
  #openStream() {
    const stream = new SseStream(this.limits, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    if (this.closed) stream.close();
    return stream;
  }
  async sendUnrelated(message) {
    if ("method" in message && message.method === "notifications/tools/list_changed") this.#kinds = void 0;
    await this.#standaloneStream().write(message);
  }
  end() {
    this.closed = true;
    for (const stream of [...this.#streams]) stream.close();
    this.calls.clear();
  }
};
var otherRequest = { kind: "once", takesClientId: false };
var aheadEvent = "The event id is ahead of anything that this server sent.";
function withoutInternalMeta(request) {
  const meta = request.params?._meta;
  if (meta === void 0 || !internalMetaKeys.some((key) => key in meta)) return request;
  const _meta = Object.fromEntries(Object.entries(meta).filter(([key]) => !internalMetaKeys.includes(key)));
  return { ...request, params: { ...request.params, _meta } };
}
function tooMany(limit, most) {
  const message = `This session has reached its limit ${limit} = ${most}. Wait until something has finished.`;
  return refusal(429, message, { headers: { "retry-after": "1" } });
}

// ../packages/mcp/src/era-2025/session/session-registry.ts
var validId = /^[A-Za-z0-9]{32}$/;
var unauthenticated = "session:";
var SessionRegistry = class {
  engine;
  limits;
  onError;
  #createServer;
  #live = /* @__PURE__ */ new Map();
  /** Sessions that this process opened, by their owner. */
  #opened = /* @__PURE__ */ new Map();
  #timer;
  /** The table that was learned last. */
  #kinds = { text: "", kinds: /* @__PURE__ */ new Map() };
  #sweeping;
  constructor({ engine, createServer, limits: limits2, onError = () => {
  } }) {
    this.engine = engine;
    this.limits = { ...sessionLimits, ...limits2 };
    this.onError = onError;
    this.#createServer = createServer;
    this.#timer = setInterval(() => void this.#sweep(), this.limits.sweepEveryMs).unref();
  }
  /** Durability: the session is in the store before its id goes out. */
  async open(request, extra) {
    const { maxSessionsPerOwner, maxLiveSessions } = this.limits;
    const principal = subjectOf(extra.authInfo);
    const countKey = principal === void 0 ? unauthenticated : ownerTag("sub", principal);
    const opened = this.#opened.get(countKey) ?? /* @__PURE__ */ new Set();
    if (opened.size >= maxSessionsPerOwner) {
      return refusal(429, `You have reached maxSessionsPerOwner = ${maxSessionsPerOwner}. End sessions by DELETE.`);
    }
    const id = randomToken(32);
    const owner = principal === void 0 ? ownerTag("session", id) : ownerTag("sub", principal);
    const initialize = JSON.parse(JSON.stringify(request.params ?? {}));
    const { clientId } = parseCallMeta(initialize._meta);
    const local2 = isLocalRequest(extra) || void 0;
    const draft = { value: { protocolVersion: "", initialize, calls: [], clientId, local: local2 }, version: 0 };
    const session = new Session2025(new KeptDocument(sessionKind, this.engine.documents, { id, owner }, draft), this);
    const answer = { ...await this.#connect(session, extra), id: request.id };
    if (!("result" in answer)) {
      await session.transport.close();
      return HttpAnswer.json(answer);
    }
    const protocolVersion = String(answer.result.protocolVersion);
    await session.document.change((before) => ({ ...before, protocolVersion }));
    this.#live.set(id, session);
    this.#opened.set(countKey, (this.#opened.get(countKey) ?? /* @__PURE__ */ new Set()).add(id));
    if (this.#live.size > maxLiveSessions) void this.#sweep();
    return jsonAnswer(answer, id);
  }
  /** Finds a session, if need be in the store. A foreign one is as unknown as one that never was. */
  async find(id, extra) {
    if (!validId.test(id)) return void 0;
    let session = await this.#live.get(id);
    if (session === void 0 || session.closed) {
      const document = await KeptDocument.open(sessionKind, this.engine.documents, id);
      if (document === void 0 || !mayUse(document, extra)) return void 0;
      session = await this.#join(document, extra);
    }
    if (!mayUse(session.document, extra)) return void 0;
    session.lastUsedMs = performance.now();
    return session;
  }
  async delete(session) {
    this.#uncount(session.document);
    await this.#forget(session);
    await this.engine.documents.deleteDocument(sessionKind.kind, session.id);
  }
  /** Ends all streams, so that their clients come back later, and writes down what is not written yet. */
  async close() {
    clearInterval(this.#timer);
    await this.#sweeping;
    const sessions = await Promise.all(this.#live.values());
    await Promise.all(sessions.map((session) => session.document.flush().catch(this.onError)));
    for (const session of sessions) session.tellRetry(this.limits.drainRetryMs);
    await Promise.all(sessions.map((session) => this.#forget(session)));
  }
  /** Servers may offer each session other tools, but most offer all the same: those share one table. */
  shared(kinds) {
    const text2 = JSON.stringify([...kinds]);
    if (this.#kinds.text !== text2) this.#kinds = { text: text2, kinds };
    return this.#kinds.kinds;
  }
  async #connect(session, extra) {
    const { id: sessionId, document } = session;
    const { clientId } = document.value;
    const { authInfo, requestInfo } = extra;
    const context = { sessionId, clientId, authInfo, locality: localityOf(requestInfo) };
    return session.connect(await this.#createServer(context), extra);
  }
  /** Several requests of one client come at once after a restart: one of them rebuilds the session for all. */
  #join(document, extra) {
    const { id } = document;
    const before = this.#live.get(id);
    const joined = Promise.resolve(before).then(async (known2) => {
      if (known2?.closed === false) return known2;
      const session = new Session2025(document, this);
      await this.#connect(session, extra);
      session.initialized(extra);
      return session;
    });
    this.#live.set(id, joined);
    joined.catch(() => this.#live.delete(id));
    return joined;
  }
  #forget(session) {
    this.#live.delete(session.id);
    return session.transport.close();
  }
  #sweep() {
    this.#sweeping ??= this.#evict().then(() => this.#expire()).catch(this.onError).finally(() => {
      this.#sweeping = void 0;
    });
    return this.#sweeping;
  }
  async #evict() {
    const { idleMs, maxLiveSessions } = this.limits;
    const sessions = await Promise.all(this.#live.values());
    const idle = sessions.filter(({ busy: busy2 }) => !busy2).sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    const surplus = sessions.length - maxLiveSessions;
    for (const [index, session] of idle.entries()) {
      const { lastUsedMs } = session;
      if (index >= surplus && performance.now() - lastUsedMs <= idleMs) continue;
      await session.document.change((facts) => facts);
      if (!session.busy && session.lastUsedMs === lastUsedMs) await this.#forget(session);
    }
  }
  async #expire() {
    const { documents } = this.engine;
    const idleSinceMs = Date.now() - this.limits.sessionTtlMs;
    for (const kind of [sessionKind.kind, streamOrderKind]) {
      for (const { id, owner } of await documents.listIdleDocuments({
        kind,
        idleSinceMs,
        limit: limits.expireBatch
      })) {
        if (this.#live.has(id)) continue;
        await documents.deleteDocument(kind, id);
        if (kind === sessionKind.kind) this.#uncount({ id, owner });
      }
    }
  }
  #uncount({ id, owner }) {
    const countKey = owner.startsWith(unauthenticated) ? unauthenticated : owner;
    const opened = this.#opened.get(countKey);
    opened?.delete(id);
    if (opened?.size === 0) this.#opened.delete(countKey);
  }
};
function mayUse({ owner, value }, extra) {
  const principal = subjectOf(extra.authInfo);
  if (principal !== void 0) return owner === ownerTag("sub", principal);
  return owner.startsWith(unauthenticated) && (value.local ?? false) === isLocalRequest(extra);
}
function isLocalRequest({ requestInfo }) {
  return localityOf(requestInfo).local;
}

// ../packages/mcp/src/era-2025/session/session-handler.ts
var versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
function createSessionHandler(options) {
  const registry = new SessionRegistry(options);
  const { engine, limits: limits2, onError } = registry;
  bringValidator(engine);
  const answer = async (request, context = {}) => {
    try {
      const extra = extraOf(request, context);
      const read = request.method === "POST" ? await readPost(request, context, limits2) : withoutBody(request);
      if (read instanceof HttpAnswer) return read;
      const { message } = read;
      const isRequest = message !== void 0 && "method" in message && "id" in message;
      const opens = isRequest && message.method === "initialize";
      if (engine.draining && isRequest && (opens || message.method === "tools/call")) return draining2();
      if (opens && request.header("mcp-session-id") === void 0) return await registry.open(message, extra);
      if (opens) return refusal(400, "Invalid Request: the session is initialized already.");
      const session = await findSession(registry, request, extra);
      if (session instanceof HttpAnswer) return session;
      session.entering += 1;
      try {
        if (isRequest) return await session.request(message, extra);
        if (request.method === "GET") return await get(request, session, extra);
        if (message === void 0) await registry.delete(session);
        else await session.accept(message, extra);
        return new HttpAnswer(message === void 0 ? 200 : 202);
      } finally {
        session.entering -= 1;
      }
    } catch (error) {
      if (isResumableError(error, "DOCUMENT_CONFLICT")) return unknownSession();
      onError(error);
      return refusal(500, "The server failed to carry out the request.");
    }
  };
  return handlerOf2(answer, () => registry.close());
}
function withoutBody(request) {
  if (request.method !== "GET" && request.method !== "DELETE") {
    return refusal(405, "Method not allowed.", { headers: { allow: "GET, POST, DELETE" } });
  }
  if (request.method === "GET" && !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept text/event-stream.");
  }
  return { message: void 0 };
}
async function readPost(request, { parsedBody }, { maxBodyBytes }) {
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
    return refusal(406, "Not Acceptable: the client must accept both application/json and text/event-stream.");
  }
  const read = parsedBody === void 0 ? await readJsonBody(request, maxBodyBytes) : { value: parsedBody };
  if (read instanceof HttpAnswer) return read;
  const { value } = read;
  const body = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (Array.isArray(body)) return refusal(400, "Invalid Request: send one message in each POST, no batch.");
  const message = parseMessage(body);
  if (message === void 0) return refusal(400, "Invalid Request: the body is not a JSON-RPC 2.0 message.");
  if (!("method" in message && "id" in message) || await isWellFormed(message)) return { message };
  return refusal(400, "Invalid Request: its params or its _meta are malformed.", { id: message.id });
}
async function findSession(registry, request, extra) {
  const sessionId = request.header("mcp-session-id");
  const version = request.header("mcp-protocol-version");
  if (sessionId === void 0) {
    return refusal(400, "Bad Request: the header Mcp-Session-Id is missing. Send an initialize request first.");
  }
  if (version !== void 0 && !versions.includes(version)) {
    return refusal(400, `Bad Request: unsupported protocol version. Supported: ${versions.join(", ")}.`);
  }
  return await registry.find(sessionId, extra) ?? unknownSession();
}
var sdkSchemas;
async function isWellFormed(request) {
  sdkSchemas ??= import("@modelcontextprotocol/sdk/types.js");
  const { isJSONRPCRequest } = await sdkSchemas;
  const name = request.params?.name;
  return isJSONRPCRequest(request) && (request.method !== "tools/call" || typeof name === "string");
}
async function get(request, session, extra) {
  const last = request.header("last-event-id");
  if (last === void 0) return session.listen();
  const cursor = parseEventId(last);
  if (cursor === void 0) return refusal(400, "Bad Request: Last-Event-ID names no event of this server.");
  return session.resume(cursor, extra);
}
function extraOf(request, { authInfo, locality }) {
  const requestInfo = { headers: request.headers, url: request.url };
  noteLocality(requestInfo, locality);
  return { requestInfo, authInfo };
}
function accepts(request, type) {
  return (request.header("accept") ?? "").includes(type);
}
function unknownSession() {
  return refusal(404, "Session not found. Open a new one.");
}
function draining2() {
  return refusal(503, "The server is about to stop. Try again in a few seconds.", { headers: { "retry-after": "2" } });
}
function parseMessage(value) {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0") return void 0;
  const { id, method, params: params2 } = value;
  const hasId = typeof id === "string" || typeof id === "number" && Number.isInteger(id);
  const fits = typeof method === "string" ? (params2 === void 0 || isJsonObject(params2)) && (hasId || id === void 0) : hasId && (isJsonObject(value.result) || isJsonObject(value.error));
  return fits ? forSdk(value) : void 0;
}

// ../packages/mcp/src/http/both-eras.ts
var firstVersion2026 = "2026-07-28";
function createBothErasHandler({ era2025, era2026, maxBodyBytes }) {
  const made = /* @__PURE__ */ new Map();
  const handlerOfEra = (make) => {
    const era = made.get(make) ?? make();
    made.set(make, era);
    return era;
  };
  const answer = async (request, context) => {
    const isPost = request.method === "POST";
    if (!isPost && versionOf(request) >= firstVersion2026) return onlyPost();
    const body = isPost ? await readJsonBody(request, maxBodyBytes) : void 0;
    if (body instanceof HttpAnswer) return body;
    const era = await handlerOfEra(body !== void 0 && await is2026(request, body.value) ? era2026 : era2025);
    const passed = body === void 0 ? context : { ...context, parsedBody: body.value };
    return era.answer?.(request, passed) ?? HttpAnswer.ofWeb(await era.fetch(request.toWeb(), passed));
  };
  return handlerOf2(answer, async () => {
    await Promise.all([...made.values()].map(async (era) => (await era).close()));
  });
}
async function is2026(request, body) {
  if (isJsonObject(body) && body.method !== "initialize" && claimsVersion(body)) return true;
  const mayBe = versionOf(request) >= firstVersion2026 || (Array.isArray(body) ? body : [body]).some(claimsVersion);
  if (!mayBe) return false;
  const { isLegacyRequest } = await import("@modelcontextprotocol/server");
  return !await isLegacyRequest(request.toWeb(), body);
}
function versionOf(request) {
  return request.header("mcp-protocol-version")?.trim() ?? "";
}
function onlyPost() {
  return refusal(405, "Method not allowed: this version of the protocol has POST only.", {
    headers: { allow: "POST" }
  });
}

// ../packages/mcp/src/era-2025/create-mcp-server.ts
async function createMcpServer(definition, engine, options = {}) {
  const { name, version, setup } = definition;
  const { tasks, ...registration } = options;
  const [{ McpServer: McpServer2 }, jsonSchemaValidator, instructions] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    validatorOnDemand(),
    makeInstructions(definition.instructions, tasks)
  ]);
  const capabilities = { logging: {} };
  const server = new McpServer2({ name, version }, { instructions, capabilities, jsonSchemaValidator });
  registerTools(server, engine, { controlTools: "all", ...registration });
  await setup?.(server);
  return server;
}
async function validatorOnDemand() {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv");
  onDemand ??= { getValidator: (schema2) => new AjvJsonSchemaValidator().getValidator(schema2) };
  return onDemand;
}
var onDemand;
function serverFactory(definition, engine, options = {}) {
  return (context) => {
    const owner = lastingOwner(context);
    const tasks = owner === void 0 ? void 0 : engine.forOwner(owner);
    return createMcpServer(definition, engine, { ...options, tasks });
  };
}
function lastingOwner({ sessionId, authInfo, clientId, locality }) {
  const subject = subjectOf(authInfo);
  if (subject === void 0 && clientId === void 0 && !locality.local) return void 0;
  return resolveOwner({ subject, clientId, sessionId, locality });
}

// ../packages/mcp/src/era-2026/http-handler.ts
import {
  createMcpHandler
} from "@modelcontextprotocol/server";

// ../packages/mcp/src/era-2026/call-2026.ts
function call2026({ mcp, engine, options }, context, clientIdArgument2) {
  const { mcpReq, http: http2 } = context;
  const client = clientFacts(mcpReq.envelope);
  const meta = parseCallMeta(mcpReq._meta, http2 === void 0);
  const clientId = meta.clientId ?? clientIdArgument2;
  return {
    engine,
    client,
    tasks: engine.forOwner(ownerOf(options, context, clientId)),
    meta,
    requestId: mcpReq.id,
    signal: AbortSignal.any([mcpReq.signal, engine.drainSignal]),
    server: answeringServerOf(context) ?? mcp.server,
    request: http2?.req,
    clientId,
    prefix: options.prefix ?? "",
    handoff: options.handoff,
    host: client.name,
    // Only a request that was cancelled while the server was up was cancelled by its caller.
    left: () => mcpReq.signal.aborted && !engine.draining ? "cancelled" : "gone",
    notify: mcpReq.notify,
    wantsLog: (level) => client.logLevel !== void 0 && isAtLeast(level, client.logLevel)
  };
}
function ownerOf({ owner, singleUser }, context, clientId) {
  const { http: http2 } = context;
  const subject = owner === void 0 ? subjectOf(http2?.authInfo) : owner(context);
  const locality = singleUser === true || http2 === void 0 ? local : localityOf(http2.req);
  return resolveOwner({ subject, clientId, locality });
}
function clientFacts(envelope) {
  const capabilities = child(envelope, envelopeKeys.clientCapabilities);
  const elicitation = child(capabilities, "elicitation");
  const name = field(child(envelope, envelopeKeys.clientInfo), "name");
  const logLevel = field(envelope, envelopeKeys.logLevel);
  return {
    tasks: child(child(capabilities, "extensions"), tasksExtension) !== void 0,
    forms: isJsonObject(elicitation) && ("form" in elicitation || !("url" in elicitation)),
    name: typeof name === "string" ? name : void 0,
    logLevel: typeof logLevel === "string" ? logLevel : void 0
  };
}
function field(parent, key) {
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : void 0;
}
function child(parent, key) {
  const value = field(parent, key);
  return isJsonObject(value) ? value : void 0;
}
var missingTasksExtension = {
  code: rpcCodes.missingCapability,
  message: `This needs the extension ${tasksExtension}: declare it in the request's clientCapabilities.`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } }
};

// ../packages/mcp/src/era-2026/engine-state.ts
import { randomBytes as randomBytes2 } from "crypto";
import { setImmediate as nextTurn4 } from "timers/promises";
var states = /* @__PURE__ */ new WeakMap();
function stateOf2(engine) {
  const state = states.get(engine) ?? { answers: /* @__PURE__ */ new Set(), signingKey: loadOnce(engine.documents) };
  states.set(engine, state);
  return state;
}
function noteAnswer(engine, answer) {
  const { answers } = stateOf2(engine);
  answers.add(answer);
  const forget = () => answers.delete(answer);
  answer.then(forget, forget);
  return answer;
}
async function lastAnswers(engine) {
  if (!engine.draining) return;
  let timer;
  const tooLate = new Promise((resolve2) => {
    timer = setTimeout(resolve2, limits2026.drainAnswersMs);
  });
  await Promise.race([Promise.allSettled(stateOf2(engine).answers), tooLate]);
  clearTimeout(timer);
  await hearCallers();
  await nextTurn4();
}
var place = { kind: "signing-key", id: "request-state" };
function storedSigningKey(engine) {
  return stateOf2(engine).signingKey;
}
function loadOnce(documents) {
  let loading;
  return () => {
    loading ??= readOrMakeKey(documents).catch((error) => {
      loading = void 0;
      throw error;
    });
    return loading;
  };
}
async function readOrMakeKey(documents) {
  const stored = keyOf2(await documents.getDocument(place.kind, place.id));
  if (stored !== void 0) return stored;
  const key = randomBytes2(32);
  const value = { key: Buffer.from(key).toString("base64url") };
  const now = { wallMs: Date.now(), monotonicMs: performance.now() };
  try {
    await documents.putDocument({ ...place, owner: "server:request-state", value, expectedVersion: 0, now });
    return key;
  } catch (error) {
    if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    return readOrMakeKey(documents);
  }
}
function keyOf2(stored) {
  const text2 = isJsonObject(stored?.value) ? stored.value.key : void 0;
  return typeof text2 === "string" ? Buffer.from(text2, "base64url") : void 0;
}

// ../packages/mcp/src/era-2026/subscriptions/listen-request.ts
function parseListenRequest(message) {
  if (!isJsonObject(message) || message.method !== "subscriptions/listen") return void 0;
  const { id, params: params2 } = message;
  if (!isRequestId(id) || !isJsonObject(params2)) return void 0;
  const { notifications, _meta } = params2;
  const filter = isJsonObject(notifications) ? notifications : {};
  const { taskIds: taskIds2, resourceSubscriptions } = filter;
  const resources = texts(resourceSubscriptions).filter((uri) => parseTaskUri(uri) !== void 0);
  const namesTasks = Array.isArray(taskIds2) || resources.length > 0;
  const meta = isJsonObject(_meta) ? _meta : {};
  const named = Array.isArray(taskIds2) ? texts(taskIds2) : void 0;
  return { id, namesTasks, taskIds: named, resources, declared: clientFacts(meta).tasks, meta };
}
function listenOwner(options, { id, meta }, signal, http2) {
  const [requestState, notify] = [() => void 0, () => Promise.resolve()];
  const mcpReq = { id, signal, _meta: meta, envelope: meta, requestState, notify };
  return ownerOf(options, http2 === void 0 ? { mcpReq } : { mcpReq, http: http2 }, parseCallMeta(meta).clientId);
}
function withWatched(acknowledgement, { taskIds: taskIds2, refused }) {
  const params2 = isJsonObject(acknowledgement.params) ? acknowledgement.params : {};
  const notifications = isJsonObject(params2.notifications) ? params2.notifications : {};
  const asked = notifications.resourceSubscriptions;
  const honoured = {
    ...notifications,
    ...taskIds2 === void 0 ? {} : { taskIds: taskIds2 },
    ...asked === void 0 ? {} : { resourceSubscriptions: texts(asked).filter((uri) => !refused.includes(uri)) }
  };
  return { ...acknowledgement, params: { ...params2, notifications: honoured } };
}
function isAcknowledgement(message) {
  return isJsonObject(message) && message.method === "notifications/subscriptions/acknowledged";
}
function texts(value) {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

// ../packages/mcp/src/era-2026/subscriptions/listen-stream.ts
import { EventSourceParserStream } from "eventsource-parser/stream";
function listenStream(options) {
  const encoder2 = new TextEncoder();
  const stop = new AbortController();
  const waiting = [];
  let controller;
  let farewell;
  const write = (frame) => {
    if (!stop.signal.aborted) controller.enqueue(encoder2.encode(frame));
  };
  const room = async () => {
    while (!stop.signal.aborted && (controller.desiredSize ?? 0) <= 0) {
      await new Promise((resolve2) => waiting.push(resolve2));
    }
  };
  const wake = () => {
    for (const resolve2 of waiting.splice(0)) resolve2();
  };
  const keepAlive = setInterval(() => {
    if ((controller.desiredSize ?? 0) > 0) write(": keepalive\n\n");
  }, options.keepAliveMs);
  keepAlive.unref();
  const end2 = (last) => {
    if (stop.signal.aborted) return;
    if (last !== void 0) write(last);
    clearInterval(keepAlive);
    stop.abort("ended");
    wake();
    options.onEnd();
  };
  const pass = async () => {
    for await (const { data } of readEvents(options.source, stop.signal)) {
      await room();
      const message = JSON.parse(data);
      if (isResultOf(message, options.subscriptionId)) farewell = messageFrame(message);
      else if (isAcknowledgement(message)) {
        write(messageFrame(withWatched(message, options.watched)));
        options.begin(async (notification) => {
          await room();
          write(messageFrame(notification));
        }, stop.signal);
      } else write(messageFrame(message));
    }
  };
  const body = new ReadableStream({
    start(given) {
      controller = given;
      pass().catch((error) => {
        if (stop.signal.aborted) return;
        options.onError?.(error);
        end2();
        given.close();
      });
    },
    pull: wake,
    cancel: () => end2()
  });
  return {
    body,
    close() {
      if (stop.signal.aborted) return;
      end2(farewell ?? messageFrame(emptyResult(options.subscriptionId)));
      controller.close();
    }
  };
}
function isResultOf(message, id) {
  return typeof message === "object" && message !== null && "result" in message && "id" in message && message.id === id;
}
function emptyResult(id) {
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } };
}
function readEvents(body, signal) {
  const parser = new EventSourceParserStream({ maxBufferSize: limits2026.maxFrameLength, onError: "terminate" });
  return body.pipeThrough(new TextDecoderStream(), { signal }).pipeThrough(parser);
}
function withEnd(body, onEnd) {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    }
  });
}
function messageFrame(message) {
  return `event: message
data: ${JSON.stringify(message)}

`;
}

// ../packages/mcp/src/era-2026/tasks/task-on-wire.ts
function createTaskResult(view) {
  return { resultType: "task", ...taskBase(view), status: wireStatus(view) };
}
function detailedTask(engine, view) {
  const base = taskBase(view);
  const status = wireStatus(view);
  const { error } = view.record;
  switch (status) {
    case "input_required":
      return { ...base, status, inputRequests: inputRequests(view.questions) };
    case "completed":
      return {
        ...base,
        status,
        result: { resultType: "complete", ...finishedResult(engine, view, false) }
      };
    case "failed":
      return {
        ...base,
        status,
        error: {
          code: (error && rpcCodeOf(error)) ?? rpcCodes.internalError,
          message: error?.message ?? "The task failed."
        }
      };
    case "working":
    case "cancelled":
      return { ...base, status };
  }
}
function inputRequests(questions) {
  const entries = questions.map(({ key, question }) => {
    const params2 = { mode: "form", message: question.message, requestedSchema: question.schema };
    return [key, { method: "elicitation/create", params: params2 }];
  });
  return Object.fromEntries(entries);
}
function taskBase(view) {
  const { record } = view;
  return {
    taskId: record.id,
    statusMessage: statusMessage(view),
    createdAt: record.createdAt,
    lastUpdatedAt: record.updatedAt,
    ttlMs: keptMs(record),
    pollIntervalMs: limits.pollIntervalMs
  };
}
function wireStatus({ status, record }) {
  switch (status) {
    case "pending":
    case "running":
    case "paused":
      return "working";
    case "failed":
      return record.error !== void 0 && rpcCodeOf(record.error) !== void 0 ? "failed" : "completed";
    case "input_required":
    case "completed":
    case "cancelled":
      return status;
  }
}

// ../packages/mcp/src/era-2026/subscriptions/task-watch.ts
function watchTasks(watch2) {
  const quietly = (watching) => {
    watching.catch((error) => {
      if (!isResumableError(error, "TASK_NOT_FOUND")) watch2.onError?.(error);
    });
  };
  for (const taskId of watch2.taskIds ?? []) quietly(watchTask(watch2, taskId));
  for (const uri of watch2.resources) {
    const updated = () => watch2.send(resourceUpdated(uri, watch2.subscriptionId));
    quietly(watchTaskResource(watch2.tasks, uri, updated, watch2.signal));
  }
}
function resourceUpdated(uri, subscriptionId) {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, _meta } };
}
async function ownPart(tasks, { taskIds: taskIds2, resources }) {
  const ids = taskIds2 === void 0 ? void 0 : await known(tasks, taskIds2, (id) => id);
  const uris = await known(tasks, resources, (uri) => parseTaskUri(uri)?.taskId ?? "");
  return { taskIds: ids, resources: uris, refused: resources.filter((uri) => !uris.includes(uri)) };
}
async function known(tasks, names, idOf) {
  const asked = [...new Set(names)].slice(0, limits2026.maxTasksPerSubscription);
  const found = await Promise.all(asked.map((name) => findTask(tasks, idOf(name))));
  return asked.filter((_name, index) => found[index] !== void 0);
}
async function watchTask(watch2, taskId) {
  const { tasks, signal } = watch2;
  let sent;
  const tell = async () => {
    const view2 = await tasks.get(taskId);
    const notification = taskNotification(watch2, view2);
    const text2 = JSON.stringify(notification);
    if (text2 !== sent && !signal.aborted) await watch2.send(notification);
    sent = text2;
    return view2;
  };
  let view = await tell();
  while (!signal.aborted && !isFinal(view.status)) {
    let seen = view.record.lastSeq;
    for await (const followed of tasks.follow(taskId, { afterSeq: seen, signal })) {
      if (seqOf(followed) <= seen) continue;
      view = await tell();
      seen = view.record.lastSeq;
    }
    if (!isFinal(view.status)) view = await tell();
  }
}
function taskNotification({ engine, subscriptionId }, view) {
  const _meta = { [envelopeKeys.subscriptionId]: subscriptionId };
  const task = detailedTask(engine, view);
  return { jsonrpc: "2.0", method: "notifications/tasks", params: { ...task, _meta } };
}

// ../packages/mcp/src/era-2026/subscriptions/listener.ts
function createListener(handler, engine, options) {
  const { maxSubscriptions = limits2026.maxSubscriptions } = options;
  const { maxSubscriptionsPerOwner = limits2026.maxSubscriptionsPerOwner } = options;
  const takePlace = countSubscriptions({ maxSubscriptions, maxSubscriptionsPerOwner });
  const open2 = /* @__PURE__ */ new Set();
  const { onError, keepAliveMs = limits2026.keepAliveMs } = options;
  const keepOpen = async (source, listenTo, owner, leave2) => {
    if (!listenTo.namesTasks) return withEnd(source, leave2);
    if (listenTo.taskIds !== void 0 && !listenTo.declared) throw RpcError.of(missingTasksExtension);
    if (owner instanceof RpcError) throw owner;
    const tasks = engine.forOwner(owner);
    const watched = await ownPart(tasks, listenTo);
    const subscriptionId = listenTo.id;
    const stream = listenStream({
      source,
      subscriptionId,
      watched,
      keepAliveMs,
      begin: (send, signal) => watchTasks({ ...watched, engine, tasks, subscriptionId, signal, send, onError }),
      onEnd: () => {
        open2.delete(stream);
        leave2();
      },
      onError
    });
    open2.add(stream);
    return stream.body;
  };
  return {
    async listen(request, given, listenTo) {
      const owner = ownerIn(options, request, given, listenTo);
      const place2 = takePlace(owner instanceof RpcError ? "" : owner);
      if ("refused" in place2) return refuse2(listenTo.id, place2.refused);
      const response = await handler.fetch(request, given).catch((error) => {
        place2.leave();
        throw error;
      });
      const { body } = response;
      if (body === null || !isEventStream(response)) {
        place2.leave();
        return response;
      }
      try {
        return new Response(await keepOpen(body, listenTo, owner, place2.leave), response);
      } catch (error) {
        place2.leave();
        await body.cancel();
        return refuse2(listenTo.id, asRpcError(error));
      }
    },
    close() {
      for (const stream of [...open2]) stream.close();
    }
  };
}
function ownerIn(options, request, { authInfo }, listenTo) {
  try {
    return listenOwner(options, listenTo, request.signal, { req: request, authInfo });
  } catch (error) {
    return asRpcError(error);
  }
}
function isEventStream(response) {
  return response.ok && response.headers.get("content-type")?.startsWith("text/event-stream") === true;
}
function refuse2(id, { code, message, data }) {
  const status = code === missingTasksExtension.code ? 400 : 200;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status });
}
function countSubscriptions(limits2) {
  const byOwner = /* @__PURE__ */ new Map();
  let all = 0;
  const add = (owner, count) => {
    all += count;
    const mine = (byOwner.get(owner) ?? 0) + count;
    if (mine > 0) byOwner.set(owner, mine);
    else byOwner.delete(owner);
  };
  return (owner) => {
    const { maxSubscriptions, maxSubscriptionsPerOwner } = limits2;
    if ((byOwner.get(owner) ?? 0) >= maxSubscriptionsPerOwner)
      return { refused: limitReached("maxSubscriptionsPerOwner", maxSubscriptionsPerOwner) };
    if (all >= maxSubscriptions) return { refused: limitReached("maxSubscriptions", maxSubscriptions) };
    add(owner, 1);
    let here2 = true;
    return {
      leave() {
        if (here2) add(owner, -1);
        here2 = false;
      }
    };
  };
}
function limitReached(limit, value) {
  return {
    code: rpcCodes.internalError,
    message: `Subscription limit reached: ${limit} = ${value}. End another one first.`
  };
}

// ../packages/mcp/src/era-2026/http-handler.ts
function createHandler2026(options) {
  const { engine, createServer, onError, keepAliveMs, maxSubscriptions = limits2026.maxSubscriptions } = options;
  const handler = createMcpHandler((context) => createServer(context, handler.notify), {
    legacy: "reject",
    // Who has how many is counted by `withTasks`, so that one owner cannot take all.
    maxSubscriptions,
    onerror: onError,
    keepAliveMs
  });
  const served = withTasks(handler, engine, options);
  return {
    answer: served.answer,
    fetch: served.fetch,
    async close() {
      await lastAnswers(engine);
      await served.close();
    }
  };
}
function withTasks(handler, engine, options = {}) {
  const { maxBodyBytes = limits2026.maxBodyBytes } = options;
  bringValidator(engine);
  const listener = createListener(handler, engine, options);
  const answer = async (incoming, given = {}) => {
    const request = incoming.toWeb();
    noteLocality(request, given.locality);
    const body = await bodyOf(request, given, maxBodyBytes);
    if (body instanceof HttpAnswer) return body;
    const passed = body === void 0 ? given : { ...given, parsedBody: body };
    const listenTo = parseListenRequest(body);
    if (listenTo !== void 0) return HttpAnswer.ofWeb(await listener.listen(request, passed, listenTo));
    return restoredAnswer(await handler.fetch(request, passed), isToolCall(body), () => answerSent(request));
  };
  return {
    answer,
    fetch: async (request, given) => (await answer(ofWebRequest(request), given)).toWeb(),
    async close() {
      listener.close();
      await handler.close();
    }
  };
}
async function bodyOf(request, { parsedBody }, maxBodyBytes) {
  if (parsedBody !== void 0 || request.method !== "POST" || request.bodyUsed) return parsedBody;
  const read = await readJsonBody(ofWebRequest(request), maxBodyBytes);
  return read instanceof HttpAnswer ? read : read.value;
}
function isToolCall(body) {
  return typeof body === "object" && body !== null && "method" in body && body.method === "tools/call";
}
async function restoredAnswer(response, ofToolCall, onSent) {
  const { status } = response;
  if (!response.headers.get("content-type")?.startsWith("application/json")) return HttpAnswer.ofWeb(response, onSent);
  const text2 = await response.text();
  const passed = new HttpAnswer(status, Object.fromEntries(response.headers), text2, onSent);
  const answers = ofToolCall && mayHoldAnswer(text2);
  if (!answers && !text2.includes('"error"')) return passed;
  const parsed2 = JSON.parse(text2);
  const message = withReadableError(answers ? unwrapAnswer(parsed2) : parsed2);
  if (message === parsed2) return passed;
  const refused = "error" in message && message.error.code === missingTasksExtension.code;
  return HttpAnswer.json(message, refused ? 400 : status);
}

// ../packages/mcp/src/era-2026/request-state.ts
import { createHash as createHash3, createHmac as createHmac2, timingSafeEqual } from "crypto";
var requestStatePrefix = "rmcp1.";
function signRoundTrip(key, roundTrip, binding, nowMs) {
  const body = JSON.stringify({ task: roundTrip.taskId, seq: roundTrip.seq, until: nowMs + limits.requestStateTtlMs });
  const payload = Buffer.from(body).toString("base64url");
  return `${requestStatePrefix}${payload}.${mac(key, payload, binding).toString("base64url")}`;
}
function readRoundTrip(key, state, binding, nowMs) {
  const [payload = "", signature2 = ""] = state.slice(requestStatePrefix.length).split(".");
  if (!state.startsWith(requestStatePrefix)) return void 0;
  const given = Buffer.from(signature2, "base64url");
  const expected = mac(key, payload, binding);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return void 0;
  const body = JSON.parse(Buffer.from(payload, "base64url").toString());
  if (!isJsonObject(body) || typeof body.task !== "string") return void 0;
  if (typeof body.seq !== "number" || typeof body.until !== "number") return void 0;
  return body.until < nowMs ? void 0 : { taskId: body.task, seq: body.seq };
}
function mac(key, payload, { owner, tool, input: input2 }) {
  const call = createHash3("sha256").update(canonicalJson([owner, tool, input2])).digest("hex");
  return createHmac2("sha256", key).update(`resumable-mcp request state\0${call}\0${payload}`).digest();
}

// ../packages/mcp/src/era-2026/tasks/task-methods.ts
import { z as z16 } from "zod";
var params = z16.looseObject({ taskId: z16.string().min(1).max(256) });
function registerTaskMethods(environment) {
  for (const [method, run] of Object.entries(methods2)) {
    const handler = async ({ taskId }, context) => {
      if (!clientFacts(context.mcpReq.envelope).tasks) throw RpcError.of(missingTasksExtension);
      try {
        return await run(call2026(environment, context, void 0), taskId, context);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    environment.mcp.server.setRequestHandler(method, forSdk({ params }), forSdk(handler));
  }
}
var methods2 = {
  async "tasks/get"(call, taskId) {
    const view = await call.tasks.get(taskId);
    if (isFinal(view.status)) carryResult(call, taskId);
    return detailedTask(call.engine, view);
  },
  async "tasks/update"({ tasks }, taskId, { mcpReq: { inputResponses } }) {
    if (inputResponses === void 0) {
      const message = "Invalid params: inputResponses is missing or has no valid entry.";
      throw new RpcError(rpcCodes.invalidParams, message);
    }
    await answerQuestions(tasks, taskId, inputResponses);
    return {};
  },
  async "tasks/cancel"({ tasks }, taskId) {
    await tasks.cancel(taskId).catch(unlessFinished);
    return {};
  }
};
function unlessFinished(error) {
  if (!isResumableError(error, "ILLEGAL_TRANSITION")) throw error;
}
async function answerQuestions(tasks, taskId, responses) {
  const { questions } = await tasks.get(taskId);
  for (const { key } of questions.filter((question) => Object.hasOwn(responses, question.key))) {
    const answer = parseElicitationResult(responses[key]);
    if (answer !== void 0) await tasks.answer(taskId, key, answer).catch(unlessClosed);
  }
}
function unlessClosed(error) {
  if (!isResumableError(error, "ALREADY_ANSWERED") && !isResumableError(error, "UNKNOWN_QUESTION")) throw error;
}

// ../packages/mcp/src/era-2026/call-tool.ts
var invalidState = {
  code: rpcCodes.invalidParams,
  message: "Invalid or expired requestState. Send the call again without it.",
  data: { reason: "invalid_request_state" }
};
function callTool(environment, call, tool, input2, context) {
  return noteAnswer(environment.engine, answerCall(environment, call, tool, input2, context));
}
async function answerCall({ signingKey }, call, tool, input2, { mcpReq }) {
  const { taskSupport = "optional" } = tool;
  if (taskSupport === "required" && !call.client.tasks) return wrapAnswer({ error: missingTasksExtension });
  const binding = { owner: call.tasks.owner, tool: tool.name, input: input2 };
  const state = mcpReq.requestState();
  const roundTrip = state === void 0 ? void 0 : await verifiedRoundTrip(signingKey, state, binding);
  if (state !== void 0 && roundTrip === void 0) return wrapAnswer({ error: invalidState });
  if (call.client.tasks && taskSupport !== "forbidden") return answerWithTask(call, tool, input2, roundTrip);
  const sign = async (taskId, seq) => signRoundTrip(await signingKey(), { taskId, seq }, binding, Date.now());
  return answerInline(call, tool, input2, mcpReq, roundTrip, sign);
}
async function verifiedRoundTrip(key, state, binding) {
  return typeof state === "string" ? readRoundTrip(await key(), state, binding, Date.now()) : void 0;
}
async function begin2(call, tool, input2, roundTrip, detached) {
  if (roundTrip !== void 0) return returnTo(call, roundTrip);
  return await knownTask(call) ?? call.tasks.start(startRequest(call, tool, input2, detached));
}
async function answerWithTask(call, tool, input2, roundTrip) {
  const begun = await begin2(call, tool, input2, roundTrip, true);
  if (!begun.created) await call.tasks.detach(begun.record.id);
  return wrapAnswer({ result: createTaskResult(begun) });
}
async function answerInline(given, tool, input2, { inputResponses, signal }, roundTrip, sign) {
  const { engine, client, meta } = given;
  if (roundTrip !== void 0 && engine.draining) await held2(signal);
  const call = { ...given, meta: { ...meta, afterSeq: Math.max(meta.afterSeq, roundTrip?.seq ?? 0) } };
  const handoffMs = handoffMsOf(call, tool);
  const begun = await begin2(call, tool, input2, roundTrip, handoffMs === 0 && !meta.callerStays);
  const taskId = begun.record.id;
  if (inputResponses !== void 0) await takeAnswers(call, taskId, inputResponses);
  const ending2 = await followTask2(call, begun, handoffMs);
  if (ending2.reason === "input_required" && client.forms) return askForInput(call, taskId, sign);
  if (ending2.reason === "left" && engine.draining) {
    return { resultType: "input_required", requestState: await sign(taskId, ending2.view.record.lastSeq) };
  }
  return resultOf(call, ending2, begun.reused);
}
async function takeAnswers({ tasks, signal }, taskId, responses) {
  try {
    await answerQuestions(tasks, taskId, responses);
  } catch (error) {
    if (!isAnswerLost(error)) throw error;
    await untilAskedAgain(signal);
  }
}
async function returnTo({ tasks }, { taskId }) {
  const view = await tasks.get(taskId);
  const rests = isFinal(view.status) || !(view.interrupted || view.status === "pending");
  return { ...rests ? view : await tasks.resume(taskId), created: false, reused: false };
}
async function askForInput({ tasks }, taskId, sign) {
  await new Promise((resolve2) => setTimeout(resolve2, limits.gatherQuestionsMs));
  const { record, questions } = await tasks.get(taskId);
  const requests3 = inputRequests(questions);
  const requestState = await sign(taskId, record.lastSeq);
  if (Object.keys(requests3).length === 0) return { resultType: "input_required", requestState };
  return { resultType: "input_required", inputRequests: requests3, requestState };
}
function held2(signal) {
  return new Promise((resolve2) => {
    const timer = setTimeout(resolve2, limits.drainHoldMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve2();
    });
  });
}

// ../packages/mcp/src/era-2026/register-tools.ts
var configs2 = createToolConfigs(passingSchema);
function registerTools2026(mcp, engine, options = {}) {
  const environment = environmentOf(mcp, engine, options);
  mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
  registerEngine(mcp, engine, options, {
    call: (context, clientId) => call2026(environment, context, clientId),
    runTool: (call, tool, input2, context) => callTool(environment, call, tool, input2, context),
    configs: configs2,
    registerTasks: () => registerTaskMethods(environment),
    // What `withTasks` and `withStdioTasks` serve.
    registerSubscriptions: () => mcp.server.registerCapabilities({ resources: { subscribe: true } })
  });
}
function createToolCaller(server, engine, options = {}) {
  bringValidator(engine);
  const environment = environmentOf(server, engine, options);
  return async (name, input2, { mcpReq, ...rest }) => {
    const { inputResponses: _own, ...request } = mcpReq;
    const context = { ...rest, mcpReq: { ...request, requestState: () => void 0 } };
    return callTool(environment, call2026(environment, context, void 0), engine.tool(name), input2, context);
  };
}
function environmentOf(mcp, engine, options) {
  const { requestStateKey } = options;
  return { mcp, engine, options, signingKey: requestStateKey ? givenKey(requestStateKey) : storedSigningKey(engine) };
}
function givenKey(key) {
  if (key.byteLength >= 32) return () => Promise.resolve(key);
  const message = `requestStateKey has ${key.byteLength} bytes: 32 or more keep clients from guessing it.`;
  throw new ResumableError("INVALID_OPTION", message, { details: { option: "requestStateKey" } });
}

// ../packages/mcp/src/era-2026/server-factory.ts
import {
  McpServer,
  PerRequestHTTPServerTransport,
  SUPPORTED_PROTOCOL_VERSIONS
} from "@modelcontextprotocol/server";
var revision = "2026-07-28";
function serverFactory2026(definition, engine, options = {}) {
  const { name, version, setup2026 } = definition;
  const build = async (changes, isShared) => {
    const instructions = await makeInstructions(definition.instructions);
    const supportedProtocolVersions = [...SUPPORTED_PROTOCOL_VERSIONS, revision];
    const capabilities = { logging: {} };
    const server = new McpServer({ name, version }, { instructions, capabilities, supportedProtocolVersions });
    registerTools2026(server, engine, { controlTools: "all", ...options });
    const callTool2 = forSdk(createToolCaller(server, engine, options));
    await setup2026?.(server, { changes, callTool: callTool2 });
    if (isShared) {
      await server.connect(new PerRequestHTTPServerTransport({ classification: { era: "modern", revision } }));
    }
    return server;
  };
  const shared = /* @__PURE__ */ new Map();
  return async ({ requestInfo }, changes) => {
    if (requestInfo === void 0) return build(changes, false);
    const building = shared.get(changes) ?? build(changes, true);
    shared.set(changes, building);
    try {
      return serverOfRequest(await building);
    } catch (error) {
      shared.delete(changes);
      throw error;
    }
  };
}

// src/world/event-queue.ts
var EventQueue = class {
  #heap = [];
  get size() {
    return this.#heap.length;
  }
  peek() {
    return this.#heap[0];
  }
  push(event) {
    const heap = this.#heap;
    let place2 = heap.push(event) - 1;
    while (place2 > 0) {
      const above = place2 - 1 >> 1;
      if (!isBefore(event, heap[above])) break;
      heap[place2] = heap[above];
      place2 = above;
    }
    heap[place2] = event;
  }
  pop() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === void 0 || last === void 0 || heap.length === 0) return first;
    let place2 = 0;
    for (; ; ) {
      let below = 2 * place2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below += 1;
      if (!isBefore(heap[below], last)) break;
      heap[place2] = heap[below];
      place2 = below;
    }
    heap[place2] = last;
    return first;
  }
};
function isBefore(one, other) {
  if (one === void 0 || other === void 0) return false;
  return one.atMs < other.atMs || one.atMs === other.atMs && one.order < other.order;
}

// src/world/world.ts
var beginMs = 17672256e5;
var realImmediate = setImmediate;
function newActor(name) {
  return { name, isAlive: true, frozenUntilMs: 0, wallAheadMs: 0, drift: 0 };
}
var World = class {
  random;
  /** Of the one who directs: it never dies. */
  director = newActor("director");
  /** In whose name code runs now. */
  current = this.director;
  /** Milliseconds since the world began. */
  nowMs = 0;
  turns = 0;
  /** Errors that would have ended a real process. */
  uncaught = [];
  #queue = new EventQueue();
  #lastTurnMs = /* @__PURE__ */ new WeakMap();
  #order = 0;
  constructor(seed) {
    this.random = new Random(seed);
  }
  /** Lets something happen later in the name of an actor. @returns what calls it off. */
  after(delayMs, run, actor = this.current) {
    const turn = {
      atMs: this.nowMs + Math.max(0, delayMs) / (1 + actor.drift),
      order: this.#order++,
      actor,
      run,
      isCancelled: false
    };
    this.#queue.push(turn);
    return () => {
      turn.isCancelled = true;
    };
  }
  /** The next turn of an actor's event loop; several are in order. */
  nextTurn(run, actor = this.current) {
    const last = this.#lastTurnMs.get(actor) ?? 0;
    const atMs = Math.max(last, this.nowMs) + this.random.between(1e-3, 0.02);
    this.#lastTurnMs.set(actor, atMs);
    return this.after((atMs - this.nowMs) * (1 + actor.drift), run, actor);
  }
  monotonicMs(actor = this.current) {
    return this.nowMs * (1 + actor.drift);
  }
  wallMs(actor = this.current) {
    return Math.floor(beginMs + this.monotonicMs(actor) + actor.wallAheadMs);
  }
  /** Notes an error that no code caught. Those of a process that just died are of no account: a real one runs no further. */
  noteUncaught(error) {
    if (this.current.isAlive)
      this.uncaught.push(`${this.current.name}: ${error instanceof Error ? error.stack : String(error)}`);
  }
  /** Goes on until nothing is left to happen before a moment, or until `isDone`. */
  async runUntil(endMs, isDone = () => false) {
    while (!isDone()) {
      const next = this.#queue.peek();
      if (next === void 0 || next.atMs > endMs) break;
      this.#queue.pop();
      if (next.isCancelled || !next.actor.isAlive) continue;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (next.actor.frozenUntilMs > this.nowMs) {
        next.atMs = next.actor.frozenUntilMs;
        next.order = this.#order++;
        this.#queue.push(next);
        continue;
      }
      this.turns += 1;
      this.current = next.actor;
      try {
        next.run();
      } catch (error) {
        this.noteUncaught(error);
      }
      await new Promise((resolve2) => realImmediate(resolve2));
      this.current = this.director;
    }
    if (!isDone()) this.nowMs = Math.max(this.nowMs, endMs);
  }
};

// src/machine/process-disk.ts
var ProcessDied = class extends Error {
};
function createProcessDisk(options) {
  const { world, machine, actor } = options;
  const random = world.random.fork();
  const alive = () => {
    if (!actor.isAlive) throw new ProcessDied(`${actor.name} is dead`);
  };
  const read = (run) => {
    alive();
    return run(machine.disk);
  };
  const change2 = (call, run) => {
    alive();
    const plan = options.death();
    const isLast = plan !== void 0 && --plan.callsLeft <= 0;
    if (isLast && plan.isBefore) return endWith(options);
    failAtRandom(options, random.next() * 100, call);
    const result = run(machine.disk);
    if (isLast) return endWith(options);
    return result;
  };
  return {
    open: (path, flags2) => flags2 === "r" ? read((disk) => disk.open(path, flags2)) : change2("open", (disk) => disk.open(path, flags2)),
    close: (file) => read((disk) => disk.close(file)),
    read: (file, into, position) => read((disk) => disk.read(file, into, position)),
    write: (file, bytes, position) => change2("write", (disk) => disk.write(file, bytes, position)),
    truncate: (file, length) => change2("ftruncate", (disk) => disk.truncate(file, length)),
    stat: (path) => read((disk) => disk.stat(path)),
    identify: (path) => read((disk) => disk.identify(path)),
    exists: (path) => read((disk) => disk.exists(path)),
    list: (folder) => read((disk) => disk.list(folder)),
    makeFolder: (path) => change2("mkdir", (disk) => disk.makeFolder(path)),
    link: (from, to) => change2("link", (disk) => disk.link(from, to)),
    rename: (from, to) => change2("rename", (disk) => disk.rename(from, to)),
    unlink: (path) => change2("unlink", (disk) => disk.unlink(path)),
    removeFolder: (path) => change2("rmdir", (disk) => disk.removeFolder(path)),
    removeTree: (path) => change2("rm", (disk) => disk.removeTree(path)),
    syncData: async (file) => change2("fdatasync", (disk) => disk.syncData(file)),
    syncDataNow: (file) => change2("fdatasync", (disk) => disk.syncDataNow(file)),
    syncFolder: async (path) => change2("fsync", (disk) => disk.syncFolder(path)),
    syncFolderNow: (path) => change2("fsync", (disk) => disk.syncFolderNow(path)),
    fileSystemType: () => void 0,
    watch: (path, changed, failed2) => read((disk) => disk.watch(path, changed, failed2))
  };
}
function endWith({ die, actor }) {
  die();
  throw new ProcessDied(`${actor.name} died`);
}
var needsRoom = /* @__PURE__ */ new Set(["write", "open", "mkdir", "link", "rename"]);
function failAtRandom({ world, machine: { faults } }, chance, call) {
  if (faults.fullUntilMs > world.nowMs && needsRoom.has(call)) throw systemError2("ENOSPC", call);
  if (chance >= faults.errorPercent) return;
  throw systemError2(call === "open" ? "EMFILE" : "EIO", call);
}
function systemError2(code, syscall) {
  return Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall, errno: -1 });
}

// src/machine/worker.ts
var lastPid = 1e3;
function resetProcessIds() {
  lastPid = 1e3;
}
var Worker = class {
  actor;
  engine;
  identity;
  machine;
  /** Where it is to die; drawn by the director. */
  deathPlan;
  /** The named point at which it is to die, how often it is to be reached before. */
  deathPoint;
  #options;
  #http;
  #onDeath = [];
  constructor(options) {
    const { world, machine, history, settings } = options;
    this.#options = options;
    this.machine = machine;
    lastPid += 1;
    this.actor = newActor(`p${lastPid}`);
    this.actor.wallAheadMs = machine.wallAheadMs;
    this.identity = {
      host: machine.name,
      bootId: machine.bootId,
      processNamespace: machine.name,
      pid: lastPid,
      startTime: String(lastPid)
    };
    const disk = createProcessDisk({
      world,
      machine,
      actor: this.actor,
      death: () => this.deathPlan,
      die: () => this.die("at a call of the disk")
    });
    const store = createFsStore({
      directory: "/store",
      durability: settings.durability,
      limits: settings.storeLimits,
      disk,
      host: this.#host(),
      observer: (point) => this.#reach(point),
      onWarning: (message) => history.add("warning", { worker: this.actor.name, message })
    });
    this.engine = createEngine({
      store,
      tools: settings.tools(this),
      limits: settings.limits,
      validateJsonSchema: createJsonSchemaValidator(),
      observer: (point) => this.#reach(point),
      onError: (error) => this.#noteError(error)
    });
    history.add("started", { worker: this.actor.name });
  }
  /** Its MCP endpoint for clients of both eras, over HTTP. */
  get http() {
    this.#http ??= this.#endpoint();
    return this.#http;
  }
  #endpoint() {
    const { engine } = this;
    const definition = defineServer({ name: "simulated", version: "1.0.0", tools: engine.tools });
    const onError = (error) => this.#noteError(error);
    return createBothErasHandler({
      maxBodyBytes: 1e6,
      era2025: async () => createSessionHandler({ engine, createServer: serverFactory(definition, engine, { onError }), onError }),
      era2026: async () => createHandler2026({ engine, createServer: serverFactory2026(definition, engine, { onError }), onError })
    });
  }
  get isAlive() {
    return this.actor.isAlive;
  }
  /** Kills the process: nothing that it began happens any more. */
  die(reason) {
    if (!this.actor.isAlive) return;
    this.actor.isAlive = false;
    this.#options.history.add("died", { worker: this.actor.name, reason });
    for (const run of this.#onDeath) run();
  }
  /** Calls back when the process dies, as a broken connection does. */
  onDeath(run) {
    if (this.isAlive) this.#onDeath.push(run);
    else run();
  }
  /** Runs code in the name of the process, in a turn of its own. */
  run(code) {
    this.#options.world.nextTurn(() => code(this.engine), this.actor);
  }
  #reach(point) {
    const { history } = this.#options;
    if (!this.actor.isAlive) return;
    history.reach(point);
    const plan = this.deathPoint;
    if (plan?.name !== point || --plan.left > 0) return;
    history.crossed(point);
    this.die(`at ${point}`);
  }
  #noteError(error) {
    if (!this.actor.isAlive) return;
    this.#options.history.add("error", { worker: this.actor.name, message: String(error) });
  }
  #host() {
    return {
      identity: this.identity,
      processState: (other) => {
        const isVisible = other.host === this.identity.host && other.bootId === this.identity.bootId;
        if (!isVisible) return "unknown";
        return this.#options.isAlive(other) ? "alive" : "dead";
      }
    };
  }
};

// src/work/caller.ts
var Caller = class {
  plan;
  taskId;
  /** It has its result, was refused, or left. */
  isDone = false;
  #options;
  #random;
  #actor;
  #connection;
  #seq = 0;
  #isStopped = false;
  #tries = 0;
  #answered = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
  }
  get #owner() {
    return ownerTag("client", this.plan.owner);
  }
  /** Calls after a while. */
  begin(afterMs) {
    const { world } = this.#options;
    world.after(afterMs, () => void this.#call(), this.#actor);
    for (const { atMs, what } of this.plan.interventions) {
      world.after(afterMs + atMs, () => void this.#intervene(what), this.#actor);
    }
  }
  /** Calls no more; what it follows it follows to the end. */
  stopCalling() {
    this.#isStopped = true;
  }
  #note(kind, facts = {}) {
    this.#options.history.add(kind, { caller: this.plan.name, owner: this.plan.owner, task: this.taskId, ...facts });
  }
  async #call() {
    if (this.isDone || this.#isStopped) return;
    const { input: input2, detached, callId } = this.plan;
    const owner = this.#owner;
    const connection = this.#connect();
    if (connection === void 0) return this.#later(500);
    this.#tries += 1;
    this.#note("calls", { worker: connection.worker.actor.name });
    try {
      const request = { tool: "script", input: input2, detached, callId };
      const started = await connection.ask((engine) => engine.forOwner(owner).start(request));
      this.#noteStarted(started);
      this.#follow(connection);
    } catch (error) {
      this.#afterFailure(connection, error);
    }
  }
  #noteStarted({ record, created, reused }) {
    if (this.taskId !== record.id) this.#seq = 0;
    this.taskId = record.id;
    this.#note("called", { created, reused, status: record.status });
  }
  #connect() {
    const worker = this.#options.pickWorker();
    if (worker === void 0) return void 0;
    this.#connection = new Connection(this.#options.world, this.#actor, worker);
    return this.#connection;
  }
  #follow(connection) {
    const { taskId } = this;
    const owner = this.#owner;
    if (taskId === void 0) return;
    const afterSeq = this.#seq;
    connection.stream(
      async (engine, send) => {
        const tasks = engine.forOwner(owner);
        const remove = tasks.addWaiter(taskId);
        connection.signal.addEventListener("abort", () => remove("gone"), { once: true });
        for await (const followed of tasks.follow(taskId, { afterSeq, signal: connection.signal })) send(followed);
        remove("gone");
      },
      (followed) => this.#receive(connection, followed),
      (error) => this.#afterFailure(connection, error)
    );
  }
  #receive(connection, followed) {
    if (connection !== this.#connection || this.isDone) return;
    if (followed.kind === "snapshot") {
      this.#seq = followed.record.lastSeq;
      this.#note("snapshot", { seq: this.#seq, status: followed.record.status });
      if (["completed", "failed", "cancelled"].includes(followed.record.status))
        this.#finish(connection, followed.record.status);
      return;
    }
    const { event } = followed;
    this.#note("sees", {
      seq: event.seq,
      type: event.type,
      progress: event.type === "checkpoint" ? event.progress : void 0
    });
    this.#seq = event.seq;
    if (event.type === "asked") this.#consider(event.key);
    if (event.type === "completed" || event.type === "failed" || event.type === "cancelled")
      this.#finish(connection, event.type);
  }
  #finish(connection, status) {
    const { taskId } = this;
    this.isDone = true;
    this.#note("result", { status });
    if (taskId === void 0) return;
    connection.ask((engine) => engine.forOwner(this.#owner).markDelivered(taskId)).then(() => this.#note("delivered")).catch(() => this.#note("delivery_unknown"));
  }
  #afterFailure(connection, error) {
    if (connection !== this.#connection || this.isDone) return;
    this.#connection = void 0;
    connection.break("the caller gave it up");
    const code = isResumableError(error) ? error.code : error instanceof ConnectionLost ? "LOST" : String(error);
    this.#note("refused", { code });
    const isFinal3 = isResumableError(error) && !["DRAINING", "STORE_WRITE_FAILED", "STORE_READ_FAILED", "STORE_CLOSED"].includes(error.code);
    if (isFinal3 || !this.#random.percent(this.plan.returnsPercent)) {
      this.#note("leaves_for_good");
      this.isDone = true;
      return;
    }
    this.#later(this.#random.pick([20, 200, 2e3, 1e4, 6e4]));
  }
  #later(ms) {
    this.#options.world.after(ms, () => void this.#call(), this.#actor);
  }
  /** Thinks about a question, and answers it, or does not. */
  #consider(key) {
    if (this.#answered.has(key)) return;
    this.#answered.add(key);
    if (!this.#random.percent(this.plan.answersPercent)) return;
    const thinkMs = this.#random.pick([5, 300, 4e3]);
    this.#options.world.after(thinkMs, () => void this.answer(key), this.#actor);
  }
  async answer(key) {
    const { taskId } = this;
    const worker = this.#options.pickWorker();
    if (taskId === void 0 || worker === void 0) return;
    const word = `${this.plan.name}-${key}-${this.#tries}`;
    this.#note("answers", { key, word });
    const connection = new Connection(this.#options.world, this.#actor, worker);
    try {
      const answer = { action: "accept", content: { word } };
      await connection.ask((engine) => engine.forOwner(this.#owner).answer(taskId, key, answer));
      this.#note("answer_accepted", { key, word });
    } catch (error) {
      const code = isResumableError(error) ? error.code : "LOST";
      this.#note("answer_refused", { key, word, code });
    }
  }
  async #intervene(what) {
    const { taskId } = this;
    if (what === "drop") {
      const connection2 = this.#connection;
      if (connection2 !== void 0 && !this.isDone) this.#afterFailure(connection2, new ConnectionLost("dropped"));
      return;
    }
    const worker = this.#options.pickWorker();
    if (taskId === void 0 || worker === void 0) return;
    const connection = new Connection(this.#options.world, this.#actor, worker);
    this.#note("requests", { what });
    try {
      await connection.ask(async (engine) => void await engine.forOwner(this.#owner)[what](taskId));
      this.#note("request_done", { what });
    } catch (error) {
      this.#note("request_refused", { what, code: isResumableError(error) ? error.code : "LOST" });
    }
  }
};

// src/work/mcp-caller.ts
import { createParser } from "eventsource-parser";

// src/machine/http-call.ts
var HttpCall = class {
  #options;
  #random;
  #cut = new AbortController();
  #isOpen = true;
  #isOver = false;
  #lastArrivalMs = 0;
  constructor(options) {
    this.#options = options;
    this.#random = options.world.random.fork();
    const { world, worker } = options;
    world.after(this.#delay(), () => void this.#serve(), worker.actor);
    worker.onDeath(() => this.#breakAtCaller());
  }
  /** The caller closes the connection. */
  cut() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#isOver = true;
    const { world, worker } = this.#options;
    world.after(this.#delay(), () => this.#cut.abort(), worker.actor);
  }
  #delay() {
    return this.#random.between(0.2, 5);
  }
  async #serve() {
    const { message, handler } = this.#options;
    if (this.#cut.signal.aborted) return;
    const { method, headers, body } = message;
    const request = new Request("http://127.0.0.1:8001/mcp", { method, headers, body, signal: this.#cut.signal });
    const answer = await handler.answer(ofWebRequest(request), { locality: local }).catch(() => void 0);
    if (answer === void 0) return this.#breakAtCaller();
    await this.#send(answer);
  }
  async #send({ status, headers, body, onSent }) {
    const { listener } = this.#options;
    this.#toCaller(() => listener.head(status, headers));
    if (typeof body !== "object") {
      if (body !== void 0) this.#toCaller(() => listener.text(body));
      this.#accepted(onSent, true);
      this.#toCaller(() => this.#finish());
      return;
    }
    const decoder = new TextDecoder();
    const pump = () => {
      while (this.#isOpen) {
        const { text: text2, onSent: sent } = body.take(16384);
        const decoded = typeof text2 === "string" ? text2 : decoder.decode(text2, { stream: true });
        if (decoded.length > 0) this.#toCaller(() => listener.text(decoded));
        this.#accepted(sent, body.ended);
        if (decoded.length > 0) continue;
        if (body.ended) this.#toCaller(() => this.#finish());
        return;
      }
    };
    this.#cut.signal.addEventListener("abort", () => body.cancel(), { once: true });
    body.follow(pump);
    pump();
  }
  /** As the kernel does it: in a later turn, unless the connection is known to be closed by then. */
  #accepted(onSent, isLast) {
    const { world, worker, onAccepted } = this.#options;
    if (onSent === void 0) return;
    world.nextTurn(() => {
      if (this.#cut.signal.aborted) return;
      if (isLast) onAccepted();
      onSent();
    }, worker.actor);
  }
  #finish() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isOpen = false;
    this.#options.listener.end();
  }
  #breakAtCaller() {
    if (!this.#isOpen) return;
    this.#toCaller(() => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#isOpen = false;
      this.#options.listener.broken();
    });
  }
  #toCaller(run) {
    const { world, caller } = this.#options;
    const atMs = Math.max(this.#lastArrivalMs, world.nowMs + this.#delay()) + 1e-3;
    this.#lastArrivalMs = atMs;
    world.after(atMs - world.nowMs, () => !this.#isOver && run(), caller);
  }
};

// src/work/mcp-caller.ts
var tries2025 = 2;
var McpCaller = class {
  plan;
  isDone = false;
  #options;
  #random;
  #actor;
  #isStopped = false;
  #nextId = 0;
  #session;
  #lastProgress = -1;
  #current;
  constructor(options) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = options.world.random.fork();
    this.#actor = newActor(options.plan.name);
  }
  begin(afterMs) {
    const { world } = this.#options;
    world.after(afterMs, () => void this.#callUntilDone(), this.#actor);
    for (const { atMs, what } of this.plan.interventions) {
      if (what === "drop") world.after(afterMs + atMs, () => this.#drop(), this.#actor);
    }
  }
  stopCalling() {
    this.#isStopped = true;
  }
  #note(kind, facts = {}) {
    this.#options.history.add(kind, { caller: this.plan.name, owner: this.plan.owner, ...facts });
  }
  #drop() {
    this.#note("drops");
    this.#current?.cut();
    this.#onDrop?.();
  }
  #onDrop;
  /** The same call again and again, until there is a result or the caller has had enough. */
  async #callUntilDone() {
    while (!this.isDone && !this.#isStopped) {
      const outcome = this.plan.via === "2025" ? await this.#call2025() : await this.#call2026();
      if (this.#noteOutcome(outcome)) break;
      if (!this.#random.percent(this.plan.returnsPercent)) break;
      await this.#pause(this.#random.pick([20, 500, 3e3, 2e4]));
    }
    this.isDone = true;
  }
  /** @returns whether the call is over: its result came, or says that it failed by what it does itself. */
  #noteOutcome(outcome) {
    if (outcome.kind !== "result") {
      const code = "code" in outcome ? outcome.code : void 0;
      this.#note("mcp_failed", { how: outcome.kind, code, status: "status" in outcome ? outcome.status : void 0 });
      return false;
    }
    const { result } = outcome;
    const structured = isJsonObject(result["structuredContent"]) ? result["structuredContent"] : {};
    const error = isJsonObject(structured["error"]) ? String(structured["error"]["code"]) : void 0;
    const isWhole = result["isError"] !== true && typeof structured["done"] === "number";
    this.#note("mcp_result", { isError: result["isError"] === true, isWhole, code: error });
    return isWhole || error === void 0 || !error.startsWith("STORE_");
  }
  async #call2025() {
    const worker = this.#options.pickWorker();
    if (worker === void 0) return { kind: "broken" };
    if (this.#session === void 0 || this.#random.percent(50)) {
      const failure = await this.#initialize(worker);
      if (failure !== void 0) return failure;
    }
    const id = this.#newId();
    const _meta = { progressToken: id, "resumable-mcp/client_id": this.plan.owner };
    const params2 = { name: "script", arguments: this.plan.input, _meta };
    this.#lastProgress = -1;
    const place2 = { lastEventId: void 0, retryMs: 1e3 };
    const headers = this.#headers2025();
    let outcome = await this.#stream(id, { method: "POST", headers, body: rpc({ id, method: "tools/call", params: params2 }) }, place2);
    for (let tries = 0; outcome.kind === "broken" && place2.lastEventId !== void 0 && tries < tries2025; tries += 1) {
      await this.#pause(place2.retryMs);
      outcome = await this.#stream(id, { method: "GET", headers: { ...headers, "last-event-id": place2.lastEventId } }, place2);
    }
    return outcome;
  }
  #headers2025() {
    return { ...jsonHeaders, "mcp-session-id": this.#session?.id ?? "", "mcp-protocol-version": "2025-11-25" };
  }
  async #initialize(worker) {
    const clientInfo = { name: this.plan.name, version: "1" };
    const params2 = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
    const body = rpc({ id: this.#newId(), method: "initialize", params: params2 });
    const answer = await this.#whole(worker, { method: "POST", headers: jsonHeaders, body });
    const id = answer?.headers["mcp-session-id"];
    if (answer === void 0) return { kind: "broken" };
    if (id === void 0) return { kind: "refused", status: answer.status };
    this.#session = { id, worker };
    await this.#whole(worker, { method: "POST", headers: this.#headers2025(), body: rpc({ method: "notifications/initialized" }) });
    return void 0;
  }
  async #call2026() {
    let more = {};
    for (let round = 0; ; round += 1) {
      const id = this.#newId();
      const _meta = {
        progressToken: id,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
        "resumable-mcp/client_id": this.plan.owner
      };
      const headers = { ...jsonHeaders, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "script" };
      const params2 = { name: "script", arguments: this.plan.input, _meta, ...more };
      this.#lastProgress = -1;
      const place2 = { lastEventId: void 0, retryMs: 1e3 };
      const outcome = await this.#stream(id, { method: "POST", headers, body: rpc({ id, method: "tools/call", params: params2 }) }, place2);
      const asked = outcome.kind === "result" ? outcome.result["inputRequests"] : void 0;
      if (outcome.kind !== "result" || outcome.result["resultType"] !== "input_required" || round > 30) return outcome;
      if (isJsonObject(asked) && !this.#random.percent(this.plan.answersPercent)) return { kind: "broken" };
      await this.#pause(this.#random.pick([5, 400]));
      const word = `${this.plan.name}-${round}`;
      const inputResponses = Object.fromEntries(Object.keys(isJsonObject(asked) ? asked : {}).map((key) => [key, { action: "accept", content: { word } }]));
      more = { inputResponses, requestState: outcome.result["requestState"] ?? null };
    }
  }
  /** Reads a stream until the answer to a request came, or the stream ended or broke. */
  #stream(id, message, place2) {
    const worker = message.method === "GET" || this.plan.via === "2026" ? this.#options.pickWorker() : this.#session?.worker;
    if (worker === void 0 || !worker.isAlive) return Promise.resolve({ kind: "broken" });
    return new Promise((resolve2) => {
      let status = 0;
      let rest = "";
      let isStream = false;
      const parser = this.#parserOf(id, worker, place2, resolve2);
      this.#onDrop = () => resolve2({ kind: "broken" });
      this.#current = this.#send(worker, message, {
        head: (given, headers) => {
          status = given;
          isStream = (headers["content-type"] ?? "").includes("text/event-stream");
        },
        text: (text2) => {
          if (isStream) parser.feed(text2);
          else rest += text2;
        },
        end: () => resolve2(isStream ? { kind: "broken" } : answerOf(status, rest)),
        broken: () => resolve2({ kind: "broken" })
      });
    });
  }
  #parserOf(id, worker, place2, resolve2) {
    return createParser({
      onRetry: (ms) => {
        place2.retryMs = ms;
      },
      onEvent: ({ id: eventId, data }) => {
        if (eventId !== void 0) place2.lastEventId = eventId;
        if (data === "") return;
        const message = JSON.parse(data);
        if (!isJsonObject(message)) return;
        if (message["method"] === "notifications/progress") this.#noteProgress(message["params"]);
        else if (message["method"] === "elicitation/create") void this.#answer(worker, message);
        else if (message["id"] === id) resolve2(outcomeOf(message));
      }
    });
  }
  #noteProgress(params2) {
    if (!isJsonObject(params2) || typeof params2["progress"] !== "number") return;
    const { progress } = params2;
    const meta = isJsonObject(params2["_meta"]) ? params2["_meta"] : {};
    this.#note("mcp_progress", { progress, before: this.#lastProgress, snapshot: meta["resumable-mcp/snapshot"] === true });
    this.#lastProgress = progress;
  }
  async #answer(worker, { id }) {
    if (!this.#random.percent(this.plan.answersPercent)) return;
    await this.#pause(this.#random.pick([5, 300, 4e3]));
    const result = { action: "accept", content: { word: `${this.plan.name}-${String(id)}` } };
    const to = worker.isAlive ? worker : this.#options.pickWorker();
    if (to === void 0) return;
    await this.#whole(to, { method: "POST", headers: this.#headers2025(), body: rpc({ id: id ?? null, result }) });
  }
  /** Sends something short and reads all of the answer; `undefined` when the connection broke. */
  #whole(worker, message) {
    return new Promise((resolve2) => {
      let head2 = { status: 0, headers: {} };
      let text2 = "";
      const call = this.#send(worker, message, {
        head: (status, headers) => {
          head2 = { status, headers };
        },
        text: (more) => {
          text2 += more;
        },
        end: () => resolve2({ ...head2, text: text2 }),
        broken: () => resolve2(void 0)
      });
      this.#options.world.after(2e4, () => {
        call.cut();
        resolve2(void 0);
      }, this.#actor);
    });
  }
  #send(worker, message, listener) {
    const { world } = this.#options;
    const onAccepted = () => this.#note("accepted", { worker: worker.actor.name });
    return new HttpCall({ world, caller: this.#actor, worker, handler: worker.http, message, listener, onAccepted });
  }
  #pause(ms) {
    return new Promise((resolve2) => this.#options.world.after(ms, resolve2, this.#actor));
  }
  #newId() {
    this.#nextId += 1;
    return `${this.plan.name}-${this.#nextId}`;
  }
};
var jsonHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };
function rpc(message) {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}
function outcomeOf(message) {
  const { result, error } = message;
  if (isJsonObject(result)) return { kind: "result", result };
  return { kind: "error", code: isJsonObject(error) ? Number(error["code"]) : 0 };
}
function answerOf(status, text2) {
  if (status !== 200) return { kind: "refused", status };
  const message = JSON.parse(text2);
  return isJsonObject(message) ? outcomeOf(message) : { kind: "refused", status };
}

// src/work/prober.ts
var probeOwner = "client:prober";
var Prober = class {
  #options;
  #actor = newActor("prober");
  #count = 0;
  constructor(options) {
    this.#options = options;
  }
  begin() {
    const { world, everyMs, untilMs } = this.#options;
    world.after(
      everyMs,
      () => {
        if (world.nowMs >= untilMs) return;
        void this.#probe();
        this.begin();
      },
      this.#actor
    );
  }
  async #probe() {
    const { world, history, pickWorker } = this.#options;
    const worker = pickWorker();
    if (worker === void 0) return;
    this.#count += 1;
    const probe = this.#count;
    const name = worker.actor.name;
    const input2 = { run: `probe-${probe}`, program: [{ op: "work", ms: 30 }] };
    history.add("probe_begins", { probe, worker: name });
    try {
      await new Connection(world, this.#actor, worker).ask(async (engine) => {
        const tasks = engine.forOwner(probeOwner);
        const { record } = await tasks.start({ tool: "script", input: input2, detached: true });
        await tasks.wait(record.id);
      }, 12e4);
      history.add("probe_ends", { probe, worker: name });
    } catch (error) {
      history.add("probe_fails", { probe, worker: name, code: isResumableError(error) ? error.code : "LOST" });
    }
  }
};

// src/work/script-tool.ts
import { z as z17 } from "zod";
var operationSchema = z17.discriminatedUnion("op", [
  z17.object({ op: z17.literal("work"), ms: z17.number() }),
  /** Ignores its signal. */
  z17.object({ op: z17.literal("stubborn"), ms: z17.number() }),
  z17.object({ op: z17.literal("step") }),
  z17.object({ op: z17.literal("ask"), timeoutMs: z17.number().optional() }),
  z17.object({ op: z17.literal("sleep"), ms: z17.number() }),
  /** Fails so many times, then works. */
  z17.object({ op: z17.literal("fail"), times: z17.number() }),
  z17.object({ op: z17.literal("give_up") }),
  /** Kills its process each time. */
  z17.object({ op: z17.literal("poison") })
]);
var input = z17.object({ run: z17.string(), program: z17.array(operationSchema) });
function scriptTool({ history, failures, worker }) {
  const note2 = (kind, facts) => {
    if (worker.isAlive) history.add(kind, { worker: worker.actor.name, ...facts });
  };
  return defineTool({
    name: "script",
    description: "Does what its input says.",
    input,
    state: { at: 0 },
    item: z17.number(),
    retry: { maxAttempts: 4, initialDelayMs: 200, maxDelayMs: 2e3 },
    async *run({ program }, task) {
      let known2 = 0;
      for await (const item of task.items()) {
        note2("item_read", { task: task.id, place: known2, item });
        known2 += 1;
      }
      note2("attempt", { task: task.id, attempt: task.attempt, at: task.state.at, items: known2 });
      try {
        for (let at = task.state.at; at < program.length; at += 1) {
          const operation = program[at];
          if (operation === void 0) break;
          note2("begins", { task: task.id, at, attempt: task.attempt, op: operation.op });
          await perform(operation, at, task);
          yield { progress: at + 1, total: program.length, state: { at: at + 1 }, append: [at] };
          note2("committed", { task: task.id, at, attempt: task.attempt });
        }
        note2("returns", { task: task.id, attempt: task.attempt });
        return { done: program.length };
      } finally {
        note2("leaves", { task: task.id, attempt: task.attempt });
      }
    }
  });
  async function perform(operation, at, task) {
    switch (operation.op) {
      case "work":
        return pause2(operation.ms, task.signal);
      case "stubborn":
        return pause2(operation.ms);
      case "step": {
        const value = await task.step(`step-${at}`, async () => {
          note2("step_runs", { task: task.id, at, attempt: task.attempt });
          await pause2(5);
          return at * 7;
        });
        note2("step_done", { task: task.id, at, attempt: task.attempt, value });
        return;
      }
      case "ask": {
        const { timeoutMs } = operation;
        const schema2 = z17.object({ word: z17.string() });
        const answer = await task.ask(`ask-${at}`, { message: `What comes at ${at}?`, schema: schema2, timeoutMs });
        const word = answer.action === "accept" ? answer.content.word : void 0;
        note2("answered", { task: task.id, at, attempt: task.attempt, action: answer.action, word });
        return;
      }
      case "sleep":
        await task.sleep(`sleep-${at}`, operation.ms);
        note2("slept", { task: task.id, at, attempt: task.attempt });
        return;
      case "fail": {
        const key = `${task.id}/${at}`;
        const failed2 = failures.get(key) ?? 0;
        if (failed2 >= operation.times) return;
        failures.set(key, failed2 + 1);
        throw new RetryableError("The outside world refused it.");
      }
      case "give_up":
        throw new TerminalError("It cannot be done.");
      case "poison":
        await pause2(20, task.signal);
        worker.die("by its tool");
        return pause2(6e4);
    }
  }
}
function pause2(ms, signal) {
  return new Promise((resolve2, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve2();
    }, ms);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// src/world/virtual-globals.ts
import childProcess from "child_process";
import crypto2 from "crypto";
import dgram from "dgram";
import fs4 from "fs";
import fsPromises from "fs/promises";
import http from "http";
import https from "https";
import { syncBuiltinESMExports } from "module";
import net from "net";
import timers from "timers";
import timersPromises from "timers/promises";
function enterWorld(world) {
  entered = world;
  offences.length = 0;
  if (isReplaced) return;
  isReplaced = true;
  replaceTimers();
  replaceClocks();
  replaceRandom();
  refuseTheMachine();
  process.on("unhandledRejection", (error) => entered?.noteUncaught(error));
  process.on("uncaughtException", (error) => entered?.noteUncaught(error));
  syncBuiltinESMExports();
}
function leaveWorld() {
  entered = void 0;
}
var offences = [];
var entered;
var isReplaced = false;
function here() {
  if (entered === void 0) throw offence("the world after its end");
  return entered;
}
function offence(what) {
  offences.push(what);
  return new Error(`The simulation touched ${what}.`);
}
var VirtualTimer = class {
  #cancel;
  constructor(cancel) {
    this.#cancel = cancel;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  cancel() {
    this.#cancel();
  }
  [Symbol.dispose]() {
    this.#cancel();
  }
};
function replaceTimers() {
  const real = { setTimeout, setImmediate };
  const setTimer = (run, delayMs = 0, ...args) => entered === void 0 ? real.setTimeout(run, delayMs, ...args) : new VirtualTimer(here().after(Math.max(1, Number(delayMs) || 0), () => run(...args)));
  const setTurn = (run, ...args) => entered === void 0 ? real.setImmediate(run, ...args) : new VirtualTimer(here().nextTurn(() => run(...args)));
  const setRepeated = (run, everyMs = 0, ...args) => {
    const world = here();
    const actor = world.current;
    let cancel = () => {
    };
    const arm = () => {
      cancel = world.after(
        Math.max(1, everyMs),
        () => {
          arm();
          run(...args);
        },
        actor
      );
    };
    arm();
    return new VirtualTimer(() => cancel());
  };
  const clear = (timer) => {
    if (timer instanceof VirtualTimer) timer.cancel();
  };
  const replaced = {
    setTimeout: setTimer,
    setInterval: setRepeated,
    setImmediate: setTurn,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear
  };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, {
    setTimeout: (delayMs, value, options) => promised((done) => setTimer(done, delayMs), value, options?.signal),
    setImmediate: (value, options) => promised((done) => setTurn(done), value, options?.signal)
  });
  AbortSignal.timeout = (delayMs) => {
    const controller = new AbortController();
    setTimer(() => controller.abort(new DOMException("The operation timed out.", "TimeoutError")), delayMs);
    return controller.signal;
  };
}
function promised(arm, value, signal) {
  return new Promise((resolve2, reject) => {
    const aborted = () => Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" });
    if (signal?.aborted) return reject(aborted());
    const timer = arm(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve2(value);
    });
    const onAbort = () => {
      if (timer instanceof VirtualTimer) timer.cancel();
      reject(aborted());
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
function replaceClocks() {
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(here().wallMs());
      else super(...args);
    }
    static now() {
      return here().wallMs();
    }
  }
  globalThis.Date = VirtualDate;
  Object.defineProperty(performance, "now", { value: () => here().monotonicMs(), configurable: true });
}
function replaceRandom() {
  const bytes = (count) => {
    const { random } = here();
    return Buffer.from(Array.from({ length: count }, () => random.below(256)));
  };
  const fill = (values) => {
    const view = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    view.set(bytes(view.byteLength));
    return values;
  };
  const uuid = () => {
    const hex2 = bytes(16).toString("hex");
    return `${hex2.slice(0, 8)}-${hex2.slice(8, 12)}-4${hex2.slice(13, 16)}-8${hex2.slice(17, 20)}-${hex2.slice(20)}`;
  };
  Math.random = () => here().random.next();
  Object.assign(crypto2, { randomBytes: bytes, randomUUID: uuid, randomFillSync: fill });
  Object.defineProperty(globalThis.crypto, "getRandomValues", { value: fill, configurable: true });
  Object.defineProperty(globalThis.crypto, "randomUUID", { value: uuid, configurable: true });
  const digest = async (algorithm, data) => new Uint8Array(crypto2.createHash(algorithm.replace("-", "")).update(data).digest()).buffer;
  Object.defineProperty(globalThis.crypto.subtle, "digest", { value: digest, configurable: true });
}
function refuseTheMachine() {
  for (const [name, module, members] of [
    ["a file", fs4, ["openSync", "readFileSync", "writeFileSync", "statSync", "readdirSync", "open", "readFile"]],
    ["a file", fsPromises, ["open", "readFile", "writeFile", "stat", "readdir"]],
    ["a socket", net, ["connect", "createConnection", "createServer"]],
    ["a socket", dgram, ["createSocket"]],
    ["a socket", http, ["request", "get", "createServer"]],
    ["a socket", https, ["request", "get", "createServer"]],
    ["a process", childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "fork"]]
  ]) {
    const known2 = module;
    for (const member of members) {
      const real = known2[member];
      if (typeof real !== "function") continue;
      known2[member] = (...args) => {
        if (entered === void 0) return Reflect.apply(real, module, args);
        throw offence(`${name} (${member})`);
      };
    }
  }
  globalThis.fetch = () => Promise.reject(offence("a socket (fetch)"));
}

// src/run/run-plan.ts
var livenessMs = 9e5;
var points = [
  ...observerPoints,
  "engine.attempt.started",
  "engine.attempt.ended",
  "engine.checkpoint.before",
  "engine.checkpoint.after"
];
var namedPoints = points;
async function runPlan(plan) {
  const world = new World(plan.seed);
  enterWorld(world);
  resetProcessIds();
  const run = new Run(world, plan);
  try {
    const tasks = await run.whole();
    const violations = [
      ...check({ plan, events: run.history.events, tasks }),
      ...offences.map(toViolation),
      ...world.uncaught.map(toUncaught)
    ];
    return {
      plan,
      history: run.history,
      violations,
      digest: run.history.digest(),
      virtualMs: world.nowMs,
      turns: world.turns
    };
  } finally {
    leaveWorld();
  }
}
function toViolation(what) {
  return { rule: "determinism", text: `The run touched ${what}.` };
}
function toUncaught(error) {
  return { rule: "G12", text: `An error that no code caught would have ended the process: ${error}` };
}
var Run = class {
  history;
  #world;
  #plan;
  #machine;
  #settings;
  #failures = /* @__PURE__ */ new Map();
  #slots;
  #random;
  #callers;
  #isPowered = true;
  #isCalm = false;
  constructor(world, plan) {
    this.#world = world;
    this.#plan = plan;
    this.history = new History(world);
    this.#machine = new Machine("machine", world);
    this.#random = world.random.fork();
    this.#settings = {
      durability: plan.durability,
      limits: plan.limits,
      storeLimits: plan.storeLimits,
      tools: (worker) => [scriptTool({ history: this.history, failures: this.#failures, worker })]
    };
    this.#slots = Array.from({ length: plan.workers }, () => void 0);
    const pickWorker = () => this.#pickWorker();
    this.#callers = plan.calls.map((call) => {
      const options = { world, history: this.history, pickWorker, plan: call };
      return call.via === "engine" ? new Caller(options) : new McpCaller(options);
    });
  }
  async whole() {
    const { calls, faults, calmMs, probeEveryMs } = this.#plan;
    for (const slot of this.#slots.keys()) this.#start(slot);
    for (const [index, caller] of this.#callers.entries()) caller.begin(calls[index]?.atMs ?? 0);
    for (const fault of faults) this.#world.after(fault.atMs, () => this.#strike(fault), this.#world.director);
    const pickWorker = () => this.#pickWorker();
    if (probeEveryMs > 0) {
      new Prober({
        world: this.#world,
        history: this.history,
        pickWorker,
        everyMs: probeEveryMs,
        untilMs: calmMs + 1e4
      }).begin();
    }
    await this.#world.runUntil(calmMs);
    this.#calm();
    if (probeEveryMs > 0) await this.#world.runUntil(calmMs + 11e3);
    const closer = new Closer(this.#world, this.history, () => this.#pickWorker(), ownersOf(this.#plan));
    const steppedMs = faults.reduce((sum, { kind, amount }) => sum + (kind === "clock" ? Math.abs(amount) : 0), 0);
    await closer.untilAllEnd(calmMs + livenessMs + steppedMs);
    return closer.readAll();
  }
  #pickWorker() {
    const living = this.#slots.filter((worker) => worker?.isAlive === true);
    return living.length === 0 ? void 0 : this.#random.pick(living);
  }
  #start(slot) {
    if (!this.#isPowered || this.#slots[slot]?.isAlive === true) return;
    const { history } = this;
    const worker = new Worker({
      world: this.#world,
      machine: this.#machine,
      history,
      settings: this.#settings,
      isAlive: (other) => this.#livesOn(other)
    });
    this.#slots[slot] = worker;
    worker.onDeath(() => this.#later(this.#plan.restartMs, () => this.#start(slot)));
    worker.run((engine) => void engine.open().catch((error) => this.#afterOpening(worker, error)));
  }
  /** A server whose store cannot be opened ends, and is started again. */
  #afterOpening(worker, error) {
    if (!worker.isAlive) return;
    this.history.add("not_opened", { worker: worker.actor.name, message: String(error) });
    worker.die("its store could not be opened");
  }
  #livesOn(other) {
    return this.#slots.some((worker) => worker?.isAlive === true && worker.identity.pid === other.pid);
  }
  #later(ms, run) {
    this.#world.after(ms, run, this.#world.director);
  }
  #strike({ kind, slot, amount }) {
    if (this.#isCalm) return;
    const worker = this.#slots[slot];
    const { faults } = this.#machine;
    const untilMs = this.#world.nowMs + amount;
    this.history.add("fault", { fault: kind, slot, amount });
    if (kind === "power") return this.#losePower(amount);
    if (kind === "kill_all") return this.#killAll("killed with all others");
    if (kind === "clock") this.#stepClock(amount);
    if (kind === "full") faults.fullUntilMs = untilMs;
    if (kind === "slow") faults.slowUntilMs = untilMs;
    if (kind === "errors") {
      faults.errorPercent = 5;
      this.#later(amount, () => {
        faults.errorPercent = 0;
      });
    }
    if (worker?.isAlive !== true) return;
    if (kind === "kill") worker.die("killed");
    if (kind === "freeze") worker.actor.frozenUntilMs = untilMs;
    if (kind === "drift") worker.actor.drift = amount;
    if (kind === "die_at_call") worker.deathPlan = { callsLeft: amount, isBefore: this.#random.percent(50) };
    if (kind === "die_at_point") {
      const name = points[amount % points.length] ?? "";
      worker.deathPoint = { name, left: 1 + this.#random.below(3) };
    }
    if (kind === "drain") this.#drain(worker);
  }
  /** Sets the wall clock of the machine. */
  #stepClock(ms) {
    this.#machine.wallAheadMs += ms;
    for (const worker of this.#slots) if (worker !== void 0) worker.actor.wallAheadMs = this.#machine.wallAheadMs;
  }
  #drain(worker) {
    worker.run((engine) => {
      const done = () => worker.die("drained");
      engine.close().then(done, done);
    });
  }
  #killAll(reason) {
    for (const worker of this.#slots) worker?.die(reason);
  }
  #losePower(offMs) {
    if (!this.#isPowered) return;
    this.#isPowered = false;
    this.#killAll("the power was lost");
    this.#machine.losePower(this.#random);
    this.#later(offMs, () => {
      this.#isPowered = true;
      for (const slot of this.#slots.keys()) this.#start(slot);
    });
  }
  /** Ends all faults: what still fails from now on is a defect. */
  #calm() {
    this.#isCalm = true;
    this.#isPowered = true;
    Object.assign(this.#machine.faults, { fullUntilMs: 0, slowUntilMs: 0, errorPercent: 0 });
    for (const [slot, worker] of this.#slots.entries()) {
      if (worker?.isAlive !== true) this.#start(slot);
      else {
        worker.deathPlan = void 0;
        worker.deathPoint = void 0;
        worker.actor.frozenUntilMs = 0;
      }
    }
    for (const caller of this.#callers) caller.stopCalling();
    this.history.add("calm", {});
  }
};
function ownersOf(plan) {
  return [.../* @__PURE__ */ new Set([...plan.calls.map(({ owner }) => ownerTag("client", owner)), ...plan.probeEveryMs > 0 ? [probeOwner] : []])];
}
var Closer = class {
  #world;
  #history;
  #pickWorker;
  #owners;
  #actor = newActor("closer");
  #rounds = 0;
  constructor(world, history, pickWorker, owners) {
    this.#world = world;
    this.#history = history;
    this.#pickWorker = pickWorker;
    this.#owners = owners;
  }
  async untilAllEnd(endMs) {
    let isDone = false;
    let emptyRounds = 0;
    const round = async () => {
      emptyRounds = await this.#oneRound() === 0 ? emptyRounds + 1 : 0;
      if (emptyRounds > 3) isDone = true;
      else this.#world.after(1e3, () => void round(), this.#actor);
    };
    this.#world.after(10, () => void round(), this.#actor);
    await this.#world.runUntil(endMs, () => isDone);
    this.#history.add("ended", { all: isDone, rounds: this.#rounds });
  }
  /** How many tasks have not ended; `Infinity` when nobody could be asked. */
  async #oneRound() {
    this.#rounds += 1;
    const worker = this.#pickWorker();
    if (worker === void 0) return Number.POSITIVE_INFINITY;
    const connection = new Connection(this.#world, this.#actor, worker);
    let left = 0;
    try {
      for (const owner of this.#owners) {
        const { tasks } = await connection.ask((engine) => engine.forOwner(owner).list({ limit: 1e3 }));
        for (const { id, status } of tasks) {
          if (isFinal2(status)) continue;
          left += 1;
          await this.#help(connection, owner, id);
        }
      }
      return left;
    } catch (error) {
      this.#history.add("closer_failed", { error: String(error) });
      return Number.POSITIVE_INFINITY;
    } finally {
      connection.break("the round is over");
    }
  }
  async #help(connection, owner, id) {
    const view = await connection.ask((engine) => engine.forOwner(owner).get(id));
    if (view.status === "paused") {
      await connection.ask((engine) => engine.forOwner(owner).resume(id)).catch(() => void 0);
    }
    for (const { key } of view.questions) {
      const word = `closer-${key}`;
      this.#history.add("answers", { task: id, key, word });
      await connection.ask((engine) => engine.forOwner(owner).answer(id, key, { action: "accept", content: { word } })).then(
        () => this.#history.add("answer_accepted", { task: id, key, word }),
        () => void 0
      );
    }
  }
  async readAll() {
    const found = [];
    let isDone = false;
    const read = async () => {
      const worker = this.#pickWorker();
      if (worker === void 0) return;
      const connection = new Connection(this.#world, this.#actor, worker);
      for (const owner of this.#owners) {
        const { tasks } = await connection.ask((engine) => engine.forOwner(owner).list({ limit: 1e3 }));
        for (const { id } of tasks) found.push(await this.#read(connection, owner, id));
      }
    };
    this.#world.after(
      10,
      () => {
        read().catch((error) => this.#history.add("not_read", { error: String(error) })).finally(() => {
          isDone = true;
        });
      },
      this.#actor
    );
    await this.#world.runUntil(this.#world.nowMs + 6e4, () => isDone);
    return found;
  }
  async #read(connection, owner, id) {
    const { record } = await connection.ask((engine) => engine.forOwner(owner).get(id));
    const items = [];
    for (; ; ) {
      const page = await connection.ask((engine) => engine.forOwner(owner).items(id, { after: items.length }));
      if (page.items.length === 0) break;
      items.push(...page.items);
    }
    const followed = isFinal2(record.status) ? await connection.ask((engine) => readJournal(engine.forOwner(owner).follow(id))) : [];
    return { owner, record, items, followed };
  }
};
async function readJournal(journal) {
  const all = [];
  for await (const followed of journal) all.push(followed);
  return all;
}
function isFinal2(status) {
  return status === "completed" || status === "failed" || status === "cancelled";
}

// src/run/shrink.ts
var maxTries = 300;
async function shrink(report) {
  const rules = new Set(report.violations.map(({ rule }) => rule));
  let best = report;
  let tries = 0;
  const keepIfBroken = async (plan) => {
    tries += 1;
    const next = await runPlan(plan);
    if (!next.violations.some(({ rule }) => rules.has(rule))) return false;
    best = next;
    return true;
  };
  for (let isShorter = true; isShorter && tries < maxTries; ) {
    isShorter = false;
    for (const plan of shorterPlans(best.plan)) {
      if (tries >= maxTries) break;
      if (!await keepIfBroken(plan)) continue;
      isShorter = true;
      break;
    }
  }
  return best;
}
function* shorterPlans(plan) {
  for (const part of [2, 4, 8]) {
    yield* withoutParts(plan, "faults", Math.floor(plan.faults.length / part));
    yield* withoutParts(plan, "calls", Math.floor(plan.calls.length / part));
  }
  yield* withoutParts(plan, "faults", 1);
  yield* withoutParts(plan, "calls", 1);
  for (const [index, call] of plan.calls.entries()) {
    if (call.interventions.length === 0) continue;
    yield { ...plan, calls: plan.calls.with(index, { ...call, interventions: call.interventions.slice(1) }) };
  }
  if (plan.workers > 1) yield { ...plan, workers: plan.workers - 1 };
}
function* withoutParts(plan, name, size) {
  if (size < 1) return;
  for (let from = 0; from < plan[name].length; from += size) {
    yield { ...plan, [name]: plan[name].toSpliced(from, size) };
  }
}

// src/index.ts
var usage = `simulate: runs the engine and the store in virtual time, and breaks everything around them.

  --seeds 1..1000   the seeds to run (default 1..100)
  --random N        N fresh seeds as well, which are printed
  --seed N          one seed
  --verbose         prints every event of each run
  --until-found     ends with the first violation, and says where it was
  --no-shrink       leaves a failing story as long as it is
  --help

Exit code: 0 when every guarantee held, 1 when one did not, 2 for a wrong option.
`;
function readOptions() {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      random: { type: "string" },
      seed: { type: "string" },
      verbose: { type: "boolean" },
      "no-shrink": { type: "boolean" },
      "until-found": { type: "boolean" },
      help: { type: "boolean" }
    }
  });
  if (values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const fresh = Array.from({ length: wholeNumber("random", values.random ?? "0") }, () => randomInt(2 ** 31));
  const isVerbose = values.verbose === true;
  const shrinks = values["no-shrink"] !== true;
  const untilFound = values["until-found"] === true;
  const how = { isVerbose, shrinks, untilFound };
  if (values.seed !== void 0) return { seeds: [wholeNumber("seed", values.seed)], ...how };
  const range = values.seeds ?? (fresh.length > 0 ? void 0 : "1..100");
  return { seeds: [...range === void 0 ? [] : seedsOf(range), ...fresh], ...how };
}
function seedsOf(range) {
  const [from, to, ...rest] = range.split("..");
  const first = wholeNumber("seeds", from ?? "");
  const last = wholeNumber("seeds", to ?? from ?? "");
  if (rest.length > 0 || last < first) throw new RangeError(`--seeds takes a range such as 1..1000, not "${range}".`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
function wholeNumber(option, text2) {
  const value = Number(text2);
  if (!/^\d+$/.test(text2) || !Number.isSafeInteger(value)) {
    throw new RangeError(`--${option} takes a whole number, not "${text2}".`);
  }
  return value;
}
var Totals = class {
  runs = 0;
  crashes = 0;
  virtualMs = 0;
  failed = 0;
  crossed = /* @__PURE__ */ new Set();
  #began = process.cpuUsage();
  add({ history, virtualMs, violations }) {
    this.runs += 1;
    this.crashes += history.crashes;
    this.virtualMs += virtualMs;
    if (violations.length > 0) this.failed += 1;
    for (const point of history.crashedAt) this.crossed.add(point);
  }
  toString() {
    const { user, system } = process.cpuUsage(this.#began);
    const seconds = (user + system) / 1e6;
    return [
      `${this.runs} seeds, ${this.failed} with violations, ${(this.virtualMs / 36e5).toFixed(1)} virtual hours`,
      `${this.crashes} crashes, ${Math.round(this.crashes / seconds)} for each second of processor time`,
      `${this.crossed.size} of ${namedPoints.length} named points crossed by a crash`
    ].join("; ");
  }
};
function printReport({ plan, digest, violations, history }, isVerbose) {
  process.stdout.write(`seed ${plan.seed}: history ${digest}, ${violations.length} violations
`);
  for (const { rule, text: text2 } of violations) process.stdout.write(`  ${rule}: ${text2}
`);
  if (isVerbose) for (const { atMs, kind, ...facts } of history.events) printEvent(atMs, kind, facts);
}
function printEvent(atMs, kind, facts) {
  const known2 = Object.entries(facts).filter(([, value]) => value !== void 0);
  process.stdout.write(
    `  ${atMs.toFixed(1).padStart(10)} ms  ${kind}  ${known2.map(([name, value]) => `${name}=${String(value)}`).join(" ")}
`
  );
}
async function main({ seeds, isVerbose, shrinks, untilFound }) {
  const totals = new Totals();
  for (const seed of seeds) {
    const report = await runPlan(drawPlan(seed));
    totals.add(report);
    const [violation] = report.violations;
    if (untilFound && violation !== void 0) {
      const hours = (totals.virtualMs / 36e5).toFixed(2);
      process.stdout.write(`found by seed ${seed} after ${hours} virtual hours: ${violation.rule}: ${violation.text}
`);
      break;
    }
    if (isVerbose || report.violations.length > 0) printReport(report, isVerbose);
    if (report.violations.length > 0 && shrinks) await printShortStory(report);
    if (totals.runs % 100 === 0) process.stdout.write(`${totals}
`);
  }
  process.stdout.write(`${totals}
`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}
async function printShortStory(report) {
  const shortest = await shrink(report);
  const { calls, faults, workers } = shortest.plan;
  process.stdout.write(`The shortest story: ${workers} workers, ${calls.length} calls, ${faults.length} faults.
`);
  for (const call of calls) process.stdout.write(`  ${call.name} (${call.owner}): ${JSON.stringify(call.input)}
`);
  printReport(shortest, true);
  process.stdout.write(`Again: npm run simulate -- --seed ${report.plan.seed} --verbose
`);
}
try {
  await main(readOptions());
} catch (error) {
  if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}

${usage}`);
  process.exitCode = 2;
}
//# sourceMappingURL=index.js.map