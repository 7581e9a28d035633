import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startProgram } from "../processes/program.js";
import { type ClientLine, clientLine } from "./job.js";

/** The client of the story, as a program that can be killed. */
export interface StoryClient {
  readonly pid: number;
  /** What it tells; ends when the program does. */
  lines(): AsyncGenerator<ClientLine, void>;
  kill(): Promise<void>;
  complaint(): string;
}

/** How the client is started. */
export interface StoryClientOptions {
  readonly built: URL;
  readonly url: string;
  /** Where the client keeps who it is: with the same file, another process is the same client. */
  readonly stateFile: string;
  readonly delayMs: number;
}

/** Starts the client. */
export async function startStoryClient({ built, url, stateFile, delayMs }: StoryClientOptions): Promise<StoryClient> {
  const script = fileURLToPath(new URL("story-client.js", built));
  const args = ["--url", url, "--state", stateFile, "--delay-ms", String(delayMs)];
  const program = await startProgram(built, script, args);
  return {
    pid: program.pid,
    async *lines() {
      for await (const line of createInterface({ input: program.stdout })) yield clientLine.parse(JSON.parse(line));
    },
    kill: () => program.end("SIGKILL"),
    complaint: program.complaint,
  };
}

/** What a client says in the end. */
export type Outcome = Extract<ClientLine, { kind: "finished" }>;

/** Reads the lines of a client to its end, or until `hear` asks to kill it. */
export async function hearClient(
  client: StoryClient,
  hear: (line: ClientLine) => "continue" | "kill",
): Promise<Outcome | "killed" | undefined> {
  try {
    for await (const line of client.lines()) {
      if (line.kind === "finished") return line;
      if (hear(line) === "kill") return "killed";
    }
    return undefined;
  } finally {
    await client.kill();
  }
}

/** The result that a client counted; an error with its last words when it has none. */
export function requireOutcome(client: StoryClient, outcome: Outcome | "killed" | undefined): Outcome {
  if (outcome !== undefined && outcome !== "killed") return outcome;
  throw new Error(`The client ended without a result: ${client.complaint() || "it said nothing."}`);
}
