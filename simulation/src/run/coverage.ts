import type { Report } from "./run-plan.js";

/** Groups, and in each how often something occurred. */
export type Counts = readonly (readonly [string, readonly (readonly [string, number])[]])[];

/** How often what a plan draws, and what came of it, occurred in the runs so far. What stands at 0 or is missing was not tried. */
export class Coverage {
  readonly #counts = new Map<string, Map<string, number>>();

  add({ plan, history, violations }: Report): void {
    this.#count("modes", [plan.mode, plan.theme ?? []].flat().join(", "));
    this.#count("versions", `${plan.versions}, ${plan.tool.onVersionChange ?? "resume"}`);
    for (const name of [...Object.keys(plan.limits), ...Object.keys(plan.storeLimits), ...Object.keys(plan.tool)])
      this.#count("limits", name);
    for (const call of plan.calls) {
      this.#count("calls", call.via);
      if (call.tool !== "script") this.#count("calls", `of the tool ${call.tool}`);
      if (call.newTask !== undefined) this.#count("calls", "another run");
      if (call.handoffMs !== undefined && call.via !== "engine") this.#count("calls", "handoff");
      if (!/^client:local\/[\da-f-]{36}$/.test(call.owner)) this.#count("calls", "of an unusual owner");
    }
    for (const { kind, ...facts } of history.events) {
      const detail = facts.op ?? facts.what ?? facts.fault ?? facts.code ?? facts.status;
      this.#count("events", detail === undefined ? kind : `${kind} ${String(detail)}`);
      if (kind === "trespasses" || kind === "intrudes") this.#count("trespasses", String(facts.method));
    }
    for (const { rule } of violations) this.#count("violations", rule);
  }

  #count(group: string, name: string, times = 1): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, counts.set(name, (counts.get(name) ?? 0) + times));
  }

  /** Its counts as plain data. */
  get counts(): Counts {
    return Array.from(this.#counts, ([group, counts]) => [group, [...counts]]);
  }

  /** Adds what other runs came to. */
  merge(others: Counts): void {
    for (const [group, counts] of others) for (const [name, count] of counts) this.#count(group, name, count);
  }

  toString(): string {
    const lines = Array.from(this.#counts, ([group, counts]) => {
      const sorted = [...counts].toSorted(([one], [other]) => one.localeCompare(other, "en"));
      return `${group}: ${sorted.map(([name, count]) => `${name} ${count}`).join(", ")}`;
    });
    return lines.join("\n");
  }
}
