import { EventEmitter } from "node:events";
import pg from "pg";
import type { Actor } from "../world/world.js";
import type { Answer, DatabaseServer, SentStatement, ServerSession, Turns } from "./database-server.js";

/** The process in which connections are. */
interface ClientProcess {
  readonly actor: Actor;
  /** Which of the hosts it is on. */
  readonly host: string;
  /** Called before and after a statement is sent: it may die there. */
  readonly reachCall: (isBefore: boolean) => void;
  readonly onDeath: (run: () => void) => void;
}

interface Place {
  readonly world: Turns;
  readonly server: DatabaseServer;
  readonly process: ClientProcess;
}

type Callback = (error?: Error) => void;

/** The part of the driver's connection that a store and a pool use, with the simulated server at its other end. */
class SimulatedClient extends EventEmitter {
  /** What a pool reads, and destroys when a connection takes too long. */
  readonly connection = { stream: { destroy: () => this.#lose(new Error("Connection terminated unexpectedly")) } };
  _queryable = true;
  _ending = false;
  readonly #place: Place;
  readonly #session: ServerSession;
  #state: "new" | "connecting" | "open" | "closed" = "new";
  #connected: Callback = () => {};
  #last: Promise<unknown> = Promise.resolve();
  #fail: (error: Error) => void = () => {};

  constructor(place: Place) {
    super();
    this.#place = place;
    const { server, process } = place;
    const { actor, host } = process;
    this.#session = {
      pid: 0,
      actor,
      channels: new Set(),
      locks: new Set(),
      notify: (channel, payload) =>
        server.deliver(host, actor, () => {
          if (this.#state === "open") this.emit("notification", { channel, payload, processId: 0 });
        }),
      end: (error) => server.deliver(host, actor, () => this.#lose(error)),
    };
  }

  connect(callback: Callback): void {
    this.#state = "connecting";
    this.#connected = callback;
    const { server, process } = this.#place;
    server.deliver(process.host, undefined, () => {
      const isDown = server.isDown;
      if (!isDown && process.actor.isAlive) server.open(this.#session);
      server.deliver(process.host, process.actor, () => this.#accept(isDown));
    });
    process.onDeath(() => this.#closeAtServer());
  }

  /** As the server names its process when a connection is opened. */
  get processID(): number {
    return this.#session.pid;
  }

  #accept(isRefused: boolean): void {
    if (this.#state !== "connecting") return;
    const done = this.#connected;
    if (isRefused) {
      this.#state = "closed";
      this._queryable = false;
      done(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" }));
      return;
    }
    this.#state = "open";
    done();
  }

  query(config: string | { readonly name: string; readonly text: string; readonly values: readonly unknown[] }) {
    const sent: SentStatement =
      typeof config === "string"
        ? { name: "text", text: config, values: [] }
        : // Names begin with eight characters of the schema's own.
          { ...config, name: config.name.slice(9) };
    const result = this.#last.then(() => this.#send(sent));
    this.#last = result.catch(() => {});
    return result;
  }

  async #send(sent: SentStatement): Promise<{ readonly rows: readonly object[] }> {
    if (this.#state !== "open") throw new Error("Client has encountered a connection error and is not queryable");
    const { server, process } = this.#place;
    const { rows, refusal } = await new Promise<Answer>((resolve, reject) => {
      this.#fail = reject;
      process.reachCall(true);
      if (!process.actor.isAlive) return;
      server.deliver(process.host, undefined, () =>
        server.receive(this.#session, sent, (answer) =>
          server.deliver(process.host, process.actor, () => {
            if (answer.isLost === true) this.#lose(new Error("Connection terminated unexpectedly"));
            else resolve(answer);
          }),
        ),
      );
      process.reachCall(false);
    });
    if (refusal !== undefined) throw refusal;
    return { rows: structuredClone(rows ?? []) };
  }

  /** The connection broke. */
  #lose(error: Error): void {
    if (this.#state === "closed") return;
    const before = this.#state;
    this.#state = "closed";
    this._queryable = false;
    this.#closeAtServer();
    this.#fail(error);
    if (before === "connecting") this.#connected(error);
    else if (!this._ending && this.listenerCount("error") > 0) this.emit("error", error);
    this.emit("end");
  }

  #closeAtServer(): void {
    const { server, process } = this.#place;
    server.deliver(process.host, undefined, () => server.close(this.#session));
  }

  end(callback?: Callback): Promise<void> {
    this._ending = true;
    const ended = new Promise<void>((resolve) => {
      const { world, process } = this.#place;
      world.nextTurn(() => {
        this.#lose(new Error("Connection terminated"));
        callback?.();
        resolve();
      }, process.actor);
    });
    return ended;
  }

  ref(): void {}

  unref(): void {}
}

/** A pool of the driver's own, whose connections end at the simulated server. */
export function createSimulatedPool(place: Place): pg.Pool {
  const Client = class extends SimulatedClient {
    constructor() {
      super(place);
    }
  };
  const pool = new pg.Pool({
    ...{ host: "database", port: 5432, database: "tasks", user: "tasks", password: "" },
    ...{ max: 7, connectionTimeoutMillis: 5_000 },
    // The store and the pool use no more of a connection than there is.
    Client: Client as unknown as new () => pg.ClientBase,
  });
  pool.on("error", () => {});
  return pool;
}
