// What the client imports servers from and the servers' program installs into. The only folder that uses Node.
export {
  type HostEnvironment,
  type HostName,
  type HostScope,
  hostFile,
  hostFiles,
  hostNames,
  hostScopes,
  serversKey,
} from "./host-files.js";
export { splitCommand } from "./split-command.js";
