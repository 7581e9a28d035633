import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { openBench } from "./hosts/bench.js";
import { claudeCode } from "./hosts/claude-code.js";
import { cline } from "./hosts/cline.js";
import { codex } from "./hosts/codex.js";
import { continueCli } from "./hosts/continue.js";
import { geminiCli } from "./hosts/gemini-cli.js";
import type { Host } from "./hosts/host.js";
import { hostsCache, installHost } from "./hosts/install.js";
import { opencode } from "./hosts/opencode.js";
import { pi } from "./hosts/pi.js";
import { qwenCode } from "./hosts/qwen-code.js";
import { charactersIn, type HostCell, type HostOutcome, isGood, merged, tableOf, withTable } from "./hosts/report.js";
import { rows, runRow } from "./hosts/rows.js";
import type { Turn } from "./hosts/scripted-model.js";
import { namesIn } from "./hosts/traces.js";
import { killAll } from "./program.js";

const document = "docs/hosts.md";
const record = "conformance/hosts.json";
const hosts: readonly Host[] = [claudeCode, cline, codex, continueCli, geminiCli, opencode, pi, qwenCode];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    row: { type: "string" },
    pinned: { type: "boolean", default: false },
    cache: { type: "string", default: hostsCache() },
    write: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});

const usage = `Usage: npm run hosts -- [HOST…] [options]     HOST: ${hosts.map(({ name }) => name).join(", ")}; without one, all

Runs the newest MCP hosts of the npm registry against our server, with a scripted model in place of a real one.

  --row NAME      run only one row: ${rows.map(({ name }) => name).join(", ")}
  --pinned        run the versions of the last table
  --cache FOLDER  where hosts are installed (${hostsCache()})
  --write         write ${record} and the table in ${document}
  --help          print this text`;

/** Runs the rows of one host over both transports. @param left takes what the host leaves behind. */
async function runHost(host: Host, version: string | undefined, left: string[]): Promise<HostOutcome> {
  const installed = await installHost(host, values.cache, version);
  const cells: HostCell[] = [];
  const turns: Turn[] = [];
  for (const over of ["stdio", "HTTP"] as const) {
    const bench = await openBench(installed, over);
    try {
      for (const row of rows.filter((one) => one.name === (values.row ?? one.name) && over === (one.over ?? over))) {
        const forbidden = host.cannot?.[`${over} ${row.name}`];
        const cell = forbidden === undefined ? await runRow(row, bench) : { reason: forbidden };
        console.error(
          `${host.name} ${installed.version}, ${over}, ${row.name}: ${Object.values(cell).flat().join("; ")}`,
        );
        cells.push({ row: row.name, over, ...cell });
      }
      turns.push(...bench.model.turns);
    } finally {
      left.push(...(await bench.close()));
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  const characters = charactersIn(turns);
  return { name: host.name, package: host.package, version: installed.version, date, cells, characters };
}

/** Runs the hosts; exits with 1 when a cell is not what it has to be. */
async function main(): Promise<void> {
  const names =
    positionals.length === 0
      ? hosts.filter(({ onlyNamed }) => onlyNamed !== true).map(({ name }) => name)
      : positionals;
  const chosen = hosts.filter(({ name }) => names.includes(name));
  const isKnown = values.row === undefined || rows.some(({ name }) => name === values.row);
  if (chosen.length !== names.length || !isKnown || (values.write && values.row !== undefined)) {
    console.error(`${usage}\n\nThe names have to be of that list, and --write needs all rows.`);
    process.exitCode = 2;
    return;
  }
  const before: readonly HostOutcome[] = JSON.parse(await readFile(record, "utf8").catch(() => "[]"));
  const outcomes: HostOutcome[] = [];
  const left: string[] = [];
  const own = new Set([...(await namesIn(homedir())), relative(homedir(), values.cache)]);
  for (const host of chosen) {
    const pinned = before.find(({ name }) => name === host.name)?.version;
    outcomes.push(await runHost(host, values.pinned ? pinned : undefined, left));
  }
  left.push(
    ...(await namesIn(homedir())).flatMap((name) => (own.has(name) ? [] : [`new in the home folder: ${name}`])),
  );
  console.log(tableOf(outcomes));
  console.log(left.length === 0 ? "No host is left running, and the home folder has nothing new." : left.join("\n"));
  if (values.write) {
    const all = merged(before, outcomes);
    await writeFile(record, `${JSON.stringify(all, null, 2)}\n`);
    await writeFile(document, withTable(await readFile(document, "utf8"), all));
  }
  process.exitCode = isGood(outcomes) && left.length === 0 ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void killAll().finally(() => process.exit(1)));

if (values.help) console.log(usage);
else await main();
