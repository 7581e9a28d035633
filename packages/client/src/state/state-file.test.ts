import { existsSync, promises } from "node:fs";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isClientError } from "../client-error.js";
import { argumentsUsed, taskFinished, taskProgressed, taskStarted } from "./state-changes.js";
import { openStateFile } from "./state-file.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "state-"));
  path = join(folder, "state.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const task = (id: string) => ({
  task_id: id,
  task_name: "count",
  server_url: "http://a/mcp",
  current_step: 0,
  total_steps: null,
  last_message: null,
  started_at: "2026-11-21T09:00:00.000Z",
  last_update: "2026-11-21T09:00:00.000Z",
});

describe("a state file", () => {
  it("keeps the identity of its client, of at least 128 random bits", async () => {
    const first = await openStateFile(path);
    const second = await openStateFile(path);
    expect(second.state.client_id).toBe(first.state.client_id);
    expect(Buffer.from(first.state.client_id, "base64url")).toHaveLength(32);
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("keeps what two programs change at the same time", async () => {
    const files = await Promise.all([openStateFile(path), openStateFile(path)]);
    await Promise.all(
      files.flatMap((file, index) =>
        [1, 2, 3, 4].map((number) => file.update(taskStarted(task(`${index}-${number}`)))),
      ),
    );
    const { state } = await openStateFile(path);
    expect(Object.keys(state.active_tasks)).toHaveLength(8);
    expect(files[0]?.state.client_id).toBe(files[1]?.state.client_id);
  });

  it("moves a finished task and keeps the last 50", async () => {
    const file = await openStateFile(path);
    await file.update(taskStarted(task("a")));
    await file.update(taskProgressed("a", { progress: 15, total: 50, message: "x" }, "2026-11-21T09:01:00.000Z"));
    expect(file.state.active_tasks.a).toMatchObject({ current_step: 15, total_steps: 50, last_message: "x" });
    for (let number = 0; number < 55; number += 1) {
      const end = {
        task_id: number === 54 ? "a" : `t${number}`,
        task_name: "count",
        server_url: "u",
        status: "completed" as const,
      };
      await file.update(taskFinished(end, "2026-11-21T09:02:00.000Z"));
    }
    expect([file.state.active_tasks, file.state.completed_tasks.length]).toEqual([{}, 50]);
    expect(file.state.completed_tasks.at(-1)?.task_id).toBe("a");
  });

  it("that is torn is kept aside, and a new one begun", async () => {
    await (await openStateFile(path)).update(argumentsUsed("count", { n: 1 }));
    const torn = (await readFile(path, "utf8")).slice(0, 60);
    await writeFile(path, torn);
    const file = await openStateFile(path);
    expect(file.origin).toBe("replaced");
    expect(file.notices).toEqual([expect.stringContaining(`kept as ${path}.corrupt-1`)]);
    expect(await readFile(`${path}.corrupt-1`, "utf8")).toBe(torn);
    expect(file.state.active_tasks).toEqual({});
  });

  it("that is torn is kept aside where the file system has no hard links, and replaces no other", async () => {
    const link = vi
      .spyOn(promises, "link")
      .mockRejectedValue(Object.assign(new Error("EPERM: link"), { code: "EPERM" }));
    syncBuiltinESMExports();
    onTestFinished(() => {
      link.mockRestore();
      syncBuiltinESMExports();
    });
    await writeFile(`${path}.corrupt-1`, "the first");
    await writeFile(path, "{torn");
    expect((await openStateFile(path)).notices).toEqual([expect.stringContaining(`kept as ${path}.corrupt-2`)]);
    const kept = [1, 2].map((number) => readFile(`${path}.corrupt-${number}`, "utf8"));
    expect(await Promise.all(kept)).toEqual(["the first", "{torn"]);
  });

  it("of a newer program is left alone; a sibling keeps the same identity", async () => {
    const { state } = await openStateFile(path);
    const newer = JSON.stringify({ ...state, version: 9, other: true });
    await writeFile(path, newer);
    const file = await openStateFile(path);
    expect([file.path, file.notices.length]).toEqual([join(folder, "state.v1.json"), 1]);
    expect([file.origin, file.state.client_id]).toEqual(["found", state.client_id]);
    expect(await readFile(path, "utf8")).toBe(newer);
  });

  it("of another program is refused and left alone", async () => {
    await writeFile(path, '{"name":"x"}');
    const error = await openStateFile(path).catch((reason: unknown) => reason);
    expect(isClientError(error) && error.code).toBe("STATE_FOREIGN");
    expect(await readFile(path, "utf8")).toBe('{"name":"x"}');
  });

  it("that was emptied is created, and found the next time", async () => {
    await writeFile(path, "");
    const opened = [await openStateFile(path), await openStateFile(path)];
    expect(opened.map(({ origin, notices }) => ({ origin, notices }))).toEqual([
      { origin: "created", notices: [] },
      { origin: "found", notices: [] },
    ]);
  });

  it("that was deleted while it was open comes back with what was known", async () => {
    const file = await openStateFile(path);
    await rm(path);
    await file.update(taskStarted(task("a")));
    expect((await openStateFile(path)).state.client_id).toBe(file.state.client_id);
  });

  it("in a place that cannot be written is an error that names it", async () => {
    await writeFile(path, "x");
    const error = await openStateFile(join(path, "below", "state.json")).catch((reason: unknown) => reason);
    expect(isClientError(error) && error.code).toBe("STATE_UNREADABLE");
  });

  it.runIf(existsSync("/proc/self"))("in a folder that the system does not make is refused at once", async () => {
    await expect(openStateFile("/proc/nope/state.json")).rejects.toMatchObject({ code: "STATE_UNREADABLE" });
  });
});

describe("the lock of a state file", () => {
  it("is taken away when its process is dead", async () => {
    const dead = 2 ** 22 + 1;
    await writeFile(`${path}.lock`, JSON.stringify({ pid: dead, host: hostname(), token: "t" }));
    expect((await openStateFile(path)).state.version).toBe(1);
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("is taken away when it is old, by whichever process it was made", async () => {
    await writeFile(`${path}.lock`, "");
    await utimes(`${path}.lock`, 1, 1);
    expect((await openStateFile(path)).state.version).toBe(1);
  });
});
