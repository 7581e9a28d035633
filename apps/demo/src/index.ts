import { parseFlags, runCommand, wholeNumber } from "@resumable-mcp/mcp/command-line";
import { runStory } from "./story/run-story.js";
import { tellStory } from "./story/tell-story.js";

const usage = `Usage: npm run demo -- [--port PORT]
  --port PORT   where the terminal UI's server listens if the port is free, 0 for any (8001)
Without a terminal (</dev/null) the program plays the story as text, and --port has no effect.`;

const flags = {
  port: { type: "string", default: "8001" },
  help: { type: "boolean", short: "h", default: false },
} as const;

const built = new URL(".", import.meta.url);

await runCommand("demo", async () => {
  const { values } = parseFlags(process.argv.slice(2), flags, usage);
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const preferredPort = wholeNumber("port", values.port, { min: 0, max: 65_535 });
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.exitCode = await runStory(built, tellStory);
    return;
  }
  // Loaded only here: the drawing libraries have no business in the story.
  const { runInTerminal } = await import("./live/run-in-terminal.js");
  process.exitCode = await runInTerminal({ built, preferredPort });
});
