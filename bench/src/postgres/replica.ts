import { fork } from "node:child_process";
import type { Scope } from "../report/measure.js";
import { built } from "../workers/run-isolated.js";

/** So many tasks at once, each with so many steps, one after the other. */
export interface Steps {
  readonly tasks: number;
  readonly each: number;
}

/** A question of a task. */
export interface QuestionOf {
  readonly id: string;
  readonly question: number;
}

/** What a replica does when it is ordered to. Times are in milliseconds since 1970, with fractions. */
export interface ReplicaOrders {
  /** Runs tasks to their end. Gives the milliseconds that it took. */
  run(steps: Steps): Promise<number>;
  /** Starts tasks that make a step every {@link pauseMs} until the replica dies; the first half is detached. Gives their ids. */
  begin(tasks: number): Promise<readonly string[]>;
  /** Waits for tasks as their callers do, wherever they run. */
  follow(ids: readonly string[]): Promise<void>;
  /** Starts a task that asks one question after the other. Gives its id. */
  ask(): Promise<string>;
  /** Resolves when the task asks, in the replica that runs it. */
  asked(question: QuestionOf): Promise<void>;
  /** Answers. Gives when it began to. */
  answer(question: QuestionOf): Promise<number>;
  /** Gives when the answer reached the tool, in the replica that runs it. */
  heard(question: QuestionOf): Promise<number>;
  /** Begins to book each order of a shop. Gives the id. */
  book(shop: string): Promise<string>;
  /** Resolves when each is booked, in whatever process. */
  booked(id: string): Promise<void>;
}

/** Between the steps of a task that is begun. */
export const pauseMs = 50;

/** What a step gives: the same for all that is measured. */
export function stepResult(line: number) {
  return { line, words: "x".repeat(120) };
}

/** The time on a clock that processes of one machine share. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Where a replica works, and under which name. */
export interface ReplicaPlace {
  readonly url: string;
  readonly name: string;
}

/** Of which kind a replica is: an engine of this project, or DBOS. */
export type ReplicaKind = "engine" | "dbos";

/** A replica in a process of its own. */
export interface Replica extends ReplicaOrders {
  /** Ends it as `SIGKILL` does. */
  kill(): Promise<void>;
}

type OrderName = keyof ReplicaOrders;
type Reply = { readonly call: number; readonly result?: unknown; readonly error?: string };

/** Starts a replica, and resolves when it is open. */
export async function startReplica(
  scope: Pick<Scope, "onEnd">,
  kind: ReplicaKind,
  place: ReplicaPlace,
): Promise<Replica> {
  const child = fork(built(`postgres/${kind}-replica.js`), [JSON.stringify(place)], { execArgv: ["--no-deprecation"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const calls = new Map<number, (reply: Omit<Reply, "call">) => void>();
  let last = 0;
  const opened = new Promise<void>((resolve, reject) => {
    child.on("message", (reply: Reply | "open") => {
      if (reply === "open") resolve();
      else calls.get(reply.call)?.(reply);
    });
    void ended.then(() => reject(new Error(`The replica ${place.name} ended.`)));
  });
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  scope.onEnd(kill);
  const give =
    <Name extends OrderName>(name: Name) =>
    (value?: Parameters<ReplicaOrders[Name]>[0]) =>
      new Promise<never>((resolve, reject) => {
        last += 1;
        const call = last;
        // The replica gives what its method gave.
        calls.set(call, ({ result, error }) =>
          error === undefined ? resolve(result as never) : reject(new Error(error)),
        );
        child.send({ call, name, value });
      });
  await opened;
  const [run, begin, follow, ask] = [give("run"), give("begin"), give("follow"), give("ask")];
  const [asked, answer, heard] = [give("asked"), give("answer"), give("heard")];
  return { run, begin, follow, ask, asked, answer, heard, book: give("book"), booked: give("booked"), kill };
}

/** Where this process is to work, as its parent says. */
export function placeOfReplica(): ReplicaPlace {
  return JSON.parse(process.argv[2] ?? "{}");
}

/** Carries out what the parent orders, until it ends. */
export function serveOrders(orders: ReplicaOrders): void {
  process.on("message", async ({ call, name, value }: { call: number; name: OrderName; value: never }) => {
    try {
      process.send?.({ call, result: await orders[name](value) });
    } catch (error) {
      process.send?.({ call, error: String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
  process.send?.("open");
}

/** Moments that some wait for and others note, by name. */
export class Moments {
  readonly #noted = new Map<string, { readonly promise: Promise<number>; readonly resolve: (at: number) => void }>();

  /** Resolves to when the moment was noted. */
  at(name: string): Promise<number> {
    return this.#entry(name).promise;
  }

  note(name: string): void {
    this.#entry(name).resolve(sharedNow());
  }

  #entry(name: string) {
    const known = this.#noted.get(name);
    if (known !== undefined) return known;
    let resolve: (at: number) => void = () => {};
    const promise = new Promise<number>((resolver) => {
      resolve = resolver;
    });
    const entry = { promise, resolve };
    this.#noted.set(name, entry);
    return entry;
  }
}
