import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bench, openBench } from "../src/hosts/bench.js";
import { codex } from "../src/hosts/codex.js";
import { hostsCache, installHost } from "../src/hosts/install.js";
import type { HostOutcome } from "../src/hosts/report.js";
import { rows, runRow } from "../src/hosts/rows.js";
import { read } from "../src/repository.js";

/** Most of it is for the download. */
const limits = { timeout: 600_000 };
const recorded: readonly HostOutcome[] = JSON.parse(read("conformance/hosts.json"));
const version = recorded.find(({ name }) => name === codex.name)?.version;

let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await installHost(codex, hostsCache(), version), "stdio");
}, limits.timeout);

afterAll(() => bench.close(), limits.timeout);

test.each(["call", "kill-tool", "kill-host"])(
  "G5 a host of the registry, with a scripted model, gets its result and each unit once: %s",
  limits,
  async (name) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`The row ${name} is missing.`);
    expect(await runRow(row, bench)).toEqual({ seen: "once" });
  },
);
