import fs from "node:fs";
import os from "node:os";

/** What tells one process from every other, as far as the platform lets us know. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every start of the machine; empty where unknown. */
  readonly bootId: string;
  /** Two processes see each other's process ids only within one; empty where there is no such thing. */
  readonly processNamespace: string;
  readonly pid: number;
  /** Tells a process from a later one with the same id; empty where unknown. */
  readonly startTime: string;
}

/** The process that uses the store, and what it can say about others. */
export interface Host {
  readonly identity: ProcessIdentity;
  /** `unknown` where the other process cannot be seen from here: only its heartbeat tells then. */
  processState(other: ProcessIdentity): "alive" | "dead" | "unknown";
}

/** Folders cannot be opened for a sync on Windows; its file systems keep names durable by themselves. */
export const canSyncFolders = process.platform !== "win32";

/** The host as this process sees it. */
export function createHost(): Host {
  const identity: ProcessIdentity = {
    host: os.hostname(),
    bootId: textOf(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    processNamespace: textOf(() => fs.readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
  };
  return { identity, processState: (other) => processState(identity, other) };
}

function processState(own: ProcessIdentity, other: ProcessIdentity): "alive" | "dead" | "unknown" {
  const visible =
    own.host === other.host && own.bootId === other.bootId && own.processNamespace === other.processNamespace;
  if (!visible) return "unknown";
  if (other.startTime === "") return signalReaches(other.pid) ? "alive" : "dead";
  return startTimeOf(other.pid) === other.startTime ? "alive" : "dead";
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Field 22 of /proc/<pid>/stat. The command's name, which may hold anything, ends at the last parenthesis. */
function startTimeOf(pid: number): string | undefined {
  const fields =
    textOf(() => fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
      .split(")")
      .at(-1)
      ?.trim()
      .split(" ") ?? [];
  const [state] = fields;
  return state === "Z" || state === "X" ? undefined : fields[19];
}

/** What a place of the platform says; empty where there is no such place. */
function textOf(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
]);

/** Names a file system that several machines share, or gives `undefined` for a local or unknown one. */
export function networkFileSystemName(type: number): string | undefined {
  return networkFileSystems.get(type >>> 0);
}
