import { describe, expect, it } from "vitest";
import { draw, large, least, usual } from "../../test/draw.js";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import { keys } from "../../test/open-screens.js";
import { TaskBoard } from "../model/task-board.js";
import { showScreens } from "./show-screens.js";
import type { TerminalScreen } from "./terminal-screen.js";

/** A terminal that draws what it is given at a size, and is given back with a code. */
function fakeScreen(size: typeof usual) {
  let close: (code: number) => void = () => {};
  const closed = new Promise<number>((resolve) => {
    close = resolve;
  });
  const drawn: { now?: ReturnType<typeof draw> } = {};
  const screen: TerminalScreen = {
    draw(screens) {
      drawn.now = draw(screens({ size, background: "dark" }), size);
    },
    close,
    closed,
  };
  return { screen, drawn };
}

function show(size = usual) {
  const client = fakeClient({ tasks: [fakeTask("a")], said: [] });
  const board = new TaskBoard(client, { clock: Date.now });
  const { screen, drawn } = fakeScreen(size);
  const code = showScreens(screen, client, board, []).finally(() => board.close());
  if (drawn.now === undefined) throw new Error("Nothing was drawn.");
  return { ...drawn.now, code };
}

describe("the screens on a terminal", () => {
  it.each([[usual], [least], [large]])("are drawn at the size %j that it has", async (size) => {
    const screen = show(size);
    expect((await screen.until("1 of your tasks")).lines).toHaveLength(size.rows - 1);
    screen.press(keys.interrupt);
    await screen.code;
  });

  it("end with a code for each way to leave them", async () => {
    const interrupted = show();
    await interrupted.until("1 of your tasks");
    interrupted.press(keys.interrupt);
    expect(await interrupted.code).toBe(130);
    const left = show();
    await left.until("1 of your tasks");
    left.press("m");
    await left.until("process data");
    left.press("0");
    expect(await left.code).toBe(0);
  });
});
