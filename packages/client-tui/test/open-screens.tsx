import type { TaskInfo } from "@resumable-mcp/client";
import { onTestFinished } from "vitest";
import { TaskBoard } from "../src/model/task-board.js";
import { App } from "../src/ui/app.js";
import type { AppProps, ScreenSize } from "../src/ui/navigation.js";
import { draw, usual } from "./draw.js";
import { type FakeWorld, fakeClient } from "./fake-client.js";

/** The moment at which the screens are looked at. */
export const nowMs = Date.parse("2026-11-21T09:00:12.000Z");

/** What a terminal sends for the keys that type nothing. */
export const keys = {
  enter: "\r",
  escape: "\u001b",
  down: "\u001b[B",
  right: "\u001b[C",
  tab: "\t",
  question: "\u0019",
  interrupt: "\u0003",
} as const;

/** How the screens are opened. */
export interface OpenScreensOptions extends Partial<FakeWorld> {
  readonly size?: ScreenSize;
  readonly colors?: boolean;
  readonly background?: AppProps["background"];
}

/** Draws the whole interface at a size. */
export function openScreens(tasks: readonly TaskInfo[], options: OpenScreensOptions = {}) {
  const { size = usual, colors = false, background = "dark", ...world } = options;
  const said: string[] = [];
  const copied: string[] = [];
  const exits: string[] = [];
  const client = fakeClient({ tasks, said, ...world });
  const board = new TaskBoard(client, { clock: () => nowMs, schedule: soon });
  const screens = (at: ScreenSize) => (
    <App
      client={client}
      board={board}
      extraActions={[{ key: "k", label: "kill the server", run: () => "killed" }]}
      clock={() => nowMs}
      copy={(text) => copied.push(text)}
      onExit={(reason) => exits.push(reason)}
      size={at}
      background={background}
    />
  );
  const drawn = draw(screens(size), size, { colors });
  onTestFinished(() => board.close());
  return {
    ...drawn,
    said,
    copied,
    exits,
    board,
    resize: (next: ScreenSize) => drawn.redraw(screens(next), next),
    /** Presses keys one after the other, each when the text before it is there: a way through the screens. */
    async go(...way: readonly (readonly [text: string, key: string])[]) {
      for (const [text, key] of way) {
        await drawn.until(text);
        drawn.press(key);
      }
    },
  };
}

function soon(run: () => void): () => void {
  const handle = setImmediate(run);
  return () => clearImmediate(handle);
}
