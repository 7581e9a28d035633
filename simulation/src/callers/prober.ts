import { isResumableError } from "@resumable-mcp/core";
import type { History } from "../history/history.js";
import { Connection } from "../machine/connection.js";
import type { Worker } from "../machine/worker.js";
import { newActor, type World } from "../world/world.js";

interface ProberOptions {
  readonly world: World;
  readonly history: History;
  readonly pickWorker: () => Worker | undefined;
  readonly everyMs: number;
  readonly untilMs: number;
}

/** The owner of the probes: they have nothing to do with all else. */
export const probeOwner = "client:prober";

/** Calls something short again and again, and notes when it was done. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #actor = newActor("prober");
  #count = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  begin(): void {
    const { world, everyMs, untilMs } = this.#options;
    world.after(
      everyMs,
      () => {
        if (world.nowMs >= untilMs) return;
        void this.#probe();
        this.begin();
      },
      this.#actor,
    );
  }

  async #probe(): Promise<void> {
    const { world, history, pickWorker } = this.#options;
    const worker = pickWorker();
    if (worker === undefined) return;
    this.#count += 1;
    const probe = this.#count;
    const name = worker.actor.name;
    const input = { run: `probe-${probe}`, program: [{ op: "work", ms: 30 }] };
    history.add("probe_begins", { probe, worker: name });
    try {
      const connection = new Connection(world, this.#actor, worker);
      const { record } = await connection.ask((engine) =>
        engine.forOwner(probeOwner).start({ tool: "script", input, detached: true }),
      );
      history.add("called", { caller: "prober", owner: probeOwner, task: record.id, created: true, reused: false });
      await connection.ask((engine) => engine.forOwner(probeOwner).wait(record.id), 120_000);
      history.add("probe_ends", { probe, worker: name });
    } catch (error) {
      history.add("probe_fails", { probe, worker: name, code: isResumableError(error) ? error.code : "LOST" });
    }
  }
}
