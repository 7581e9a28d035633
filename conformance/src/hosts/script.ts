import { isJsonObject, type JsonObject } from "@resumable-mcp/core";

/** A tool as a host presents it to its model. */
export interface PresentedTool {
  readonly name: string;
  /** Some hosts keep the tools of a server together under a name. */
  readonly namespace?: string | undefined;
  /** The characters of all that the model reads of it. */
  readonly characters: number;
}

/** One thing that was said to the model, as text. */
export interface Said {
  readonly from: "user" | "tool";
  readonly text: string;
}

/** A request to the model, in no provider's words. */
export interface Heard {
  readonly tools: readonly PresentedTool[];
  readonly said: readonly Said[];
}

/** What the model responds with. */
export type Reply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly tool: PresentedTool; readonly input: JsonObject };

/** A call that repeats itself without end is a defect that shows itself. */
const maxResults = 40;
/** JSON in texts in JSON. */
const maxDepth = 6;
const request = /Call the tool (\w+) with (\{.*?\})\.(?: If it asks, answer (\{.*?\})\.)?(?:\s|$)/;

/** The prompt that makes the scripted model call a tool. */
export function promptFor(tool: string, input: JsonObject, answer?: JsonObject): string {
  const whenAsked = answer === undefined ? "" : ` If it asks, answer ${JSON.stringify(answer)}.`;
  return `Call the tool ${tool} with ${JSON.stringify(input)}.${whenAsked}`;
}

/** What was said since the newest prompt, if there is one. Pure. */
export function sincePrompt({
  said,
}: Heard): { readonly prompt: string; readonly results: readonly string[] } | undefined {
  const place = said.findLastIndex(({ from, text }) => from === "user" && request.test(text));
  const prompt = request.exec(said[place]?.text ?? "")?.[0].trim();
  if (prompt === undefined) return undefined;
  return { prompt, results: said.slice(place).flatMap(({ from, text }) => (from === "tool" ? [text] : [])) };
}

/** The model: calls the tool that the prompt names, then does what each result says, and at last says the result. Pure. */
export function decide(heard: Heard): Reply {
  const asked = sincePrompt(heard);
  if (asked === undefined) return say("Nothing is asked.");
  const [, tool = "", input = "{}", answer = "{}"] = request.exec(asked.prompt) ?? [];
  const last = asked.results.at(-1);
  if (last === undefined) return call(heard, tool, JSON.parse(input));
  if (asked.results.length > maxResults) return say(`After ${maxResults} results this is not over: ${last}`);
  const next = nextCall(last, JSON.parse(answer));
  return next === undefined ? say(`The result is: ${last}`) : call(heard, next.tool, next.input);
}

/** The call that a result asks for, as data or in a sentence, wherever the host puts it. Pure. */
export function nextCall(result: string, answer: JsonObject = {}): { tool: string; input: JsonObject } | undefined {
  const step = objectsIn(result, maxDepth).find((one) => one.next_tool !== undefined && one.task_id !== undefined);
  const [, words = "", input = ""] = /\b[Cc]all (\w+) with (\{.*?\})/.exec(result.replaceAll("\\", "")) ?? [];
  const [, asking, asked] = /Task (\S+) [\s\S]*\(key (\w+)\)[\s\S]* call answer_task\b/.exec(result) ?? [];
  const question = Array.isArray(step?.questions) ? step.questions.find(isJsonObject) : undefined;
  const [task_id, key] = [step?.task_id ?? asking, question?.key ?? asked];
  if (task_id !== undefined && key !== undefined)
    return { tool: "answer_task", input: { task_id, key, action: "accept", content: answer } };
  if (step !== undefined) return { tool: String(step.next_tool), input: { task_id: step.task_id ?? "" } };
  return words === "" ? undefined : { tool: words, input: JSON.parse(input) };
}

/** All objects in a text, and in the texts in them. */
function objectsIn(value: unknown, depth: number): readonly JsonObject[] {
  if (depth === 0) return [];
  if (typeof value === "string") return objectsIn(parsed(value), depth - 1);
  if (Array.isArray(value)) return value.flatMap((one) => objectsIn(one, depth - 1));
  if (typeof value !== "object" || value === null || !isJsonObject(value)) return [];
  return [value, ...Object.values(value).flatMap((one) => objectsIn(one, depth - 1))];
}

/** The JSON of a text, which may have other words around it. */
function parsed(text: string): unknown {
  const places = [text.search(/[{[]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"))] as const;
  for (const part of [text, text.slice(places[0], places[1] + 1)]) {
    try {
      const value: unknown = JSON.parse(part);
      if (typeof value === "object") return value;
    } catch {
      // Not all texts are JSON.
    }
  }
  return undefined;
}

/** Hosts put the name of the server before that of the tool; some show no more than that, and a tool that calls it. */
function call({ tools, said }: Heard, name: string, input: JsonObject): Reply {
  const tool = tools.find((one) => one.name === name || one.name.endsWith(`_${name}`));
  if (tool !== undefined) return { kind: "call", tool, input };
  const bridge = tools.find((one) => one.name === "tool_call");
  const [hidden] = said.flatMap(({ text }) => text.match(new RegExp(`\\w+_${name}\\b`)) ?? []);
  if (bridge === undefined || hidden === undefined)
    return say(`The tool ${name} is not among ${tools.map((one) => one.name).join(", ")}.`);
  return { kind: "call", tool: bridge, input: { name: hidden, arguments: input } };
}

function say(text: string): Reply {
  return { kind: "text", text };
}
