import type { StoreAdmin } from "@resumable-mcp/core/store";
import { type EncryptedAdmin, encryptedAdmin, readKeyringFile } from "@resumable-mcp/store-encryption";
import { openFsAdmin } from "@resumable-mcp/store-fs/admin";
import type { ValuesOf } from "../options/option.js";
import type { storePlace } from "../options/server-options.js";
import { type DatabasePlace, loadDatabasePackage, readStorePlace } from "../store-flags.js";

/** Where a store is. */
export type StorePlace = ValuesOf<typeof storePlace>;

/** A store, with its keyring where one was given. */
export type OpenedAdmin = StoreAdmin & { readonly hasKeyring: boolean; readonly reseal?: EncryptedAdmin["reseal"] };

/**
 * Opens a store for an operator. It is reached when something is first asked of it.
 *
 * @throws {@link CommandError} for a place, {@link ResumableError} `INVALID_OPTION` for a keyring, that cannot be used.
 */
export async function openAdmin(options: StorePlace): Promise<OpenedAdmin> {
  const place = readStorePlace(options, ".resumable-mcp");
  const admin = "directory" in place ? openFsAdmin(place.directory) : await openDatabaseAdmin(place);
  if (options.keyring === undefined) return { ...admin, hasKeyring: false };
  return { ...encryptedAdmin(admin, await readKeyringFile(options.keyring)), hasKeyring: true };
}

async function openDatabaseAdmin(place: DatabasePlace): Promise<StoreAdmin> {
  const { openPostgresAdmin } = await loadDatabasePackage(() => import("@resumable-mcp/store-postgres/admin"));
  return openPostgresAdmin(place);
}
