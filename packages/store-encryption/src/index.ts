export { type EncryptedAdmin, encryptedAdmin } from "./encrypted-admin.js";
export { createKeyring } from "./keys/keyring.js";
export { newKeyLine, readKeyringFile } from "./keys/keyring-file.js";
export { type FileRights, othersRights } from "./keys/secret-file.js";
export { withEncryption } from "./with-encryption.js";
