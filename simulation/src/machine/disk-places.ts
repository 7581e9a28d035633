/** Calls of the disk by what they change. */
export interface DiskPlace {
  readonly call: "open" | "write" | "link" | "rename" | "unlink" | "fdatasync" | "fsync";
  /** Of the file or folder; of a rename what is moved, of a link its new name. */
  readonly path: RegExp;
}

const inTask = "^/store/tasks/\\w+/[^/]+/";

/** Before and after these a store is between two states. */
export const diskPlaces: readonly DiskPlace[] = [
  { call: "fdatasync", path: new RegExp(`${inTask}journal`) },
  { call: "write", path: new RegExp(`${inTask}journal`) },
  { call: "open", path: new RegExp(`${inTask}journal`) },
  { call: "unlink", path: new RegExp(`${inTask}journal`) },
  { call: "open", path: new RegExp(`${inTask}signal`) },
  { call: "unlink", path: new RegExp(`${inTask}signal`) },
  { call: "link", path: new RegExp(`${inTask}answer`) },
  { call: "fdatasync", path: new RegExp(`${inTask}answer`) },
  { call: "unlink", path: new RegExp(`${inTask}answer`) },
  { call: "open", path: new RegExp(`${inTask}lease`) },
  { call: "unlink", path: new RegExp(`${inTask}lease`) },
  { call: "fdatasync", path: new RegExp(`${inTask}items/`) },
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
  { call: "rename", path: /^\/store\/documents/ },
];
