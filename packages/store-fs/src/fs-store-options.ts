import type { Observer } from "@resumable-mcp/core";
import type { Disk } from "./disk/disk.js";
import type { FsStoreLimits } from "./disk/limits.js";
import type { Host } from "./disk/platform.js";

/** What a file store is made of. Everything but the directory has a default. */
export interface FsStoreOptions {
  /** Made when first used, with those above it. */
  readonly directory: string;
  /**
   * What a resolved commit survives: the loss of power (`machine`, the default), or only the death of the process.
   */
  readonly durability?: "machine" | "process";
  readonly limits?: Partial<FsStoreLimits>;
  /** Hears of what happens at named points (see `observerPoints`), for tracing and for fault injection. */
  readonly observer?: Observer;
  /** Hears of damage that the store found and put right by itself, in a sentence for whoever runs the program. */
  readonly onWarning?: (message: string) => void;
  /** Uses a file system that several machines share, where locks and renames may not mean what they say. */
  readonly allowNetworkFileSystem?: boolean;
  /** The file system; the machine's by default. */
  readonly disk?: Disk;
  /** Who this process is, and what it knows of others; asked of the machine by default. */
  readonly host?: Host;
  /** Makes names that nobody else makes, out of `A-Z a-z 0-9 _ -`. */
  readonly createName?: () => string;
}
