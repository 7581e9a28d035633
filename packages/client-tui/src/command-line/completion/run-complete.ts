import { type Client, type OpenClientOptions, openClient } from "@resumable-mcp/client";
import { exitCodes, UsageError } from "../exit-code.js";
import { parseCommandLine } from "../parse-command-line.js";
import { asObject } from "../tool-arguments.js";
import { type CompletionSource, complete } from "./complete.js";
import { completionScript, shellNames } from "./completion-script.js";

/** What a shell asks when Tab is pressed: prints one word a line. Whatever goes wrong, it stays silent. */
export async function runComplete(words: readonly string[]): Promise<number> {
  try {
    const { servers, state } = settingsOf(words);
    const source = clientSource({ servers: servers.length === 0 ? undefined : servers, stateFile: state });
    for (const word of await complete(words, source)) process.stdout.write(`${word}\n`);
  } catch {
    // A message would stand in the middle of the line that is being typed.
  }
  return exitCodes.ok;
}

/** The servers and the state file that the unfinished line names already. */
function settingsOf(words: readonly string[]) {
  const named = ["--url", "--stdio", "--state", "--server"];
  const known = words.slice(0, -1).flatMap((word, index) => {
    const value = words[index + 1];
    return named.includes(word) && value !== undefined && index + 1 < words.length - 1 ? [word, value] : [];
  });
  return parseCommandLine(known, process.env);
}

/** `completion bash|zsh|fish`: prints the script that teaches a shell to complete this program. */
export function completionCommand(words: readonly string[]): number {
  const shell = shellNames.find((known) => known === words[0]);
  if (shell === undefined) throw new UsageError(`completion needs the name of a shell: ${shellNames.join(", ")}.`);
  process.stdout.write(completionScript(shell));
  return exitCodes.ok;
}

/** Limit of a request that the Tab key waits for. */
const answerTimeoutMs = 2_000;

/** Completes from the state file, and asks the servers only for the names of tools. */
function clientSource(options: Pick<OpenClientOptions, "servers" | "stateFile">): CompletionSource {
  let opened: Promise<Client> | undefined;
  const client = () => {
    opened ??= openClient({ ...options, limits: { requestTimeoutMs: answerTimeoutMs, reconnectAttempts: 0 } });
    return opened;
  };
  const tools = async () => (await client()).tools().catch(() => []);
  return {
    async tasks(unfinished) {
      const { activeTasks, completedTasks } = (await client()).summary();
      const ids = activeTasks.map(({ task_id }) => task_id);
      return unfinished ? ids : [...ids, ...completedTasks.map(({ task_id }) => task_id)];
    },
    tools: async () => [...new Set((await tools()).filter(({ control }) => !control).map(({ name }) => name))],
    servers: async () => (await client()).servers().map(({ name, address }) => name ?? address),
    async argumentsOf(name) {
      const tool = (await tools()).find((entry) => entry.name === name);
      return Object.keys(asObject(tool?.inputSchema.properties) ?? {}).filter((key) => key !== "client_id");
    },
  };
}
