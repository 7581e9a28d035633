import { basename } from "node:path";
import { isResumableError, ResumableError } from "@resumable-mcp/core";

/** A task's files cannot be understood; they were set aside. */
export function taskCorrupt(
  taskId: string,
  path: string,
  { owner, cause }: { readonly owner: string | undefined; readonly cause?: unknown },
): ResumableError {
  return new ResumableError(
    "TASK_CORRUPT",
    // The same as for `storeFailure`: no path of this machine.
    `The files of task ${taskId} are damaged. They are kept unchanged in the store, in quarantine/${basename(path)}, with a report that says where. Other tasks are not affected.`,
    { details: { taskId, path, owner }, cause },
  );
}

/** An argument that must not become part of a path. */
export function badId(option: string): ResumableError {
  return new ResumableError("INVALID_OPTION", `${option} must be 16 to 64 characters out of A-Z a-z 0-9 _ -.`, {
    details: { option },
  });
}

/** The store's folder was taken away, or another one is in its place. */
export function storeMissing(path: string, reason: string): ResumableError {
  return new ResumableError(
    "STORE_MISSING",
    `The store's folder is not the one that was opened: ${reason}. Nothing is written until that folder is back. Mount its disk again, or put the folder back. To use another folder, restart the program.`,
    { details: { path, reason } },
  );
}

const readCalls = new Set(["read", "stat", "lstat", "fstat", "scandir", "readlink"]);

/**
 * Turns what the system refused into an error of the store; anything else stays as it is.
 *
 * @param kind what the operation as a whole does: opening a file fails alike for reading and for writing.
 */
export function storeFailure(error: unknown, kind: "read" | "write", path: string): unknown {
  if (isResumableError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const call = "syscall" in error && typeof error.syscall === "string" ? error.syscall : "open";
  const place = "path" in error && typeof error.path === "string" ? error.path : path;
  const reading = readCalls.has(call) || (call === "open" && kind === "read");
  const code = reading ? "STORE_READ_FAILED" : "STORE_WRITE_FAILED";
  const verb = reading ? "read" : "written";
  const reason = `${String(error.code)}: ${call}`;
  // The message may reach a caller far away: only the details say where on this machine the store is.
  return new ResumableError(
    code,
    `The store could not be ${verb} (${reason}). ${adviceFor(String(error.code), call)}`,
    {
      details: { path: place, reason },
      cause: error,
    },
  );
}

/** What the system says where the file system has no hard links: Windows says EISDIR. */
const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EISDIR"]);

function adviceFor(code: string, call: string): string {
  if (call === "link" && withoutLinks.has(code))
    return "Its file system has no hard links, which the store needs: use a folder on another, such as ext4, APFS or NTFS.";
  if (code === "ENOSPC" || code === "EDQUOT") return "Make room on the disk; unfinished tasks then continue.";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "Check who may write the store's folder.";
  if (code === "EMFILE" || code === "ENFILE") return "Raise the limit of open files.";
  return "Check the store's folder and its disk.";
}
