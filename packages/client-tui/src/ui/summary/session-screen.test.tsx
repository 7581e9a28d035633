import { describe, expect, it } from "vitest";
import { rememberedTask, twoServers } from "../../../test/odd-texts.js";
import { type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";

async function openSession(options: OpenScreensOptions) {
  const screen = openScreens([], options);
  await screen.go(["process data", "4"]);
  return screen.until("Session");
}

describe("the session screen", () => {
  it("says who this client is before anything has run", async () => {
    expect((await openSession({})).lines.slice(1, 7)).toEqual([
      "Session",
      "client     id",
      "state file /state.json",
      "created    2026-11-21",
      "active     0",
      "completed  0",
    ]);
  });

  it("says what it remembers", async () => {
    const summary = { servers: twoServers, activeTasks: [rememberedTask] };
    expect(await openSession({ summary })).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Session
      │client     id
      │state file /state.json
      │created    2026-11-21
      │server     http://127.0.0.1:8001/mcp
      │  session  s-1
      │  tasks    of this machine's user
      │server     http://127.0.0.1:8002/mcp
      │  session  none
      │  tasks    of this machine's user
      │active     1
      │  task-1  count_words  30% (15/50)  Processed evil next line
      │completed  0
      ⋮ 8 empty lines
      │↑↓ scroll · Esc back
    `);
  });

  it("counts what completed and what failed apart", async () => {
    const ended = (task_id: string, status: "completed" | "failed" | "cancelled") => ({
      ...{ task_id, task_name: "count", server_url: "http://127.0.0.1:8001/mcp", status },
      finished_at: "2026-11-21T09:00:00.000Z",
    });
    const completedTasks = [
      ended("a", "completed"),
      ended("b", "failed"),
      ended("c", "cancelled"),
      ended("d", "failed"),
    ];
    expect((await openSession({ summary: { completedTasks } })).lines.slice(6, 13)).toEqual([
      "completed  1",
      "failed     2",
      "cancelled  1",
      "  d  count  failed  2026-11-21T09:00:00.000Z",
      "  c  count  cancelled  2026-11-21T09:00:00.000Z",
      "  b  count  failed  2026-11-21T09:00:00.000Z",
      "  a  count  completed  2026-11-21T09:00:00.000Z",
    ]);
  });
});
