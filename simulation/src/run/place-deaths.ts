import type { Random } from "../world/random.js";
import type { Fault } from "./draw-fault.js";

/** Calls of the disk by what they change. */
interface DiskPlace {
  readonly call: "open" | "write" | "link" | "rename" | "unlink" | "fdatasync" | "fsync";
  /** Of the file or folder; of a rename what is moved, of a link its new name. */
  readonly path: RegExp;
}

const inTask = "^/store/tasks/\\w+/[^/]+/";

/** With these, requests and answers come, and go when they are carried out. */
const ofSignals: readonly DiskPlace[] = [
  { call: "open", path: new RegExp(`${inTask}signal`) },
  { call: "unlink", path: new RegExp(`${inTask}signal`) },
  { call: "link", path: new RegExp(`${inTask}answer`) },
  { call: "fdatasync", path: new RegExp(`${inTask}answer`) },
  { call: "unlink", path: new RegExp(`${inTask}answer`) },
];

/** The places of signals are the first in the list. */
export const signalPlaces = ofSignals.length;

/** With these, a task is made or finished. */
const ofNames: readonly DiskPlace[] = [
  { call: "fsync", path: /^\/store\/tasks/ },
  { call: "rename", path: /^\/store\/trash/ },
  { call: "rename", path: /^\/store\/tasks/ },
  { call: "link", path: /^\/store\/keys\// },
  { call: "fsync", path: /^\/store\/keys/ },
  { call: "open", path: /^\/store\/open\// },
  { call: "fsync", path: /^\/store\/open/ },
  { call: "unlink", path: /^\/store\/open\// },
  { call: "write", path: /^\/store\/done\// },
  { call: "fdatasync", path: /^\/store\/done\// },
  { call: "fsync", path: /^\/store\/done/ },
];

/** Before and after these a store is between two states. */
const diskPlaces: readonly DiskPlace[] = [
  ...ofSignals,
  { call: "fdatasync", path: new RegExp(`${inTask}journal`) },
  { call: "write", path: new RegExp(`${inTask}journal`) },
  { call: "open", path: new RegExp(`${inTask}journal`) },
  { call: "unlink", path: new RegExp(`${inTask}journal`) },
  { call: "open", path: new RegExp(`${inTask}lease`) },
  { call: "unlink", path: new RegExp(`${inTask}lease`) },
  { call: "fdatasync", path: new RegExp(`${inTask}items/`) },
  { call: "rename", path: /^\/store\/documents/ },
  ...ofNames,
];

/** The places of names are the last in the list. */
export const namePlaces = { from: diskPlaces.length - ofNames.length, count: ofNames.length };

/** The death of a process before or after a call of its disk. */
interface PlaceDeath {
  readonly place: DiskPlace;
  /** How many such calls are still to come, of any process. */
  left: number;
  readonly isBefore: boolean;
  readonly takesPower: boolean;
}

/** The deaths that wait for a call of the disk, whichever process makes it. */
export class PlaceDeaths {
  #waiting: readonly PlaceDeath[] = [];

  /** Lets what a fault says wait for its place, whose number in their list it has. */
  add({ amount, takesPower = false }: Pick<Fault, "amount" | "takesPower">, random: Random): void {
    const place = diskPlaces[amount % diskPlaces.length];
    const [left, isBefore] = [1 + random.below(3), random.percent(50)];
    if (place !== undefined) this.#waiting = [...this.#waiting, { place, left, isBefore, takesPower }];
  }

  /** A process makes a call. @returns how it dies there, if it does. */
  reach(call: string, path: string): PlaceDeath | undefined {
    const next = this.#waiting.find(({ place }) => place.call === call && place.path.test(path));
    if (next === undefined) return undefined;
    next.left -= 1;
    if (next.left > 0) return undefined;
    this.#waiting = this.#waiting.filter((death) => death !== next);
    return next;
  }

  clear(): void {
    this.#waiting = [];
  }
}
