import {
  controlToolsFlag,
  controlToolsUsage,
  maskFlags,
  otlpUsage,
  panelFlag,
  panelUsage,
  type parseFlags,
  quotaFlags,
  quotaUsage,
  recoveryFlags,
  recoveryUsage,
  storeFlags,
  storeUsage,
} from "@resumable-mcp/command-line";
import { hostNames } from "@resumable-mcp/protocol/hosts";

/** The flags of the program. */
export const flags = {
  ...storeFlags,
  name: { type: "string" },
  ...recoveryFlags,
  ...controlToolsFlag,
  handoff: { type: "boolean" },
  ...maskFlags,
  ...panelFlag,
  otlp: { type: "string" },
  ...quotaFlags,
  "no-supervise": { type: "boolean" },
  command: { type: "string" },
  "print-config": { type: "string" },
  install: { type: "string" },
  uninstall: { type: "string" },
  scope: { type: "string" },
  config: { type: "string" },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** What they say. */
export type Flags = ReturnType<typeof parseFlags<typeof flags>>["values"];

/** How they are used. */
export const usage = `Usage: resumable-mcp serve stdio MODULE [OPTIONS]     (installed alone: resumable-mcp-stdio MODULE [OPTIONS])
       resumable-mcp serve stdio --command "node my-server.js"
${storeUsage("the user's data folder, by the server's name")}
  --name NAME            name of the server, for its store and for its host
${recoveryUsage}
${controlToolsUsage}
  --handoff              answer long calls before the caller's time limit
  --mask-errors          the host sees of what a tool throws only that it failed; standard error says why
${panelUsage}
${quotaUsage}
${otlpUsage}
  --no-supervise         serve in this process: a crash ends the connection
  --command COMMAND      supervise any stdio server; what is not annotated as idempotent is never repeated
  --print-config HOST    print what ${hostNames.join(", ")} needs to start this server
  --install HOST         write it into the host's configuration file, after showing the change
  --uninstall HOST       undo that
  --scope user|project   which of the host's files (user)
  --config FILE          another file
  --yes, -y              write without asking
  --version              print the version of this program`;
