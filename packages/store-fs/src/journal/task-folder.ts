import { join } from "node:path";
import type { NewSignal } from "@resumable-mcp/core/store";
import type { Disk } from "../disk/disk.js";
import { isSafeId, journalFiles, journalName, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists, unlinkIfExists } from "../disk/whole-file.js";

/** Kinds of signals whose file has no content. */
export const plainKinds = ["pause", "resume", "cancel", "detach", "offer", "delivered", "undelivered"] as const;

/** A signal whose file name says all. */
export interface PlainSignal {
  readonly id: string;
  readonly order: number;
  readonly kind: (typeof plainKinds)[number];
  readonly cause?: "caller_left";
}

/** What the names in a task's folder say, which is all that a commit has to look at. */
export interface FolderState {
  /** Announced epochs, lowest first. */
  readonly epochs: readonly number[];
  /** The highest announced epoch. */
  readonly newest: number;
  /** Names of lease files. */
  readonly leases: readonly string[];
  /** By age. */
  readonly signals: readonly PlainSignal[];
  /** Names of answer files. */
  readonly answers: readonly string[];
  /** Names of the markers of writers who have seen all this. */
  readonly quiet: readonly string[];
}

const signalPattern = /^signal\.(\d+)\.([a-z]+)(_caller_left)?\.[A-Za-z0-9_-]+$/;

/** Looks at a task's folder; `undefined` when there is none. */
export function lookAt(disk: Disk, folder: string): FolderState | undefined {
  const names = listIfExists(disk, folder);
  return names && parseNames(names);
}

function parseNames(names: readonly string[]): FolderState {
  const epochs: number[] = [];
  const leases: string[] = [];
  const signals: PlainSignal[] = [];
  const answers: string[] = [];
  const quiet: string[] = [];
  for (const name of names) {
    const epoch = journalFiles.numberOf(name);
    if (epoch !== undefined) epochs.push(epoch);
    else if (name.startsWith("lease.")) leases.push(name);
    else if (name.startsWith("answer.")) answers.push(name);
    else if (name.startsWith("quiet.")) quiet.push(name);
    else signals.push(...(parseSignal(name) ?? []));
  }
  epochs.sort((left, right) => left - right);
  signals.sort((left, right) => left.order - right.order || (left.id < right.id ? -1 : 1));
  return { epochs, newest: epochs.at(-1) ?? 0, leases, signals, answers, quiet };
}

/** The signal that a file's name says, if it is one. */
export function parseSignal(name: string): readonly [PlainSignal] | undefined {
  const match = name.startsWith("signal.") ? signalPattern.exec(name) : null;
  const kind = plainKinds.find((known) => known === match?.[2]);
  return kind && [{ id: name, order: Number(match?.[1]), kind, ...(match?.[3] && { cause: "caller_left" }) }];
}

/** The name of a plain signal's file. */
export function signalName(order: number, signal: Exclude<NewSignal, { kind: "answer" }>, unique: string): string {
  const cause = signal.kind === "pause" && signal.cause !== undefined ? `_${signal.cause}` : "";
  return `signal.${order}.${signal.kind}${cause}.${unique}`;
}

const telling = /^(?:journal|lease|signal|answer)\./;

/** Differs after anything in a task's folder changed that tells what is to be done with the task. */
export function readFingerprint(disk: Disk, folder: string): string {
  const names = listIfExists(disk, folder)?.filter((name) => telling.test(name)) ?? [];
  const newest = Math.max(0, ...journalFiles.numbersIn(names));
  // A file that was extended beforehand does not grow with each line.
  const journal = disk.stat(join(folder, journalName(newest)));
  return `${names.join(" ")} ${journal?.size} ${journal?.modifiedMs}`;
}

/** The epoch and holder of a lease file's name. */
export function parseLease(name: string): { readonly epoch: number; readonly holder: string } {
  const [, epoch, ...holder] = name.split(".");
  return { epoch: Number(epoch), holder: holder.join(".") };
}

/** An answer's file is named by its key, so that there can be only one; its id is longer. */
export function signalFile(id: string): string {
  return id.startsWith("answer.") ? id.split(".").slice(0, 3).join(".") : id;
}

/**
 * Makes every writer of a task look again. Called after a change of the folder, and before anything relies on the
 * writers' knowing it.
 */
export function disturb({ disk, layout }: StoreContext, taskId: string): void {
  const folder = taskFolder(layout, taskId);
  for (const name of lookAt(disk, folder)?.quiet ?? []) unlinkIfExists(disk, join(folder, name));
}

/** Ids of all tasks that have a folder, listed or not. */
export function* taskIds({ disk, layout }: StoreContext): Generator<string> {
  for (const shard of listIfExists(disk, layout.tasks) ?? []) {
    for (const id of listIfExists(disk, join(layout.tasks, shard)) ?? []) if (isSafeId(id)) yield id;
  }
}

/** Tells whether a task has a folder. */
export function taskExists({ disk, layout }: StoreContext, taskId: string): boolean {
  return isSafeId(taskId) && disk.stat(taskFolder(layout, taskId)) !== undefined;
}
