import { parseFlags, runCommand } from "@resumable-mcp/command-line";
import { tellReplicas } from "./replicas/tell-replicas.js";
import { runStory } from "./story/run-story.js";

const usage = `Usage: npm run replicas
Starts PostgreSQL, three servers and a round-robin proxy on this machine, kills them in turn, and counts the records.`;

await runCommand("replicas", async () => {
  const { values } = parseFlags(process.argv.slice(2), { help: { type: "boolean", short: "h", default: false } });
  if (values.help) process.stdout.write(`${usage}\n`);
  else process.exitCode = await runStory(new URL(".", import.meta.url), tellReplicas);
});
