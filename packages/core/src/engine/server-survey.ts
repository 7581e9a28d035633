import type { QuotaUse, TaskCounts } from "../store/store.js";

/** A living process, by its name in the store. */
export interface LivingWorker {
  readonly worker: string;
  readonly isSelf: boolean;
  /** Tasks that it runs, of those that were read. */
  readonly tasks: number;
  /** The versions of tools that it offers, by the tool's name. */
  readonly offers: { readonly [tool: string]: string };
}

/** A version of a tool, and what there is of it. */
export interface OfferedVersion {
  readonly tool: string;
  readonly version: string;
  /** Unfinished tasks of it, of those that were read. */
  readonly tasks: number;
  /** Living processes whose own version it is. */
  readonly processes: number;
}

/** What an operator sees of the servers on a store, and of the tasks that are not finished. */
export interface ServerSurvey {
  /** All that live, this process first. */
  readonly workers: readonly LivingWorker[];
  readonly versions: readonly OfferedVersion[];
  /** Quotas of the store, and what is used of them. */
  readonly quotas: readonly QuotaUse[];
  /** All unfinished tasks. */
  readonly unfinished: TaskCounts;
  /** How many of them were read, the newest, for `workers` and `versions`. */
  readonly read: number;
}
