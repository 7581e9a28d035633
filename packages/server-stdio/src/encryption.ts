// The package as it is installed: the build leaves this file out of the program and imports dist/encryption.js.
export { readKeyringFile, withEncryption } from "@resumable-mcp/store-encryption";
