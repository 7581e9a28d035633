import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNarrator } from "./narrator.js";
import { tellStory } from "./tell-story.js";

const storyTimeoutMs = 120_000;

/** Tells the story on standard output. Resolves to the exit code: 0 when the job ended as it has to. */
export async function runStory(built: URL): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-demo-"));
  const narrator = createNarrator((text) => process.stdout.write(text));
  const timeout = setTimeout(() => {
    process.stderr.write(`The story took longer than ${storyTimeoutMs / 1_000} s and was broken off.\n`);
    process.exit(1);
  }, storyTimeoutMs);
  try {
    return (await tellStory({ built, folder, narrator })) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The story broke off: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    clearTimeout(timeout);
    await rm(folder, { recursive: true, force: true });
  }
}
