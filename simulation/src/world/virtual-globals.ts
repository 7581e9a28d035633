import childProcess from "node:child_process";
import crypto from "node:crypto";
import dgram from "node:dgram";
import { getEventListeners } from "node:events";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { useFiles, virtualFolder } from "./virtual-files.js";
import type { World } from "./world.js";

/**
 * Replaces everything by which code could meet the real world: timers, clocks, random numbers. Files, sockets and
 * processes are refused: {@link offences} names what was touched.
 *
 * Code under simulation needs no seam for it: it uses Node's own names, and imports of built-in modules are live.
 */
export function enterWorld(world: World): void {
  entered = world;
  useFiles(world.files);
  offences.length = 0;
  process.on("unhandledRejection", noteUncaught);
  process.on("uncaughtException", noteUncaught);
  if (isReplaced) return;
  isReplaced = true;
  replaceTimers();
  replaceClocks();
  replaceRandom();
  replaceProcess();
  refuseTheMachine();
  syncBuiltinESMExports();
}

/** Leaves the world: what is called then is an offence, and an error that no code catches ends the program. */
export function leaveWorld(): void {
  for (const signal of entered?.joinedSignals ?? []) forgetListeners(signal);
  entered = undefined;
  useFiles(undefined);
  process.off("unhandledRejection", noteUncaught);
  process.off("uncaughtException", noteUncaught);
}

function noteUncaught(error: unknown): void {
  entered?.noteUncaught(error);
}

/** Node keeps a joined signal, and by its listeners the whole world, for as long as it has one and its sources live. */
function forgetListeners(signal: AbortSignal): void {
  for (const listener of getEventListeners(signal, "abort")) {
    signal.removeEventListener("abort", listener as () => void);
  }
}

/** What was touched of the real world, in order. A run with one does not count. */
export const offences: string[] = [];

let entered: World | undefined;
let isReplaced = false;

function here(): World {
  if (entered === undefined) throw offence("the world after its end");
  return entered;
}

function offence(what: string): Error {
  offences.push(what);
  return new Error(`The simulation touched ${what}.`);
}

type Callback = (...args: unknown[]) => void;

/** What timers return: Node's objects, as far as they are used. */
class VirtualTimer {
  readonly #cancel: () => void;

  constructor(cancel: () => void) {
    this.#cancel = cancel;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  cancel(): void {
    this.#cancel();
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

function replaceTimers(): void {
  const real = { setTimeout, setImmediate };
  // After a run, only Node itself and the program's end use them.
  const setTimer = (run: Callback, delayMs = 0, ...args: unknown[]) =>
    entered === undefined
      ? real.setTimeout(run, delayMs, ...args)
      : new VirtualTimer(here().after(Math.max(1, Number(delayMs) || 0), () => run(...args)));
  const setTurn = (run: Callback, ...args: unknown[]) =>
    entered === undefined ? real.setImmediate(run, ...args) : new VirtualTimer(here().nextTurn(() => run(...args)));
  const setRepeated = (run: Callback, everyMs = 0, ...args: unknown[]) => {
    const world = here();
    const actor = world.current;
    let cancel = () => {};
    const arm = () => {
      cancel = world.after(
        Math.max(1, everyMs),
        () => {
          arm();
          run(...args);
        },
        actor,
      );
    };
    arm();
    return new VirtualTimer(() => cancel());
  };
  const clear = (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.cancel();
  };
  const replaced = {
    setTimeout: setTimer,
    setInterval: setRepeated,
    setImmediate: setTurn,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, {
    setTimeout: (delayMs?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) =>
      promised((done) => setTimer(done, delayMs), value, options?.signal),
    setImmediate: (value?: unknown, options?: { readonly signal?: AbortSignal }) =>
      promised((done) => setTurn(done), value, options?.signal),
  });
  const join = AbortSignal.any.bind(AbortSignal);
  AbortSignal.any = (signals) => {
    const joined = join(signals);
    entered?.joinedSignals.push(joined);
    return joined;
  };
  AbortSignal.timeout = (delayMs) => {
    const controller = new AbortController();
    setTimer(() => controller.abort(new DOMException("The operation timed out.", "TimeoutError")), delayMs);
    return controller.signal;
  };
}

function promised(
  arm: (done: () => void) => VirtualTimer | NodeJS.Timeout | NodeJS.Immediate,
  value: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const aborted = () =>
      Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" });
    if (signal?.aborted) return reject(aborted());
    const timer = arm(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    const onAbort = () => {
      if (timer instanceof VirtualTimer) timer.cancel();
      reject(aborted());
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function replaceClocks(): void {
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args: ConstructorParameters<typeof Date> | []) {
      if (args.length === 0) super(here().wallMs());
      else super(...(args as ConstructorParameters<typeof Date>));
    }

    static override now(): number {
      return here().wallMs();
    }
  }
  globalThis.Date = VirtualDate as DateConstructor;
  Object.defineProperty(performance, "now", { value: () => here().monotonicMs(), configurable: true });
}

function replaceRandom(): void {
  const bytes = (count: number): Buffer => {
    const { random } = here();
    const drawn = Buffer.alloc(count);
    for (let place = 0; place < count; place += 1) drawn[place] = random.below(256);
    return drawn;
  };
  const fill = <Values extends ArrayBufferView>(values: Values): Values => {
    const view = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    view.set(bytes(view.byteLength));
    here().fills += 1;
    return values;
  };
  const uuid = () => {
    const hex = bytes(16).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Math.random = () => here().random.next();
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid, randomFillSync: fill });
  Object.defineProperty(globalThis.crypto, "getRandomValues", { value: fill, configurable: true });
  Object.defineProperty(globalThis.crypto, "randomUUID", { value: uuid, configurable: true });
  // The real one works in a thread of its own: when it is done is not for us to say.
  const digest = async (algorithm: string, data: Uint8Array): Promise<ArrayBuffer> =>
    new Uint8Array(crypto.createHash(algorithm.replace("-", "")).update(data).digest()).buffer;
  Object.defineProperty(globalThis.crypto.subtle, "digest", { value: digest, configurable: true });
}

/** Each actor is a process of its own. */
function replaceProcess(): void {
  const { pid } = process;
  const kill = process.kill.bind(process);
  Object.defineProperty(process, "pid", { get: () => entered?.pidOf(entered.current) ?? pid });
  process.kill = (other, signal) => {
    if (entered === undefined) return kill(other, signal);
    if (signal !== 0) throw offence("a process (kill)");
    if (!entered.isRunning(other)) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
    return true;
  };
}

function refuseTheMachine(): void {
  for (const [name, module, members] of [
    ["a file", fs, ["openSync", "readFileSync", "writeFileSync", "statSync", "readdirSync", "open", "readFile"]],
    ["a file", fsPromises, ["open", "readFile", "writeFile", "stat", "readdir"]],
    ["a socket", net, ["connect", "createConnection", "createServer"]],
    ["a socket", dgram, ["createSocket"]],
    ["a socket", http, ["request", "get", "createServer"]],
    ["a socket", https, ["request", "get", "createServer"]],
    ["a process", childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "fork"]],
  ] as const) {
    const known: Record<string, unknown> = module as unknown as Record<string, unknown>;
    for (const member of members) {
      const real = known[member];
      if (typeof real !== "function") continue;
      known[member] = (...args: unknown[]) => {
        if (entered === undefined || String(args[0]).startsWith(virtualFolder))
          return Reflect.apply(real, module, args);
        throw offence(`${name} (${member})`);
      };
    }
  }
  globalThis.fetch = (...args) => entered?.fetch?.(...args) ?? Promise.reject(offence("a socket (fetch)"));
}
