import { join } from "node:path";
import { type Finding, type FuzzOptions, type FuzzReport, placeOf, textOfFinding } from "./fuzz-report.js";
import { fuzzHttp } from "./run-http-fuzz.js";
import { fuzzStdio } from "./run-stdio-fuzz.js";

/** What messages are sent to. */
interface Target {
  readonly about: string;
  /** Of the messages over the same transport. */
  readonly share: number;
  run(options: FuzzOptions): Promise<FuzzReport>;
}

/** Where a message comes in. */
export const targets = {
  "http-tokens": {
    about: "HTTP, 24 callers with tokens",
    share: 0.6,
    run: (options) => fuzzHttp({ ...options, tokens: true }),
  },
  "http-local": {
    about: "HTTP, callers of this machine",
    share: 0.4,
    run: (options) => fuzzHttp({ ...options, tokens: false }),
  },
  "stdio-supervised": {
    about: "stdio, supervised",
    share: 0.5,
    run: (options) => fuzzStdio({ ...options, supervised: true }),
  },
  "stdio-alone": {
    about: "stdio, `--no-supervise`",
    share: 0.5,
    run: (options) => fuzzStdio({ ...options, supervised: false }),
  },
} as const satisfies Record<string, Target>;

/** The name of a target. */
export type TargetName = keyof typeof targets;

/** The names of all targets. */
export const targetNames = Object.keys(targets) as readonly TargetName[];

/** What a run of all targets needs. */
export interface FuzzRun extends Pick<FuzzOptions, "seed" | "messages" | "directory" | "toolsModule" | "only"> {
  /** Words of the command line that are needed to repeat it, in addition to seed, target and messages. */
  readonly more: readonly string[];
  /** Where they go. */
  readonly names: readonly TargetName[];
  readonly say: (line: string) => void;
}

/** Over HTTP go three of four messages, where both transports are fuzzed. */
const httpShare = 0.75;
const progressEvery = 10_000;

/** Sends messages to each target and says what came of it. Resolves to whether nothing was found. */
export async function runFuzz({ names, say, messages, directory, more, ...common }: FuzzRun): Promise<boolean> {
  const isBoth = new Set(names.map((name) => name.split("-")[0])).size > 1;
  let isClean = true;
  for (const name of names) {
    const { about, share, run } = targets[name];
    const ofTransport = !isBoth ? 1 : name.startsWith("http") ? httpShare : 1 - httpShare;
    const ofTarget = names.length === 1 ? messages : Math.round(messages * ofTransport * share);
    const options = {
      ...common,
      seed: seedFor(common.seed, name),
      messages: ofTarget,
      directory: join(directory, name),
    };
    const onProgress = (sent: number) => sent % progressEvery === 0 && say(`  ${sent} messages`);
    const report = await run({ ...options, onProgress });
    say(summary(about, report));
    isClean &&= report.findings.length === 0;
    for (const finding of firstOfEachKind(report.findings)) {
      const command = [`npm run fuzz -- --seed ${common.seed} --over ${name}`, ...more].join(" ");
      say(await explain(finding, { run, options, command }));
    }
  }
  return isClean;
}

/** No target gets the messages of another one. */
const seedFor = (seed: number, name: TargetName) => seed * targetNames.length + targetNames.indexOf(name);

function summary(about: string, { sent, outcomes, findings, peakMiB }: FuzzReport): string {
  const ends = [...outcomes].sort().map(([outcome, count]) => `${outcome} × ${count}`);
  const memory = peakMiB === 0 ? "" : `, at most ${peakMiB} MiB resident`;
  return `${about}: ${sent} messages, ${findings.length} findings${memory}\n  ${ends.join(", ")}`;
}

const kindOf = ({ what }: Finding) => what.replace(/[\d"'{(].*$/s, "");
const maxExplained = 5;

function firstOfEachKind(findings: readonly Finding[]): readonly Finding[] {
  const isFirst = (finding: Finding, at: number) => findings.findIndex((one) => kindOf(one) === kindOf(finding)) === at;
  return findings.filter(isFirst).slice(0, maxExplained);
}

interface Found {
  readonly run: Target["run"];
  readonly options: FuzzOptions;
  /** What sends the messages of the seed again. */
  readonly command: string;
}

/** Says what was found, and how it is repeated with the fewest mutations. */
async function explain(finding: Finding, found: Found): Promise<string> {
  const { options, command } = found;
  const all = `${command} --messages ${options.messages}`;
  const place = placeOf(finding);
  const said = `FOUND: ${finding.what}`;
  const shown = (one: Finding) => JSON.stringify(textOfFinding(one).slice(0, maxShown));
  if (place === undefined) return `${said}\n  not of one message: ${all}`;
  const alone = await repeat(finding, found, { place, left: [] });
  if (alone === undefined) {
    return `${said}\n  message ${place}, which needs those before it: ${all}\n  ${shown(finding)}`;
  }
  let left: readonly number[] = [];
  let shortest = alone;
  for (let mutation = 0; mutation < maxMutations; mutation += 1) {
    const without = await repeat(finding, found, { place, left: [...left, mutation] });
    if (without === undefined) continue;
    left = [...left, mutation];
    shortest = without;
  }
  return `${said}\n  ${command} --only ${place}\n  ${shown(shortest)}`;
}

const maxShown = 4_000;
const maxMutations = 3;
let repeats = 0;

/** One message, and which of its mutations are not made. */
interface Tried {
  readonly place: number;
  readonly left: readonly number[];
}

/** Sends one message to a new server; resolves to what is found again. */
async function repeat(finding: Finding, { run, options }: Found, { place, left }: Tried): Promise<Finding | undefined> {
  repeats += 1;
  const keeps = (mutation: number) => !left.includes(mutation);
  const { findings } = await run({ ...options, directory: `${options.directory}-${repeats}`, only: [place], keeps });
  return findings.find((one) => kindOf(one) === kindOf(finding));
}
