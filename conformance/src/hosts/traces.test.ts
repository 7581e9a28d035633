import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../program.js";
import { endProcessesAt, namesIn } from "./traces.js";

test.runIf(process.platform === "linux")(
  "a process that stays in a home folder is found, and ended",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "traces-"));
    onTestFinished(() => rm(home, { recursive: true }));
    const stays = start(process.execPath, ["-e", "console.log('here'); setInterval(() => {}, 1_000)"], {
      env: { HOME: join(home, "inner") },
    });
    await stays.seen(/here/);
    expect(await endProcessesAt(`${home}-other`)).toEqual([]);
    expect(await endProcessesAt(home)).toEqual([expect.stringContaining("still running: ")]);
    expect(await stays.ended).toBe("SIGKILL");
    await mkdir(join(home, ".config", "host"), { recursive: true });
    expect(await namesIn(home)).toEqual([".config", join(".config", "host")]);
  },
  30_000,
);
