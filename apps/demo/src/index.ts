import { runStory } from "./story/run-story.js";

const built = new URL(".", import.meta.url);

process.exitCode = await runStory(built);
