import { ResumableError } from "../../errors.js";
import type { Offers, ToolOffer } from "../../store/store.js";
import { isStandardSchema, type JsonSchemaValidator } from "../../tool/schema.js";
import type { Tool } from "../../tool/tool.js";

/** The tools of an engine, by name. A tool with plain JSON Schema can run when there is a validator. */
export class ToolTable {
  #tools: readonly Tool[] = [];
  #all: ReadonlyMap<string, Tool> = new Map();
  #runnable: ReadonlyMap<string, Tool> = new Map();
  #validator: JsonSchemaValidator | undefined;

  /** @throws {@link ResumableError} `TOOL_NAME_TAKEN`. */
  constructor(tools: readonly Tool[], validator: JsonSchemaValidator | undefined) {
    this.#validator = validator;
    this.replace(tools);
  }

  /** In the order in which they were given. */
  get list(): readonly Tool[] {
    return this.#tools;
  }

  get all(): ReadonlyMap<string, Tool> {
    return this.#all;
  }

  /** Those that can run now. More when the validator comes. */
  get runnable(): ReadonlyMap<string, Tool> {
    return this.#runnable;
  }

  /** @throws {@link ResumableError} `TOOL_NAME_TAKEN`. */
  replace(tools: readonly Tool[]): void {
    const all = new Map<string, Tool>();
    for (const tool of tools) {
      const { name } = tool;
      const message = `Two tools are named ${name}. Rename one of them.`;
      if (all.has(name)) throw new ResumableError("TOOL_NAME_TAKEN", message, { details: { tool: name } });
      all.set(name, tool);
    }
    this.#tools = [...tools];
    this.#all = all;
    this.#runnable = new Map([...all].filter(([, tool]) => this.#validator !== undefined || !needsValidator(tool)));
  }

  /**
   * Finds a tool.
   *
   * @throws {@link ResumableError} `UNKNOWN_TOOL`, naming the tools there are.
   */
  require(name: string): Tool {
    const tool = this.#all.get(name);
    if (tool !== undefined) return tool;
    const known = [...this.#all.keys()];
    throw new ResumableError(
      "UNKNOWN_TOOL",
      `No tool is named ${JSON.stringify(name)}. Known tools: ${known.join(", ")}.`,
      { details: { tool: name, known } },
    );
  }

  /** Takes the validator, unless there is one. True when more tools can run because of it. */
  use(validator: JsonSchemaValidator): boolean {
    this.#validator ??= validator;
    const isMore = this.#runnable.size < this.#all.size;
    this.#runnable = this.#all;
    return isMore;
  }

  /** Checks by the validator that there is at the time of the check. */
  readonly validate: JsonSchemaValidator = (schema, value) => {
    if (this.#validator === undefined) throw missingValidator("A schema");
    return this.#validator(schema, value);
  };

  /** Throws `INVALID_OPTION` when the tool of that name is known and cannot run. */
  requireValidator(name: string): void {
    if (this.#all.has(name) && !this.#runnable.has(name)) throw missingValidator(`A schema of tool ${name}`);
  }
}

/** What a worker publishes of its tools. */
export function toOffers(tools: Iterable<Tool>): Offers {
  // Not assignment: a tool may be called "__proto__".
  return Object.fromEntries([...tools].map((tool) => [tool.name, toOffer(tool)]));
}

/** What a worker publishes of one tool. */
export function toOffer({ version, accepts, stateShape }: Tool): ToolOffer {
  return {
    version,
    ...(accepts !== undefined && { accepts }),
    ...(stateShape !== undefined && { stateShape }),
  };
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
