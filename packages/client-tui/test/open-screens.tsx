import type { TaskInfo } from "@resumable-mcp/client";
import { render } from "ink-testing-library";
import { onTestFinished } from "vitest";
import { createTaskBoard } from "../src/model/task-board.js";
import { createTheme } from "../src/theme/theme.js";
import { ThemeContext } from "../src/theme/theme-context.js";
import { App } from "../src/ui/app.js";
import { type FakeWorld, fakeClient } from "./fake-client.js";

/** The moment at which the screens are looked at. */
const nowMs = Date.parse("2026-11-21T09:00:12.000Z");

/** How the screens are opened. */
export interface OpenScreensOptions extends Partial<FakeWorld> {
  readonly size?: { readonly columns: number; readonly rows: number };
}

/** Draws the whole interface at a size, as a terminal without colours shows it. */
export function openScreens(tasks: readonly TaskInfo[], options: OpenScreensOptions = {}) {
  const { size = { columns: 80, rows: 24 }, ...world } = options;
  const said: string[] = [];
  const copied: string[] = [];
  const exits: string[] = [];
  const client = fakeClient({ tasks, said, ...world });
  const board = createTaskBoard(client, { clock: () => nowMs, schedule: soon });
  const screens = (at: typeof size) => (
    <ThemeContext value={createTheme({ colors: false })}>
      <App
        client={client}
        board={board}
        extraActions={[{ key: "k", label: "kill the server", run: () => "killed" }]}
        clock={() => nowMs}
        copy={(text) => copied.push(text)}
        onExit={(reason) => exits.push(reason)}
        size={at}
      />
    </ThemeContext>
  );
  const screen = render(screens(size));
  onTestFinished(() => {
    screen.unmount();
    board.close();
  });
  const frame = () => screen.lastFrame() ?? "";
  return {
    said,
    copied,
    exits,
    board,
    frame,
    lines: () =>
      frame()
        .split("\n")
        .map((line) => line.trimEnd()),
    press: (keys: string) => screen.stdin.write(keys),
    resize: (columns: number, rows: number) => screen.rerender(screens({ columns, rows })),
    /** Resolves to the lines of the first frame that has the text. */
    until: (text: string) => waitFor(frame, text),
  };
}

function soon(run: () => void): () => void {
  const handle = setImmediate(run);
  return () => clearImmediate(handle);
}

/** Waits, turn by turn of the event loop, until the frame has the text. */
async function waitFor(frame: () => string, text: string): Promise<readonly string[]> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (frame().includes(text))
      return frame()
        .split("\n")
        .map((line) => line.trimEnd());
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`"${text}" did not come:\n${frame()}`);
}
