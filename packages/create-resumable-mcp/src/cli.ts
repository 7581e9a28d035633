#!/usr/bin/env node
import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createProject } from "./create-project.js";

/** The version of this package, which the build and the test runner put here. */
declare const RESUMABLE_MCP_VERSION: string;

const usage = `Usage: npm create resumable-mcp@latest [FOLDER]

Writes a TypeScript project with a resumable tool, a test that kills its server, and a Dockerfile.

  --yes, -y    ask nothing; without a folder: my-mcp-server
  --version    print the version of this program
`;
const usualFolder = "my-mcp-server";

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      yes: { type: "boolean", short: "y" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
    },
    allowPositionals: true,
  });
  if (values.help === true || values.version === true) {
    process.stdout.write(values.help === true ? usage : `${RESUMABLE_MCP_VERSION}\n`);
    return;
  }
  if (positionals.length > 1) throw new Error(`Name one folder.\n${usage}`);
  const isAsked = positionals.length === 0 && values.yes !== true && process.stdin.isTTY;
  const folder = positionals[0] ?? (isAsked ? await ask() : usualFolder);
  const project = await createProject(folder);
  const place = relative(process.cwd(), project.folder);
  process.stdout.write(`Wrote ${project.files.length} files to ${project.folder}.

  ${place === "" ? "" : `cd ${place}\n  `}npm install
  npm test         # kills the server in the middle of a call
  npm run dev      # serves, and reloads when a file changes
`);
}

async function ask(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Folder (${usualFolder}): `);
  terminal.close();
  return answer.trim() === "" ? usualFolder : answer.trim();
}

await run().catch((error: unknown) => {
  process.stderr.write(`create-resumable-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
