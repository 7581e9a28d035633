import type { Disk } from "./disk.js";
import type { Layout } from "./layout.js";
import type { FsStoreLimits } from "./limits.js";
import type { ObserverPoint } from "./observer-points.js";

/** What every part of one opened store shares. */
export interface StoreContext {
  readonly layout: Layout;
  readonly disk: Disk;
  /** A commit survives the loss of power: every acknowledgement waits for its sync. */
  readonly durable: boolean;
  readonly limits: FsStoreLimits;
  /** Names this opened store among all that ever used the folder. */
  readonly instance: string;
  /** Nothing is repaired, set aside or taken over. */
  readonly readOnly: boolean;
  /** Hears of what was found and put right, in a sentence for whoever runs the program. */
  readonly warn: (message: string) => void;
  readonly observe: (point: ObserverPoint, taskId?: string) => void;
  /** Makes a name that nobody else makes. */
  readonly unique: () => string;
}
