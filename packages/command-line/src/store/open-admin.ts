import { resolve } from "node:path";
import { refuseEncrypted } from "@resumable-mcp/core/internal";
import type { StoreAdmin } from "@resumable-mcp/core/store";
import { type EncryptedAdmin, encryptedAdmin, readKeyringFile } from "@resumable-mcp/store-encryption";
import { openFsAdmin } from "@resumable-mcp/store-fs/admin";
import { wrong } from "./command.js";

/** Where a store is. */
export interface StorePlace {
  readonly store: string;
  readonly "store-password-file"?: string | undefined;
  readonly "store-schema"?: string | undefined;
  readonly keyring?: string | undefined;
}

/** A store, with its keyring where one was given. */
export type OpenedAdmin = StoreAdmin & { readonly hasKeyring: boolean; readonly reseal?: EncryptedAdmin["reseal"] };

/**
 * Opens a store for an operator. It is reached when something is first asked of it.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` for a place, or a keyring, that cannot be used.
 */
export async function openAdmin(place: StorePlace): Promise<OpenedAdmin> {
  const admin = await openPlace(place);
  if (place.keyring === undefined) return { ...admin, hasKeyring: false };
  return { ...encryptedAdmin(admin, await readKeyringFile(place.keyring)), hasKeyring: true };
}

/** A folder, or a database whose driver is loaded only then. */
async function openPlace(place: StorePlace): Promise<StoreAdmin> {
  const { store, "store-password-file": passwordFile, "store-schema": schema } = place;
  if (/^postgres(ql)?:\/\//i.test(store)) {
    const { openPostgresAdmin } = await import("@resumable-mcp/store-postgres/admin").catch(sayWhatIsMissing);
    return openPostgresAdmin({ connectionString: store, passwordFile, schema });
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(store)) {
    throw wrong("store", "--store must be a folder, or a URL such as postgres://user@host:5432/database.");
  }
  if (passwordFile !== undefined || schema !== undefined) {
    throw wrong("store", "--store-password-file and --store-schema are for a database.");
  }
  return openFsAdmin(resolve(store));
}

/** The package for PostgreSQL is installed only where it is used. */
function sayWhatIsMissing(error: Error & { readonly code?: string }): never {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  const install = "npm install @resumable-mcp/store-postgres (with -g where the program was installed so)";
  throw wrong(
    "store",
    `A store in PostgreSQL needs the package @resumable-mcp/store-postgres. Install it where this program is: ${install}.`,
  );
}

/** @throws {@link ResumableError} `STORE_ENCRYPTED`. */
export const refuseWithoutKeyring = refuseEncrypted;
