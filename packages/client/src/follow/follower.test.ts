import { describe, expect, it } from "vitest";
import { Follower } from "./follower.js";

function failing(options: { readonly eager?: boolean }) {
  let runs = 0;
  const follow = async () => {
    runs += 1;
    throw new Error(`run ${runs} failed`);
  };
  return { follower: new Follower(follow, { maxQueuedEvents: 10, ...options }), runs: () => runs };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no failure",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("what failed", () => {
  it("is not begun again where it began at once: a call is sent once", async () => {
    const { follower, runs } = failing({ eager: true });
    // The failure is there before anybody asks for it.
    await new Promise((resolve) => setImmediate(resolve));
    const read = async () => {
      for await (const _event of follower.events());
    };
    expect([await reasonOf(follower.result()), await reasonOf(read()), await reasonOf(follower.result())]).toEqual([
      "run 1 failed",
      "run 1 failed",
      "run 1 failed",
    ]);
    expect(runs()).toBe(1);
  });

  it("is begun again by its next reader where reading is what begins it", async () => {
    const { follower } = failing({});
    expect([await reasonOf(follower.result()), await reasonOf(follower.result())]).toEqual([
      "run 1 failed",
      "run 2 failed",
    ]);
  });
});
