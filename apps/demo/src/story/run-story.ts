import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNarrator, type Narrator } from "./narrator.js";

/** Where the story takes place. */
export interface StoryOptions {
  /** The folder of the demo's built programs. */
  readonly built: URL;
  /** For the stores and the clients' state; empty. */
  readonly folder: string;
  readonly narrator: Narrator;
}

const storyTimeoutMs = 120_000;

/**
 * Tells a story on standard output.
 *
 * @param tell resolves to whether the job ended as it has to.
 * @returns the exit code: 0 when it did.
 */
export async function runStory(built: URL, tell: (options: StoryOptions) => Promise<boolean>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-demo-"));
  const narrator = createNarrator((text) => process.stdout.write(text));
  const timeout = setTimeout(() => {
    process.stderr.write(`The story took longer than ${storyTimeoutMs / 1_000} s and was broken off.\n`);
    process.exit(1);
  }, storyTimeoutMs);
  try {
    return (await tell({ built, folder, narrator })) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The story broke off: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    clearTimeout(timeout);
    await rm(folder, { recursive: true, force: true });
  }
}
