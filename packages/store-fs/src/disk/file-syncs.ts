import { dirname } from "node:path";
import type { Disk } from "./disk.js";
import { hasCode, isSystemError } from "./disk.js";
import { rewriteInPlace } from "./whole-file.js";

/** How much of a file counts; absent: all of it. What is not written yet may be written by another process. */
type Length = () => number | undefined;

const whole: Length = () => undefined;

/**
 * Makes the content of files durable.
 *
 * A sync that fails may have lost what it covers: the system then takes the pages for written, says so only once, and each
 * later sync succeeds without them, also those of other processes. So what the file holds is written once more at once, and
 * before the next sync where that fails.
 *
 * Source: Rebello et al., "Can Applications Recover from fsync Failures?" (USENIX ATC 2020), section 3.
 */
export class FileSyncs {
  readonly #disk: Disk;
  readonly #doubtful = new Set<string>();
  /** Folders whose names are durable: those of shards and of claims, which have a fixed number. */
  readonly #named = new Set<string>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Opens a file for writing, since some systems sync nothing else, and syncs it. */
  async sync(path: string, length: Length = whole): Promise<void> {
    this.#refresh(path, length);
    const file = this.#disk.open(path, "r+");
    try {
      await this.#disk.syncData(file);
    } catch (error) {
      this.noteLoss(path, length);
      throw error;
    } finally {
      this.#disk.close(file);
    }
  }

  /** As `sync`, and lets nothing else happen meanwhile. */
  syncNow(path: string, length: Length = whole): void {
    this.#refresh(path, length);
    const file = this.#disk.open(path, "r+");
    try {
      this.#disk.syncDataNow(file);
    } catch (error) {
      this.noteLoss(path, length);
      throw error;
    } finally {
      this.#disk.close(file);
    }
  }

  /** Makes the name of a folder durable that stays once it is made: only once, as long as nothing is known to have changed. */
  async syncName(folder: string): Promise<void> {
    if (this.#named.has(folder)) return;
    await this.#disk.syncFolder(dirname(folder));
    this.#named.add(folder);
  }

  /** Folders may have been made again. */
  forgetNames(): void {
    this.#named.clear();
  }

  /** A sync of a file failed. */
  noteLoss(path: string, length: Length = whole): void {
    this.#doubtful.add(path);
    try {
      this.#refresh(path, length);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  #refresh(path: string, length: Length): void {
    if (!this.#doubtful.has(path)) return;
    try {
      rewriteInPlace(this.#disk, path, length() ?? this.#disk.stat(path)?.size ?? 0);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
    this.#doubtful.delete(path);
  }
}
