import { ResumableError } from "@resumable-mcp/core";
import type { FileSystem } from "../disk/disk.js";
import type { FsStoreLimits } from "../disk/limits.js";

/** The limits that keep room on the disk for tasks under way. */
export type HeadroomLimits = Pick<FsStoreLimits, "minFreeBytes" | "minFreePercent" | "minFreeFilesPercent">;

/** What is free on a disk, and how much of it new tasks leave alone. */
export interface Headroom {
  readonly quota: "minFreeBytes" | "minFreeFilesPercent";
  readonly free: number;
  readonly kept: number;
}

/** What limits keep free of a file system: bytes, and files where it has a limit of them. */
export function headroomOf(limits: HeadroomLimits, disk: Omit<FileSystem, "type">): readonly Headroom[] {
  const { minFreeBytes, minFreePercent, minFreeFilesPercent } = limits;
  const bytes = Math.min(minFreeBytes, Math.ceil((disk.bytes * minFreePercent) / 100));
  const files = Math.ceil((disk.files * minFreeFilesPercent) / 100);
  return [
    { quota: "minFreeBytes", free: disk.freeBytes, kept: bytes },
    { quota: "minFreeFilesPercent", free: disk.freeFiles, kept: files },
  ];
}

/**
 * Checks whether the disk has room for one more task.
 *
 * @throws {@link ResumableError} `QUOTA_EXCEEDED`; nothing may have been made before.
 */
export function checkHeadroom(limits: HeadroomLimits, disk: Omit<FileSystem, "type">): void {
  const short = headroomOf(limits, disk).find(({ free, kept }) => free < kept);
  if (short === undefined) return;
  const { quota, free, kept } = short;
  const unit = quota === "minFreeBytes" ? "bytes" : "files";
  throw new ResumableError(
    "QUOTA_EXCEEDED",
    `The store's disk has room for ${free} ${unit}, and ${kept} are kept free for tasks under way (${quota}). No task was made; existing tasks continue. Make room on the disk, delete finished tasks, or lower ${quota}.`,
    { details: { quota, limit: kept, used: free } },
  );
}
