import { expect, test } from "vitest";
import { type Ending, EndingController, endingOf } from "./ending.js";

function ofController(): { readonly ending: Ending; end(reason: string): void } {
  const ending = new EndingController();
  return { ending, end: (reason) => ending.end(reason) };
}

function ofSignal(): { readonly ending: Ending; end(reason: string): void } {
  const controller = new AbortController();
  return { ending: endingOf(controller.signal), end: (reason) => controller.abort(reason) };
}

for (const [name, make] of Object.entries({ "an ending": ofController, "an ending of a signal": ofSignal })) {
  test(`${name} tells once, with its first reason, those who still listen`, () => {
    const { ending, end } = make();
    const heard: string[] = [];
    ending.whenEnded(() => heard.push("listens"));
    ending.whenEnded(() => heard.push("left"))();
    expect(ending.reason).toBeUndefined();
    end("first");
    end("second");
    expect(ending.reason).toBe("first");
    ending.whenEnded(() => heard.push("late"));
    expect(heard).toEqual(["listens", "late"]);
  });

  test(`the signal of ${name} aborts with it, whenever it is asked for`, () => {
    const { ending, end } = make();
    const { signal } = ending;
    expect(signal.aborted).toBe(false);
    end("over");
    expect([signal.reason, ending.signal.reason]).toEqual(["over", "over"]);
    const late = make();
    late.end("before");
    expect(late.ending.signal.reason).toBe("before");
  });
}
