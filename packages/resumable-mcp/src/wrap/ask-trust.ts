import { errorSentence } from "@resumable-mcp/command-line";
import type { Questions, StartOfServer } from "@resumable-mcp/server-stdio/hosts";
import { repeatableTools } from "@resumable-mcp/wrap";

/** A server that is about to be wrapped. */
export interface AskedServer {
  readonly name: string;
  readonly start: StartOfServer;
  /** Tools of which the user has said already whether their calls are made again. */
  readonly ruled: readonly string[];
}

/** Tools that are named; of the others, how many they are. */
const maxNamed = 100;

/** Asks whether what a server says of its tools is true, and gives the option that says so. Without an answer it is not believed. */
export async function askTrust({ name, start, ruled }: AskedServer, { show, ask }: Questions): Promise<string[]> {
  const tools = await repeatableTools(start).catch((error: unknown) => errorSentence(error));
  if (typeof tools === "string") {
    show(`${name} could not be asked what it says of its tools: ${tools}. No call is made again when it dies.\n`);
    return [];
  }
  const open = tools.filter((tool) => !ruled.includes(tool));
  if (open.length === 0) return [];
  const others = open.length > maxNamed ? `, and ${open.length - maxNamed} others` : "";
  show(
    `${name} says that these of its tools only read, or may be called twice: ${open.slice(0, maxNamed).join(", ")}${others}.\n`,
  );
  if (await ask(`Is that true, and may their calls be made again when ${name} dies?`)) return ["--trust-annotations"];
  show("Their calls are not made again. Allow it with --trust-annotations, or --repeat TOOL=always.\n");
  return [];
}
