import { type StdioValues, stdioGroups } from "@resumable-mcp/command-line";
import { helpText } from "@resumable-mcp/command-line/options";

/** What the command line says. */
export type Flags = StdioValues;

const usage = `Usage: resumable-mcp serve stdio MODULE [OPTIONS]     (installed alone: resumable-mcp-stdio MODULE [OPTIONS])
       resumable-mcp serve stdio --command "node my-server.js"`;

/** What `--help` prints. */
export const help = (all: boolean): string => helpText({ usage, groups: stdioGroups }, all);
