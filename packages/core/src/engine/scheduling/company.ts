import { isResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import { readInstant } from "../clock.js";
import type { Environment } from "../environment.js";

/** A document of this kind names a process while a task that died before runs in it next to another without progress. */
const kind = "company";

/** What this process says, for those that judge its death, of the tasks in it. */
export class Company {
  readonly #environment: Environment;
  #isNoted = false;
  #written: Promise<void> = Promise.resolve();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Notes whether a task that died before has company now. Durability: what has company begins when this has resolved.
   *
   * @param owner of a task that runs.
   */
  note(isNow: boolean, owner: string): Promise<void> {
    if (isNow === this.#isNoted) return this.#written;
    this.#isNoted = isNow;
    const write = () =>
      isNow ? this.#put(owner) : this.#environment.store.deleteDocument(kind, this.#environment.worker);
    this.#written = this.#written
      .catch(() => {})
      .then(write)
      .catch((error: unknown) => {
        this.#isNoted = false;
        // A note too many only delays a judgement.
        if (isNow) throw error;
      });
    return this.#written;
  }

  async #put(owner: string): Promise<void> {
    const { store, worker, clock } = this.#environment;
    const document = { kind, id: worker, owner, value: {}, expectedVersion: 0 };
    try {
      await store.putDocument({ ...document, now: readInstant(clock) });
    } catch (error) {
      // It was not deleted, or this is the second try of a write whose outcome was unknown.
      if (!isResumableError(error, "DOCUMENT_CONFLICT")) throw error;
    }
  }
}

/** Those of the processes of which it is noted. */
export async function withCompany(
  { store }: Pick<Environment, "store">,
  workers: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const worker of workers) if ((await store.getDocument(kind, worker)) !== undefined) found.add(worker);
  return found;
}

/** Deletes what was kept for longer than `keptCompanyMs`. */
export async function forgetCompany({ store, clock, limits }: Environment): Promise<void> {
  const idleSinceMs = clock.wallMs() - fixedLimits.keptCompanyMs;
  const idle = await store.listIdleDocuments({ kind, idleSinceMs, limit: limits.sweepBatch });
  for (const { id } of idle) await store.deleteDocument(kind, id);
}
