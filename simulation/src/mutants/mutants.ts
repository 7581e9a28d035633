import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSwitched, judgeBySimulator } from "./by-simulator.js";
import { judgeByTests } from "./by-tests.js";
import { acceptedOf, cloneRepository, commitOf } from "./checkout.js";
import { type Folder, folderOf, folders } from "./folders.js";
import { hashOf, keyOf, type Mutant, mutantsOf, shuffled, sourcesOf } from "./mutant.js";
import * as results from "./results.js";
import { tablesOf } from "./table.js";

const usage = `mutants: changes the code in small ways, and counts which changes its tests and the simulator find.

  npm run proof -- mutants FOLDER…    judges the mutants of folders by the tests of their packages (hours)
  npm run proof -- mutants drawn      judges 200 drawn mutants by tests, and by 30 seeds of the simulator (hours)
  npm run proof -- mutants            prints the tables of what was judged

  --seed N     draws others (default 1)
  --count N    draws so many (default 200)
  --jobs N     mutants that are judged at the same time (default 2)
  --help

Folders: ${folders.map(({ name }) => name).join(", ")}.
The last commit is judged, in a clone of its own. Results are kept in simulation/mutants as they come: after a break, the same
command continues, and a source that changed is judged again.
`;

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** They find three quarters of what ten times as many find. */
const simulatorSeeds = 30;
/** So many mutants are judged before the results are written. */
const groupSize = 200;
/** So many are given to the compiler before their number is looked at. */
const drawnTogether = 100;

interface Options {
  readonly seed: number;
  readonly count: number;
  readonly jobs: number;
}

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

/** Judges a folder's sources that changed since they were judged, a group of them at a time. */
async function judgeFolder(checkout: string, folder: Folder, { jobs }: Options): Promise<void> {
  const known = results.readFolder(repository, folder);
  const sources = sourcesOf(checkout, folder);
  const kept = Object.fromEntries(Object.entries(known).filter(([file]) => sources.includes(file)));
  const left = sources.filter((file) => kept[file]?.hash !== hashOf(checkout, file));
  const commit = await commitOf(checkout);
  for (const group of await groupsOf(checkout, left)) {
    const began = Date.now();
    say(`${folder.name}: ${group.map(({ file }) => file).join(", ")}`);
    const files = group.map(({ file }) => file);
    const drawn = [
      ...(await acceptedOf(
        checkout,
        group.flatMap(({ mutants }) => mutants),
      )),
    ];
    const seen = await judgeByTests(checkout, folder.package, files, { drawn, jobs });
    const all = group.reduce((sum, { mutants }) => sum + mutants.length, 0);
    for (const { file, mutants } of group) {
      const seconds = Math.round((((Date.now() - began) / 1_000) * mutants.length) / Math.max(1, all));
      kept[file] = results.sumUp(mutants, seen, { hash: hashOf(checkout, file), commit, seconds });
    }
    results.writeFolder(repository, folder, kept);
  }
}

interface Source {
  readonly file: string;
  readonly mutants: readonly Mutant[];
}

async function groupsOf(checkout: string, files: readonly string[]): Promise<readonly (readonly Source[])[]> {
  const groups: Source[][] = [];
  let size = groupSize;
  for (const file of files) {
    const mutants = await mutantsOf(checkout, [file]);
    if (size + mutants.length > groupSize) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push({ file, mutants });
    size += mutants.length;
  }
  return groups;
}

/** Draws mutants that the compiler accepts. What was said of one stays, as long as its source stays. */
async function draw(
  checkout: string,
  name: string,
  from: readonly Folder[],
  { seed, count }: Options,
): Promise<results.DrawnResult[]> {
  const known = new Map(results.readDrawn(repository, name).map((result) => [keyOf(result), result]));
  const commit = await commitOf(checkout);
  const files = from.flatMap((folder) => sourcesOf(checkout, folder));
  const drawn: results.DrawnResult[] = [];
  const all = shuffled(await mutantsOf(checkout, files), seed);
  let looked = 0;
  while (looked < all.length && drawn.length < count) {
    const next = all.slice(looked, looked + drawnTogether);
    const accepted = await acceptedOf(checkout, next);
    for (const mutant of next) {
      if (drawn.length === count) break;
      looked += 1;
      if (!accepted.has(mutant)) continue;
      const hash = hashOf(checkout, mutant.file);
      const before = known.get(keyOf(mutant));
      drawn.push(before?.hash === hash ? before : { ...mutant, hash, commit, seed });
    }
  }
  results.writeDrawn(repository, name, drawn);
  say(`${name}: ${looked} were drawn until ${drawn.length} compiled.`);
  return drawn;
}

