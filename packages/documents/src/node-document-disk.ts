import fs from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import type { DocumentDisk } from "./document-disk.js";

const fdatasync = promisify(fs.fdatasync);

/** The file system of the machine. */
export const nodeDocumentDisk: DocumentDisk = {
  open: (path, flags, mode) => fs.openSync(path, flags, mode),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.byteLength, position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.byteLength, position),
  stat: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  link: (from, to) => fs.linkSync(from, to),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  syncData: (file) => fdatasync(file),
  syncDataNow: (file) => fs.fdatasyncSync(file),
  async syncFolder(path) {
    // Windows opens no folder; a rename is atomic there without it.
    if (process.platform === "win32") return;
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  },
};
