import type { EngineLimits } from "@resumable-mcp/core/engine";
import type { StoreQuotas } from "@resumable-mcp/core/store";
import { CommandError } from "./command-error.js";
import { durationOf } from "./duration-flag.js";
import { wholeNumber } from "./parse-flags.js";

/** The flags that bound what callers may fill, and how long it stays. */
export const quotaFlags = {
  "max-store-tasks": { type: "string" },
  "max-store-bytes": { type: "string" },
  "max-unfinished-per-owner": { type: "string" },
  "max-running-per-owner": { type: "string" },
  "keep-finished": { type: "string" },
} as const;

/** What they say. */
export type QuotaFlags = { readonly [Flag in keyof typeof quotaFlags]?: string | undefined };

/** How they are used. */
export const quotaUsage = `  --max-store-tasks N    most tasks in the store, finished ones included (no limit)
  --max-store-bytes SIZE size at which the store takes no new tasks, such as 500MiB or 20GiB (no limit)
  --max-unfinished-per-owner N
                         unfinished tasks of one owner (1000)
  --max-running-per-owner N
                         tasks of one owner that run at once, of 32 in total (16)
  --keep-finished AGE    how long finished tasks are kept, such as 12h or 30d (7d)`;

/** The limits that the flags set. */
export interface Quotas {
  readonly store: Partial<StoreQuotas>;
  readonly engine: Partial<EngineLimits>;
}

/** @throws {@link CommandError} that names the flag and what it takes. */
export function readQuotas(flags: QuotaFlags): Quotas {
  const tasks = countOf("max-store-tasks", flags["max-store-tasks"]);
  const bytes = sizeOf("max-store-bytes", flags["max-store-bytes"]);
  const unfinished = countOf("max-unfinished-per-owner", flags["max-unfinished-per-owner"]);
  const running = countOf("max-running-per-owner", flags["max-running-per-owner"]);
  const keptMs = durationOf("keep-finished", flags["keep-finished"]);
  return {
    store: {
      ...(tasks === undefined ? {} : { maxStoreTasks: tasks }),
      ...(bytes === undefined ? {} : { maxStoreBytes: bytes }),
    },
    engine: {
      ...(unfinished === undefined ? {} : { maxUnfinishedPerOwner: unfinished }),
      ...(running === undefined ? {} : { maxRunningPerOwner: running }),
      ...(keptMs === undefined ? {} : { ttlMs: keptMs }),
    },
  };
}

/** Parses a flag that holds how many there may be of something: at least one. */
export function countOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text, { min: 1, max: Number.MAX_SAFE_INTEGER });
}

const units: { readonly [unit: string]: number } = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function sizeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit = ""] = /^([1-9]\d*)(KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new CommandError(
    `--${flag} must be a size such as 500MiB or 20GiB, or a number of bytes, not ${JSON.stringify(text)}.`,
    2,
  );
}
