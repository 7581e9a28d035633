import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));
const demo = folderOf("@resumable-mcp/demo");

/** Where the programs and files of the demonstrations are. */
export const demoPrograms = {
  server: join(folderOf("@resumable-mcp/server-http"), "dist/cli.js"),
  tools: join(demo, "dist/tools.js"),
  seedClient: join(demo, "../../conformance/dist/seed/seed-client.js"),
  collection: join(demo, "postman/resumable-mcp.postman_collection.json"),
  environment: join(demo, "postman/resumable-mcp.postman_environment.json"),
  newman: require.resolve("newman/bin/newman.js"),
};