/** Lets tests judge what they have not judged yet: the results of whole folders first, then Stryker, a package at a time. */
async function judgeDrawnByTests(
  checkout: string,
  name: string,
  drawn: results.DrawnResult[],
  { jobs }: Options,
): Promise<void> {
  for (const packageName of new Set(folders.map((folder) => folder.package))) {
    const places = [...drawn.entries()].filter(
      ([, { tests, file }]) => tests === undefined && folderOf(file).package === packageName,
    );
    for (const [at, mutant] of places) {
      const folder = folderOf(mutant.file);
      if (folder.sample !== undefined) continue;
      const tests = results.knownVerdict(checkout, results.readFolder(repository, folder), mutant);
      if (tests !== undefined) drawn[at] = { ...mutant, tests };
    }
    const left = places.filter(([at]) => drawn[at]?.tests === undefined);
    if (left.length === 0) continue;
    say(`${name}: the tests of ${packageName} judge ${left.length} mutants.`);
    const files = [...new Set(left.map(([, { file }]) => file))];
    const seen = await judgeByTests(checkout, packageName, files, { drawn: left.map(([, mutant]) => mutant), jobs });
    for (const [at, mutant] of left) {
      const tests = seen.get(keyOf(mutant));
      if (tests !== undefined) drawn[at] = { ...mutant, tests };
    }
    results.writeDrawn(repository, name, drawn);
  }
}

async function judgeDrawnBySimulator(
  checkout: string,
  name: string,
  drawn: results.DrawnResult[],
  { jobs }: Options,
): Promise<void> {
  const left = [...drawn.entries()].filter(([, { simulator }]) => simulator === undefined);
  let done = 0;
  const simulation = join(checkout, "simulation");
  // What the build does not bundle is read from the working directory.
  process.chdir(simulation);
  const all = left.map(([, mutant]) => mutant);
  const simulator = await buildSwitched(simulation, all, simulatorSeeds);
  say(`simulator: ${all.length} mutants to judge.`);
  const queue = left.values();
  const judgeNext = async (): Promise<void> => {
    for (const [at, mutant] of queue) {
      const verdict = await judgeBySimulator(simulator, mutant);
      drawn[at] = { ...(drawn[at] ?? mutant), simulator: verdict };
      results.writeDrawn(repository, name, drawn);
      done += 1;
      say(`simulator, ${done} of ${left.length}: ${verdict}: ${keyOf(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, judgeNext));
}

async function judge(names: readonly string[], options: Options): Promise<void> {
  const checkout = await cloneRepository(repository);
  try {
    for (const folder of folders.filter(({ name }) => names.includes(name))) {
      if (folder.sample === undefined) await judgeFolder(checkout, folder, options);
      else {
        const drawn = await draw(checkout, folder.name, [folder], { ...options, count: folder.sample });
        await judgeDrawnByTests(checkout, folder.name, drawn, options);
      }
    }
    if (!names.includes("drawn")) return;
    const drawn = await draw(checkout, "drawn", folders, options);
    await judgeDrawnByTests(checkout, "drawn", drawn, options);
    await judgeDrawnBySimulator(checkout, "drawn", drawn, options);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    jobs: { type: "string", default: "2" },
    help: { type: "boolean" },
  },
});
const unknown = positionals.find((name) => name !== "drawn" && !folders.some((folder) => folder.name === name));
const [seed, count, jobs] = [values.seed, values.count, values.jobs].map(Number);
const areNumbers = [seed, count, jobs].every((value) => Number.isSafeInteger(value) && Number(value) > 0);
if (values.help === true) process.stdout.write(usage);
else if (unknown !== undefined || !areNumbers || seed === undefined || count === undefined || jobs === undefined) {
  process.stderr.write(
    `${unknown === undefined ? "Options take positive numbers." : `${unknown} is not judged by mutants.`}\n\n${usage}`,
  );
  process.exitCode = 2;
} else {
  if (positionals.length > 0) await judge(positionals, { seed, count, jobs });
  process.stdout.write(tablesOf(repository));
}
