import type { NoteEffect } from "../machine/disk-faults.js";
import type { Random } from "../world/random.js";
import { type Actor, newActor, type World } from "../world/world.js";
import { commitStatements } from "./commit-statement.js";
import { listStatements } from "./list-statements.js";
import { type Backend, type Session, type Statement, serverError } from "./statement.js";
import { Tables } from "./tables.js";
import { taskStatements } from "./task-statements.js";
import { workerStatements } from "./worker-statements.js";

const statements: { readonly [name: string]: Statement } = {
  ...taskStatements,
  ...listStatements,
  ...workerStatements,
  ...commitStatements,
};

/** They do not wait for the server's disk. */
const lazyStatements = new Set(["beat", "notify"]);
/** They change nothing: a full disk does not refuse them. */
const reads = new Set([
  "read",
  "own_leases",
  "why",
  "rival",
  "list",
  "list_owner",
  "count",
  "count_owner",
  "expired",
  "runnable",
]);
for (const name of [
  "events",
  "items",
  "read_chunk",
  "offers",
  "look",
  "lock",
  "document",
  "document_idle",
  "document_idle_of_group",
])
  reads.add(name);
for (const name of ["facts", "layout", "health", "notify", "beat", "count_unfinished", "count_owner_unfinished"])
  reads.add(name);

/** What is wrong with the server, and until which moment of virtual time. */
interface DatabaseFaults {
  /** It does not run. */
  downUntilMs: number;
  /** Connections break while a statement is under way. */
  cutsUntilMs: number;
  /** Statements take seconds. */
  slowUntilMs: number;
  /** What needs room is refused. */
  fullUntilMs: number;
}

/** Of a hundred statements while connections break. */
const cutPercent = 20;

/** What becomes of a statement whose connection breaks, or which gets no answer. */
type Fate = "answered" | "lost" | "done" | "late" | "silent_lost" | "silent_done" | "silent_late";
const cuts: readonly Fate[] = ["lost", "done", "late", "silent_lost", "silent_done", "silent_late"];

/** What moves in virtual time. */
export type Turns = Pick<World, "nowMs" | "random" | "after" | "nextTurn">;

/** A client's connection, as the server has it. */
export interface ServerSession extends Session {
  /** In whose process the client is. */
  readonly actor: Actor;
  /** What follows when the server ends it. */
  readonly end: (error: Error) => void;
}

/** A statement as the driver sends it. */
export interface SentStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a statement came to, as far as the client learns of it. */
export interface Answer {
  readonly rows?: readonly object[];
  /** The server refused it. */
  readonly refusal?: Error;
  /** The connection broke. */
  readonly isLost?: boolean;
}

/**
 * A PostgreSQL server as the store sees it: one schema, sessions, and statements that take effect at one moment each, in
 * the order in which that comes. What the store's SQL does is written out in the statements of this folder; the clauses of
 * the store contract and a pinned list of the texts hold both together.
 */
export class DatabaseServer {
  readonly tables: Tables;
  readonly faults: DatabaseFaults = { downUntilMs: 0, cutsUntilMs: 0, slowUntilMs: 0, fullUntilMs: 0 };
  /** Hears of each statement that arrives. */
  onStatement: (name: string, text: string) => void = () => {};
  readonly #world: Turns;
  readonly #random: Random;
  readonly #effect: NoteEffect;
  readonly #lagsMs: readonly number[];
  readonly #actor = newActor("database");
  readonly #sessions = new Set<ServerSession>();
  /** Hosts that are cut off from the server, and until when. */
  readonly #partitions = new Map<string, number>();
  #processes = 0;
  /** How often the server has started. */
  #starts = 0;

  /** @param lagsMs how far its standby may be behind when it takes over; 0: it has every commit. */
  constructor(world: Turns, effect: NoteEffect, lagsMs: readonly number[] = [0]) {
    this.#lagsMs = lagsMs;
    this.#world = world;
    this.#random = world.random.fork();
    this.#effect = effect;
    this.tables = new Tables(() => world.nowMs);
  }

  get isDown(): boolean {
    return this.faults.downUntilMs > this.#world.nowMs;
  }

