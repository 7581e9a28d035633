// Calls `count_to` as an agent does whose model asks for it: `node try-recipe.ts RECIPE URL TOKEN INPUT`, with Node 22.18 or later.
import { Agent, Runner } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";

type Input = Readonly<Record<string, unknown>>;
type Call = (url: string, token: string, input: Input) => Promise<unknown>;

const id = "call-1";
const name = "count_to";

const recipes: Readonly<Record<string, Call>> = {
  async "ai-sdk"(url, token, input) {
    const { openTools } = await import("./ai-sdk.ts");
    const { tools, close } = await openTools(url, token);
    const result = await tools[name]?.execute(input, { toolCallId: id, messages: [], context: {} });
    await close();
    return result;
  },
  async langchain(url, token, args) {
    const { openTools } = await import("./langchain.ts");
    const { tools, close } = await openTools(url, token);
    const result = await tools.find((tool) => tool.name === name)?.invoke({ type: "tool_call", id, name, args });
    await close();
    return result;
  },
  async mastra(url, token, input) {
    const [{ openTools }, { noopObserve }] = await Promise.all([import("./mastra.ts"), import("@mastra/core/tools")]);
    const { tools, close } = await openTools(url, token);
    const result = await tools[`work_${name}`]?.execute?.(input, { observe: noopObserve });
    await close();
    return result;
  },
  async "openai-agents"(url, token, input) {
    const { openTools } = await import("./openai-agents.ts");
    const { tools, close } = await openTools(url, token);
    const model = new ScriptedModel([[functionCall(name, { ...input }, { callId: id })], [assistantMessage("Done.")]]);
    const agent = new Agent({ name: "counter", model, tools });
    const { newItems } = await new Runner({ tracingDisabled: true }).run(agent, "Count.");
    await close();
    return newItems.find(({ type }) => type === "tool_call_output_item");
  },
};

const [recipe = "", url = "", token = "", input = "{}"] = process.argv.slice(2);
const call = recipes[recipe];
if (call === undefined) throw new Error(`There is no recipe ${recipe}. There are: ${Object.keys(recipes).join(", ")}.`);
console.log(JSON.stringify(await call(url, token, JSON.parse(input))));
