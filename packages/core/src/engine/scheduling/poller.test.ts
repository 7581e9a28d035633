import { expect, test } from "vitest";
import { createManualClock } from "../../testing.js";
import { Poller } from "./poller.js";

test("a notification that comes at any turn of a look is followed by another look soon", async () => {
  const turnsOfALook = 12;
  for (let turn = 0; turn < turnsOfALook; turn += 1) {
    const clock = createManualClock();
    let looks = 0;
    const limits = { pollMs: 1_000, notificationDelayMs: 50 };
    const onError = (error: unknown) => expect(error).toBeUndefined();
    const poller = new Poller({ clock, limits, onError }, async () => {
      looks += 1;
      return undefined;
    });
    const looking = poller.look();
    for (let passed = 0; passed < turn; passed += 1) await Promise.resolve();
    poller.notify();
    await looking;
    await clock.advance(50);
    expect(looks, `a notification after ${turn} turns`).toBe(2);
    poller.stop();
  }
});
