import type { HistoryEvent, PlannedFacts } from "@resumable-mcp/simulation/history";
import type { ClientKind, ClientOrder, OpenCall } from "./clients/call.js";
import { anyJob, drawJob, jobCall } from "./job.js";

interface Place {
  next: number;
  open: OpenCall | undefined;
}

/** What the clients of one kind have called, and have results of: it outlives their processes. */
export class CallBoard {
  readonly calls: PlannedFacts[] = [];
  readonly #kind: ClientKind;
  readonly #owner: string;
  readonly #seed: number;
  readonly #places: readonly Place[];

  constructor(kind: ClientKind, owner: string, seed: number, places: number) {
    this.#kind = kind;
    this.#owner = owner;
    this.#seed = seed;
    this.#places = Array.from({ length: places }, () => ({ next: 0, open: undefined }));
  }

  /** The calls without a result. */
  get open(): readonly string[] {
    return this.#places.flatMap(({ open }) => (open === undefined ? [] : [open.name]));
  }

  get complete(): number {
    return this.calls.length - this.open.length;
  }

  hear({ kind, caller, task }: HistoryEvent): void {
    const name = String(caller);
    const place = this.#places[Number(name.match(/-(\d+)-\d+$/)?.[1])];
    if (place === undefined || !name.startsWith(`${this.#kind}-`)) return;
    if (kind === "client_calls") {
      place.open = { name };
      place.next += 1;
      this.calls.push(jobCall(drawJob(name, this.#seed, anyJob), this.#owner));
    } else if (place.open?.name === name) {
      // Its answer may get lost, and with it the task that the call found or began: the next process has to call, too.
      if (kind === "client_sends") place.open = { name };
      if (kind === "called") place.open = { name, task: String(task) };
      if (kind === "client_result") place.open = undefined;
    }
  }

  /** What the next process has to do. */
  places(): ClientOrder["places"] {
    return this.#places.map(({ next, open }) => ({ next, open }));
  }
}
