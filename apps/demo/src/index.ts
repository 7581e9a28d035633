import { runCommand, wholeNumber } from "@resumable-mcp/command-line";
import { parseFlags } from "@resumable-mcp/command-line/options";
import { runStory } from "./story/run-story.js";
import { tellStory } from "./story/tell-story.js";

const usage = `Usage: npm run demo -- [--port PORT] [--browser [--no-open]] [--replicas] [--online]
  --port PORT   where the terminal UI's server listens if the port is free, 0 for any (8001)
  --browser     show the server's panel in a browser, with a button that kills the server
  --no-open     with --browser: print the address of the page, and open no browser
  --replicas    the story on PostgreSQL and three servers behind one address, each of them killed
  --online      get_forecast asks Open-Meteo for cities that are not bundled (non-commercial use)
Without a terminal (</dev/null) the program plays the story as text, and --port has no effect.`;

const flags = {
  port: { type: "string", default: "8001" },
  browser: { type: "boolean", default: false },
  open: { type: "boolean", default: true },
  replicas: { type: "boolean", default: false },
  online: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const built = new URL(".", import.meta.url);

await runCommand("demo", async () => {
  const { values } = parseFlags(process.argv.slice(2), flags);
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  // The servers, which are processes of their own, inherit it.
  if (values.online) process.env.RESUMABLE_MCP_DEMO_ONLINE = "1";
  const preferredPort = wholeNumber("port", values.port, { min: 0, max: 65_535 });
  if (values.browser) {
    const { runInBrowser } = await import("./browser/run-in-browser.js");
    const { openInBrowser } = await import("@resumable-mcp/client-tui");
    process.exitCode = await runInBrowser({ built, open: values.open ? openInBrowser : undefined });
    return;
  }
  if (values.replicas) {
    const { tellReplicas } = await import("./story/tell-replicas.js");
    process.exitCode = await runStory(built, tellReplicas);
    return;
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.exitCode = await runStory(built, tellStory);
    return;
  }
  // Loaded only here: the drawing libraries have no business in the story.
  const { runInTerminal } = await import("./live/run-in-terminal.js");
  process.exitCode = await runInTerminal({ built, preferredPort });
});