  /** Lets something arrive at the other side: later by what a cut network holds it up. */
  deliver(host: string, to: Actor | undefined, run: () => void): void {
    const cutMs = Math.max(0, (this.#partitions.get(host) ?? 0) - this.#world.nowMs);
    if (cutMs > 0) this.#effect("partition");
    this.#world.after(cutMs + this.#random.between(0.1, 1.5), run, to ?? this.#actor);
  }

  /** Begins a fault that lasts for a time. */
  fail(what: "cuts" | "slow" | "full", forMs: number): void {
    this.faults[`${what}UntilMs`] = this.#world.nowMs + forMs;
  }

  /** Cuts a host off from the server. What was sent arrives when the network is there again. */
  partition(host: string, forMs: number): void {
    this.#partitions.set(host, this.#world.nowMs + forMs);
  }

  open(session: ServerSession): void {
    this.#processes += 1;
    session.pid = this.#processes;
    this.#sessions.add(session);
  }

  /** The client's end is closed. A statement that is under way is carried out. */
  close(session: ServerSession): void {
    this.#sessions.delete(session);
  }

  isOpen(session: ServerSession): boolean {
    return this.#sessions.has(session);
  }

  /** Ends all sessions, as an operator may. */
  terminate(): void {
    this.#effect("terminate");
    this.#endAll(serverError("57P01", "terminating connection due to administrator command"));
  }

  /** Kills the server's processes: it recovers, and is there again after a time. */
  crash(downMs: number): void {
    this.#effect("restart");
    this.tables.log.crash();
    this.#restart(downMs);
  }

  /** Its standby takes its place, without what did not arrive there. @returns the tasks that lost history. */
  failOver(downMs: number): ReadonlySet<string> {
    const lagMs = this.#random.pick(this.#lagsMs);
    this.tables.log.crash();
    const lost = this.tables.log.loseAfter(this.#world.nowMs - lagMs);
    this.#effect(lost.size > 0 ? "failover, with history lost" : "failover");
    this.#restart(downMs);
    return lost;
  }

  /** Ends all faults. */
  calm(): void {
    this.#partitions.clear();
    Object.assign(this.faults, { downUntilMs: 0, cutsUntilMs: 0, slowUntilMs: 0, fullUntilMs: 0 });
  }

  #restart(downMs: number): void {
    this.#starts += 1;
    this.tables.recover();
    this.faults.downUntilMs = this.#world.nowMs + downMs;
    this.#endAll(new Error("Connection terminated unexpectedly"));
  }

  #endAll(error: Error): void {
    const ended = [...this.#sessions];
    this.#sessions.clear();
    for (const session of ended) session.end(error);
  }

  /** A statement arrives. `answer` is called when its outcome is known at the server, unless the client does not learn of it. */
  receive(session: ServerSession, sent: SentStatement, answer: (answer: Answer) => void): void {
    const { faults } = this;
    this.onStatement(sent.name, sent.text);
    if (!this.isOpen(session)) {
      answer({ isLost: true });
      return;
    }
    const isCut = faults.cutsUntilMs > this.#world.nowMs && this.#random.percent(cutPercent);
    const fate = isCut ? this.#random.pick(cuts) : "answered";
    if (isCut) this.#effect(`cut_${fate}`);
    if (fate === "lost" || fate === "late") answer({ isLost: true });
    if (fate === "lost" || fate === "silent_lost") return;
    const isLate = fate === "late" || fate === "silent_late";
    const lateMs = isLate ? this.#random.pick([20, 500, 3_000, 9_000]) : 0;
    const start = this.#starts;
    this.#world.after(
      this.#workMs() + lateMs,
      () => {
        // With the server its processes end, and what they had not done is not done.
        if (start !== this.#starts) return;
        const outcome = this.#run(session, sent);
        if (fate === "answered") answer(outcome);
        if (fate === "done") answer({ isLost: true });
      },
      this.#actor,
    );
  }

  #workMs(): number {
    if (this.faults.slowUntilMs <= this.#world.nowMs) return this.#random.between(0.05, 2);
    this.#effect("slow");
    return this.#random.pick([50, 400, 2_500, 7_000]) * this.#random.between(0.5, 1);
  }

  #run(session: ServerSession, { name, text, values }: SentStatement): Answer {
    const { log } = this.tables;
    if (this.faults.fullUntilMs > this.#world.nowMs && name in statements && !reads.has(name)) {
      this.#effect("full");
      return { refusal: serverError("53100", "could not extend file: No space left on device") };
    }
    const [, channel] = /^LISTEN (\w+)$/.exec(text) ?? [];
    if (channel !== undefined) {
      session.channels.add(channel);
      return { rows: [] };
    }
    // A store asks whether a pooler is between it and the server.
    if (text === "SELECT pg_backend_pid() AS pid") return { rows: [{ pid: session.pid }] };
    const run = statements[name];
    if (run === undefined) throw new Error(`The simulated server does not know the statement ${name}.`);
    const backend: Backend = { tables: this.tables, session, sessions: this.#sessions };
    const from = log.length;
    log.isLazy = lazyStatements.has(name);
    try {
      return { rows: run(backend, values) };
    } catch (error) {
      log.abort(from);
      return { refusal: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}
