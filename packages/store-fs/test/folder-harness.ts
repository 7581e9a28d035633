import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { StoreQuotas } from "@resumable-mcp/core/store";
import type { StoreHarness } from "@resumable-mcp/store-testkit";
import type { FsStoreOptions } from "../src/create-fs-store.js";
import { createFsStore } from "../src/create-fs-store.js";
import type { Host, ProcessIdentity } from "../src/disk/platform.js";

/** Processes that are none: each store has its own, and what it sees of others is decided here. */
class PretendedProcesses {
  private readonly dead = new Set<number>();
  private next = 1;

  start(host: string): Host & { readonly pid: number } {
    const pid = this.next++;
    const identity: ProcessIdentity = { host, bootId: "boot", processNamespace: "ns", pid, startTime: String(pid) };
    const processState = (other: ProcessIdentity) => {
      if (other.host !== host) return "unknown";
      return this.dead.has(other.pid) ? "dead" : "alive";
    };
    return { identity, processState, pid };
  }

  kill(pid: number): void {
    this.dead.add(pid);
  }
}

/** How the kit gets hold of stores in folders of their own. */
export function folderHarness(options: Omit<FsStoreOptions, "directory">): StoreHarness {
  const processes = new PretendedProcesses();
  const opened = new Map<Store, { readonly directory: string; readonly pid: number }>();
  const open = (directory: string, hostName: string, quotas: Partial<StoreQuotas> = {}): Store => {
    const host = processes.start(hostName);
    const store = createFsStore({ directory, host, ...options, limits: { ...options.limits, ...quotas } });
    opened.set(store, { directory, pid: host.pid });
    return store;
  };
  const entryOf = (store: Store) => {
    const entry = opened.get(store);
    if (entry === undefined) throw new Error("not a store of this harness");
    return entry;
  };
  return {
    open: async () => open(await mkdtemp(join(tmpdir(), "store-fs-")), "here"),
    limited: async (quotas) => open(await mkdtemp(join(tmpdir(), "store-fs-")), "here", quotas),
    async reopen(store) {
      processes.kill(entryOf(store).pid);
      return open(entryOf(store).directory, "here");
    },
    second: async (store) => open(entryOf(store).directory, "here"),
    far: async (store) => open(entryOf(store).directory, "there"),
    async dispose() {
      for (const { directory } of opened.values()) await rm(directory, { recursive: true, force: true });
      opened.clear();
    },
  };
}
