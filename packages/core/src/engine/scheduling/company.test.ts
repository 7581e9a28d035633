import { expect, it } from "vitest";
import { createMemoryStore, type MemoryStore } from "../../store/memory/memory-store.js";
import { createManualClock } from "../../testing/manual-clock.js";
import type { Environment } from "../environment.js";
import { Company, forgetCompany, withCompany } from "./company.js";

function processOn(store: Pick<MemoryStore, "putDocument">, clock = createManualClock()) {
  return { store, clock, worker: "w1", limits: { sweepBatch: 10 } } as unknown as Environment;
}

it("a process says while a task in it has company, and what a dead one said is forgotten after a time (G12.4)", async () => {
  const clock = createManualClock();
  const environment = processOn(createMemoryStore(), clock);
  const company = new Company(environment);
  const noted = () => withCompany(environment, ["w0", "w1"]);
  for (const isNow of [true, false, true, true]) {
    await company.note(isNow, "client:a");
    expect(await noted()).toEqual(new Set(isNow ? ["w1"] : []));
  }
  // A write whose outcome is unknown is repeated.
  await new Company(environment).note(true, "client:a");
  await clock.advance(31 * 24 * 3_600_000);
  await forgetCompany(environment);
  expect(await noted()).toEqual(new Set());
});

it("writes what it says in the order of what happened", async () => {
  const environment = processOn(createMemoryStore());
  const company = new Company(environment);
  void company.note(true, "client:a");
  void company.note(false, "client:a");
  await company.note(true, "client:b");
  expect(await withCompany(environment, ["w1"])).toEqual(new Set(["w1"]));
});

it("what the store refused is written again for the next task", async () => {
  const environment = processOn({ putDocument: () => Promise.reject(new Error("full")) });
  const company = new Company(environment);
  await expect(company.note(true, "client:a")).rejects.toThrow("full");
  Object.assign(environment, { store: createMemoryStore() });
  await company.note(true, "client:a");
  expect(await withCompany(environment, ["w1"])).toEqual(new Set(["w1"]));
});
