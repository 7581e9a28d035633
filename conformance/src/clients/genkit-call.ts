import { createRequire } from "node:module";
import { delimiter } from "node:path";

/**
 * Calls one tool with Genkit's client, as the tool that it makes of it for a model, and prints the output.
 *
 * Its packages are those of the `npx` that runs this: they are in front of the path.
 */
const [config = "", tool = "", input = ""] = process.argv.slice(2);
const [programs = ""] = (process.env.PATH ?? "").split(delimiter);
const load = createRequire(`${programs}/`);

/** What is used here of Genkit. */
interface Genkit {
  readonly genkit: (options: object) => object;
}
interface GenkitMcp {
  readonly createMcpClient: (options: object) => {
    getActiveTools(ai: object): Promise<readonly GenkitTool[]>;
    disable(): Promise<void>;
  };
}
interface GenkitTool {
  (input: object): Promise<unknown>;
  readonly __action: { readonly name: string };
}

const { genkit }: Genkit = load("genkit");
const { createMcpClient }: GenkitMcp = load("@genkit-ai/mcp");
const client = createMcpClient({ name: "table-of-clients", serverName: "clients", mcpServer: JSON.parse(config) });
const tools = await client.getActiveTools(genkit({}));
const called = tools.find(({ __action }) => __action.name === `clients/${tool}`);
if (called === undefined) throw new Error(`Genkit has no tool ${tool}.`);
process.stdout.write(`${JSON.stringify(await called(JSON.parse(input)))}\n`);
await client.disable();
