import { isJsonObject, type JsonObject, metaKeys } from "@resumable-mcp/protocol";
import type { Ask } from "../connection/link.js";
import { toJsonObject } from "../json.js";
import type { Deadline } from "./deadline.js";

/** What a server asks. Source: MCP 2025-11-25, Elicitation, "Creating Elicitation Requests". */
interface Elicitation {
  readonly message: string;
  readonly requestedSchema?: unknown;
  readonly _meta?: unknown;
}

/** An answer as it goes over the wire. */
interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: { [name: string]: string | number | boolean | string[] };
  readonly [name: string]: unknown;
}

interface Asker {
  readonly ask: Ask;
  readonly deadline: Pick<Deadline, "hold" | "reset">;
}

/** The requests in flight whose user can be asked. A question does not say which of them it is about: the latest asks. */
export class Askers {
  readonly #askers = new Set<Asker>();

  /** @returns how to end that. */
  listen(ask: Ask | undefined, deadline: Asker["deadline"]): () => void {
    if (ask === undefined) return () => {};
    const asker = { ask, deadline };
    this.#askers.add(asker);
    return () => this.#askers.delete(asker);
  }

  /**
   * Asks the user. Without a request that can, the question is dismissed; that of a task stays open, since its follower answers it.
   *
   * @throws an error that the server takes for an answer that does not come.
   */
  async ask({ message, requestedSchema, _meta }: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> {
    if (isJsonObject(_meta) && _meta[metaKeys.question] !== undefined)
      throw new Error("This client answers the questions of tasks by answer_task.");
    const asker = [...this.#askers].at(-1);
    // A form is all that was declared.
    if (asker === undefined || requestedSchema === undefined) return { action: "cancel" };
    asker.deadline.hold();
    try {
      const question = { key: "question", message, schema: toJsonObject(requestedSchema), userOnly: true };
      const answer = await asker.ask(question, signal);
      return answer.action === "accept" ? { action: "accept", content: contentOf(answer.content) } : { ...answer };
    } finally {
      asker.deadline.reset();
    }
  }
}

function contentOf(content: JsonObject): NonNullable<ElicitationAnswer["content"]> {
  // The schema of a form allows nothing else, and its server checks it.
  return content as NonNullable<ElicitationAnswer["content"]>;
}
