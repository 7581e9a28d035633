// Installs and builds what a program of the demo needs, says so in its own words, and becomes that program:
// `node scripts/run-demo.js apps/demo/dist/index.js [ARGUMENTS]`. A fresh machine has Node and npm and nothing else.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [program = "", ...args] = process.argv.slice(2);

/** The programs of other projects print nothing of their own, except where one fails. */
const environment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
  PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};

/** Runs a command line to its end; resolves to what it has written and whether it succeeded. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env: environment, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let written = "";
    const collect = (chunk) => {
      written += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", ({ message }) => resolve({ succeeded: false, written: message }));
    child.on("close", (code) => resolve({ succeeded: code === 0, written }));
  });
}

const steps = [
  {
    says: "Installing packages (on a fresh machine this takes a minute or two) …",
    // Of the workspace, what the demo imports and is built with: half of what the tests need. `npm test` also asks the registry for
    // the age of all that the lockfile names: 187 MB of metadata, and three times as long on a fresh machine.
    command: "npm run --silent bootstrap -- --filter @resumable-mcp/demo... --trust-lockfile",
  },
  { says: "Building …", command: "turbo run build --filter=@resumable-mcp/demo" },
];

let failed = false;
for (const { says, command } of steps) {
  console.error(says);
  const { succeeded, written } = await run(command);
  if (succeeded) continue;
  console.error(
    `${written}\nThis failed: ${command}\nIts output is above. The same command continues where it stopped.`,
  );
  failed = true;
  break;
}
if (failed) {
  process.exitCode = 1;
} else {
  const file = join(root, program);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
}
