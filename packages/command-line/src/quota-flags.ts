import { isResumableError } from "@resumable-mcp/core";
import { type EngineLimits, type LimitRule, type LimitRules, parseSize } from "@resumable-mcp/core/engine";
import { splitRules } from "@resumable-mcp/core/internal";
import type { StoreQuotas } from "@resumable-mcp/core/store";
import { CommandError } from "./command-error.js";
import { readDuration, shownName, wholeNumber } from "./flags.js";
import type { StdioValues } from "./options/server-options.js";

/** The limits that the flags set. */
export interface Quotas {
  readonly store: Partial<StoreQuotas>;
  /** Of a store in a folder alone. */
  readonly folder: { readonly minFreeBytes?: number; readonly minFreePercent?: number };
  readonly engine: Partial<EngineLimits>;
  readonly rules: LimitRules;
}

/** @throws {@link CommandError} that names the flag and what it takes. */
export function readQuotas(flags: StdioValues): Quotas {
  const tasks = parseCount("max-store-tasks", flags["max-store-tasks"]);
  const bytes = sizeOf("max-store-bytes", flags["max-store-bytes"], 1);
  const free = sizeOf("min-free-disk", flags["min-free-disk"], 0);
  const unfinished = readRules("max-unfinished-per-owner", flags["max-unfinished-per-owner"], parseCount);
  const running = readRules("max-running", flags["max-running"], parseCount);
  const runningPerOwner = parseCount("max-running-per-owner", flags["max-running-per-owner"]);
  const slotTurn = readSlotTurn(flags["slot-turn"]);
  const kept = readRules("keep-finished", flags["keep-finished"], readDuration);
  return {
    store: {
      ...(tasks === undefined ? {} : { maxStoreTasks: tasks }),
      ...(bytes === undefined ? {} : { maxStoreBytes: bytes }),
    },
    folder: free === undefined ? {} : { minFreeBytes: free, minFreePercent: 100 },
    engine: {
      ...(unfinished.all === undefined ? {} : { maxUnfinishedPerOwner: unfinished.all }),
      ...(running.all === undefined ? {} : { maxRunning: running.all }),
      ...(runningPerOwner === undefined ? {} : { maxRunningPerOwner: runningPerOwner }),
      ...(slotTurn === undefined ? {} : { slotTurnMs: slotTurn }),
      ...(kept.all === undefined ? {} : { ttlMs: kept.all }),
    },
    rules: rulesOf({ ttlMs: kept.single, maxRunning: running.single, maxUnfinishedPerOwner: unfinished.single }),
  };
}

function readSlotTurn(text: string | undefined): number | undefined {
  return text === "never" ? Number.POSITIVE_INFINITY : readDuration("slot-turn", text, { words: ["never"] });
}

/** @throws {@link CommandError} for quotas that only a store in a folder has. */
export function refuseFolderQuotas({ folder }: Quotas): void {
  if (Object.keys(folder).length === 0) return;
  const reason = "is for a store in a folder: no client of a database sees the disk of its server.";
  throw new CommandError(`${shownName("min-free-disk")} ${reason}`, 2);
}

interface Rules {
  readonly all: number | undefined;
  readonly single: ReadonlyMap<string, number>;
}

/** Reads the values of a flag, of which those with `=` are for one tool or owner. */
function readRules(
  flag: string,
  texts: readonly string[] | undefined,
  parse: (flag: string, text: string | undefined) => number | undefined,
): Rules {
  const { all, single } = refusing(() => splitRules(shownName(flag), texts));
  const values = [...single].flatMap(([subject, text]) => {
    const value = parse(flag, text);
    return value === undefined ? [] : [[subject, value] as const];
  });
  return { all: parse(flag, all), single: new Map(values) };
}

/** Says what core refuses as the command line says it. */
function refusing<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (isResumableError(error)) throw new CommandError(error.message, 2);
    throw error;
  }
}

function rulesOf(limits: { readonly [Limit in keyof LimitRule]: Rules["single"] }): LimitRules {
  const rules: Record<string, LimitRule> = Object.create(null);
  for (const [limit, single] of Object.entries(limits)) {
    for (const [subject, value] of single) rules[subject] = { ...rules[subject], [limit]: value };
  }
  return rules;
}

/** Parses a flag that holds how many there may be of something: at least one. */
export function parseCount(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text, { min: 1, max: Number.MAX_SAFE_INTEGER });
}

function sizeOf(flag: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const bytes = parseSize(text);
  if (bytes !== undefined && bytes >= min) return bytes;
  throw new CommandError(
    `${shownName(flag)} must be a size such as 500MiB or 20GiB, or a number of bytes, not ${JSON.stringify(text)}.`,
    2,
  );
}
