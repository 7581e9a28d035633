import {
  checkLimitRules,
  engineDefaults,
  type LimitRules,
  maxUnfinishedFor,
  parseSize,
} from "@resumable-mcp/core/engine";
import { splitRules } from "@resumable-mcp/core/internal";
import { type StoreAdmin, type StoreSizes, storeQuotaDefaults, unfinishedStatuses } from "@resumable-mcp/core/store";
import { fsStoreDefaults } from "@resumable-mcp/store-fs";
import { measureHeadroom } from "@resumable-mcp/store-fs/admin";
import { type CommandOptions, wrong } from "./command.js";

/** A quota, what is used of it, and whether it refuses new tasks at this moment. */
export interface QuotaRow {
  readonly quota: string;
  /** `null` where there is none. Of a disk: what is kept free. */
  readonly limit: number | null;
  /** Of a disk: what is free. */
  readonly used: number;
  /** The owner that is nearest to its limit. */
  readonly owner?: string;
  /** How many owners have reached theirs. */
  readonly owners?: number;
  readonly refuses: boolean;
}

/** What the options say in place of the servers' defaults. */
interface Quotas {
  readonly maxStoreTasks: number;
  readonly maxStoreBytes: number;
  readonly minFreeBytes: number;
  readonly minFreePercent: number;
  readonly maxUnfinishedPerOwner: number;
  readonly limitRules: LimitRules;
}

/** Compares a store with quotas: those of the options, else those that servers have by default. */
export async function quotaRows(
  { reading }: StoreAdmin,
  { total, countedBytes, disk }: Pick<StoreSizes, "countedBytes" | "disk"> & { readonly total: number },
  options: CommandOptions,
): Promise<readonly QuotaRow[]> {
  const quotas = readQuotas(options);
  const { maxStoreTasks, maxStoreBytes } = quotas;
  if (disk === undefined && options["min-free-disk"] !== undefined)
    throw wrong(
      "min-free-disk",
      "--min-free-disk is for a folder: no client of a database sees the disk of its server.",
    );
  const headroom = disk === undefined ? [] : measureHeadroom({ ...fsStoreDefaults, ...quotas }, disk);
  return [
    { quota: "maxStoreTasks", limit: finite(maxStoreTasks), used: total, refuses: total >= maxStoreTasks },
    {
      quota: "maxStoreBytes",
      limit: finite(maxStoreBytes),
      used: countedBytes,
      refuses: countedBytes >= maxStoreBytes,
    },
    ...headroom.map(({ quota, free, kept }) => ({ quota, limit: kept, used: free, refuses: free < kept })),
    await ownerRow(reading, quotas),
  ];
}

async function ownerRow(reading: StoreAdmin["reading"], quotas: Quotas): Promise<QuotaRow> {
  const limited = { limits: { ...engineDefaults, ...quotas }, limitRules: quotas.limitRules };
  const owners = [...(await unfinishedByOwner(reading))].map(([owner, used]) => {
    const limit = maxUnfinishedFor(limited, owner);
    return { owner, used, limit, refuses: used >= limit };
  });
  const [nearest] = owners.sort((left, right) => right.used / right.limit - left.used / left.limit);
  const full = owners.filter(({ refuses }) => refuses).length;
  const row = nearest ?? { used: 0, limit: quotas.maxUnfinishedPerOwner, refuses: false };
  return { quota: "maxUnfinishedPerOwner", ...row, owners: full };
}

async function unfinishedByOwner(reading: StoreAdmin["reading"]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await reading.listTasks({ statuses: unfinishedStatuses, limit: 1000, cursor });
    for (const { owner } of page.tasks) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    cursor = page.nextCursor;
  }
  return counts;
}

/** The same for people. */
export function formatQuotas(rows: readonly QuotaRow[]): readonly string[] {
  const lines = rows.map(({ quota, limit, used, owner }) => {
    if (quota.startsWith("minFree")) return `  ${quota}: ${used} free, ${limit} kept free`;
    const of = limit === null ? `${used}, no limit` : `${used} of ${limit}`;
    return `  ${quota}: ${owner === undefined ? of : `${owner} has ${of}`}`;
  });
  const refusing = rows.filter(({ refuses }) => refuses).map(refusalOf);
  return ["quotas of new tasks", ...lines, `refused now: ${refusing.length === 0 ? "nothing" : refusing.join("; ")}`];
}

function refusalOf({ quota, owner, owners = 0 }: QuotaRow): string {
  if (owner === undefined) return `all new tasks (${quota})`;
  const others = owners > 1 ? ` and of ${owners - 1} more owners` : "";
  return `new tasks of ${owner}${others} (${quota})`;
}

const perOwner = "max-unfinished-per-owner";

/** Whether options name single owners, which an encrypted store tells with its keyring alone. */
export function namesOwners(options: CommandOptions): boolean {
  return options[perOwner]?.some((text) => text.includes("=")) ?? false;
}

function readQuotas(options: CommandOptions): Quotas {
  const { all, single } = splitRules(perOwner, options[perOwner]);
  const rules = [...single].map(([owner, text]) => [owner, { maxUnfinishedPerOwner: countOf(perOwner, text) }]);
  const free = sizeOf("min-free-disk", options["min-free-disk"], 0);
  return {
    maxStoreTasks: countOf("max-store-tasks", options["max-store-tasks"]) ?? storeQuotaDefaults.maxStoreTasks,
    maxStoreBytes: sizeOf("max-store-bytes", options["max-store-bytes"], 1) ?? storeQuotaDefaults.maxStoreBytes,
    minFreeBytes: free ?? fsStoreDefaults.minFreeBytes,
    minFreePercent: free === undefined ? fsStoreDefaults.minFreePercent : 100,
    maxUnfinishedPerOwner: countOf(perOwner, all) ?? engineDefaults.maxUnfinishedPerOwner,
    limitRules: checkLimitRules(Object.fromEntries(rules), new Map()),
  };
}

function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw wrong(option, `--${option} must be a whole number from 1 on, not ${JSON.stringify(text)}.`);
}

function sizeOf(option: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const bytes = parseSize(text);
  if (bytes !== undefined && bytes >= min) return bytes;
  throw wrong(option, `--${option} must be a size such as 500MiB or 20GiB, not ${JSON.stringify(text)}.`);
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
