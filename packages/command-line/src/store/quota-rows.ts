import { checkLimitRules, engineDefaults, maxUnfinishedFor } from "@resumable-mcp/core/engine";
import { type StoreAdmin, type StoreSizes, storeQuotaDefaults, unfinishedStatuses } from "@resumable-mcp/core/store";
import { fsStoreDefaults } from "@resumable-mcp/store-fs";
import { measureHeadroom } from "@resumable-mcp/store-fs/admin";
import { type Quotas, readQuotas, refuseFolderQuotas } from "../quota-flags.js";
import type { CommandOptions } from "./command.js";

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

/** Compares a store with quotas: those of the options, else those that servers have by default. */
export async function quotaRows(
  { reading }: StoreAdmin,
  { total, countedBytes, disk }: Pick<StoreSizes, "countedBytes" | "disk"> & { readonly total: number },
  options: CommandOptions,
): Promise<readonly QuotaRow[]> {
  const quotas = readQuotas(options);
  if (disk === undefined) refuseFolderQuotas(quotas);
  const { maxStoreTasks, maxStoreBytes } = { ...storeQuotaDefaults, ...quotas.store };
  const headroom = disk === undefined ? [] : measureHeadroom({ ...fsStoreDefaults, ...quotas.folder }, disk);
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
  const limits = { ...engineDefaults, ...quotas.engine };
  const limited = { limits, limitRules: checkLimitRules(quotas.rules, new Map()) };
  const owners = [...(await unfinishedByOwner(reading))].map(([owner, used]) => {
    const limit = maxUnfinishedFor(limited, owner);
    return { owner, used, limit, refuses: used >= limit };
  });
  const [nearest] = owners.sort((left, right) => right.used / right.limit - left.used / left.limit);
  const full = owners.filter(({ refuses }) => refuses).length;
  const row = nearest ?? { used: 0, limit: limits.maxUnfinishedPerOwner, refuses: false };
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

/** Whether options name single owners, which an encrypted store tells with its keyring alone. */
export function namesOwners(options: CommandOptions): boolean {
  return options["max-unfinished-per-owner"]?.some((text) => text.includes("=")) ?? false;
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}
