import { ResumableError } from "../../errors.js";
import { isStandardSchema, type JsonSchemaValidator } from "../../tool/schema.js";
import type { Tool } from "../../tool/tool.js";

/**
 * Makes the table of an engine's tools, by name.
 *
 * @throws {@link ResumableError} `TOOL_NAME_TAKEN`.
 */
export function createToolTable(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const table = new Map<string, Tool>();
  for (const tool of tools) {
    if (table.has(tool.name)) {
      throw new ResumableError("TOOL_NAME_TAKEN", `Two tools are named ${tool.name}. Rename one of them.`, {
        details: { tool: tool.name },
      });
    }
    table.set(tool.name, tool);
  }
  return table;
}

/**
 * Finds a tool.
 *
 * @throws {@link ResumableError} `UNKNOWN_TOOL`, naming the tools there are.
 */
export function requireTool(tools: ReadonlyMap<string, Tool>, name: string): Tool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = [...tools.keys()];
  throw new ResumableError(
    "UNKNOWN_TOOL",
    `There is no tool ${JSON.stringify(name)}. Known tools: ${known.join(", ")}.`,
    { details: { tool: name, known } },
  );
}

/** Those of an engine's tools that can run now: a tool with plain JSON Schema can when there is a validator. */
export class RunnableTools {
  /** By name. Grows when the validator comes. */
  readonly table: ReadonlyMap<string, Tool>;
  readonly #all: ReadonlyMap<string, Tool>;
  readonly #ready: Map<string, Tool>;
  #validator: JsonSchemaValidator | undefined;

  constructor(all: ReadonlyMap<string, Tool>, validator: JsonSchemaValidator | undefined) {
    this.#all = all;
    this.#validator = validator;
    this.#ready = new Map([...all].filter(([, tool]) => validator !== undefined || !needsValidator(tool)));
    this.table = this.#ready;
  }

  /** Takes the validator, unless there is one. True when more tools can run because of it. */
  use(validator: JsonSchemaValidator): boolean {
    this.#validator ??= validator;
    const before = this.#ready.size;
    for (const [name, tool] of this.#all) this.#ready.set(name, tool);
    return this.#ready.size > before;
  }

  /** Checks by the validator that there is at the time of the check. */
  readonly validate: JsonSchemaValidator = (schema, value) => {
    if (this.#validator === undefined) throw missingValidator("A schema");
    return this.#validator(schema, value);
  };

  /** Throws `INVALID_OPTION` when the tool cannot run. */
  require(tool: Tool): void {
    if (!this.#ready.has(tool.name)) throw missingValidator(`A schema of tool ${tool.name}`);
  }
}

/** Questions need none: their schemas are flat, and the engine checks answers itself. */
function needsValidator({ input, output, item }: Tool): boolean {
  return [input, output, item].some((schema) => schema !== undefined && !isStandardSchema(schema));
}

function missingValidator(what: string): ResumableError {
  return new ResumableError(
    "INVALID_OPTION",
    `${what} is plain JSON Schema, and this engine has no validator for it. Pass validateJsonSchema: createJsonSchemaValidator() of @resumable-mcp/mcp to createEngine, or serve the engine with that package.`,
    { details: { option: "validateJsonSchema" } },
  );
}
