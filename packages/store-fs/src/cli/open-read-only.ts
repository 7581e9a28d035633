import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { layoutOf } from "../layout.js";
import { fsStoreDefaults } from "../limits.js";
import { nodeDisk } from "../node-disk.js";
import { type OpenStore, openStore } from "../open-store.js";
import { createHost } from "../platform.js";
import type { StoreContext } from "../store-context.js";
import { openFolder } from "../store-folder.js";

/** Opens a store's folder to look at it: nothing is made, repaired, set aside or taken over. */
export function openReadOnly(directory: string): OpenStore {
  const context: StoreContext = {
    layout: layoutOf(resolve(directory)),
    disk: nodeDisk,
    durable: false,
    limits: fsStoreDefaults,
    instance: "reader",
    readOnly: true,
    observe: () => {},
    unique: () => randomBytes(9).toString("base64url"),
  };
  openFolder(context, true);
  return openStore(context, createHost());
}
