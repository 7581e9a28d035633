import { ConnectionClient, type ToolKinds } from "@resumable-mcp/mcp";
import type { PendingRequest } from "./in-flight-request.js";

/**
 * Attributes the host's requests to their clients in the order of arrival. A call whose client depends on its tool
 * waits until the tools are known, and every request behind it does.
 */
export class Arrivals {
  readonly #client = new ConnectionClient();
  #waiting = false;

  /** Some request waits until the tools are known. */
  get waiting(): boolean {
    return this.#waiting;
  }

  /** Attributes what can be; gives it in the order of arrival. */
  attribute(pending: Iterable<PendingRequest>, kinds: ToolKinds | undefined): PendingRequest[] {
    const attributed: PendingRequest[] = [];
    this.#waiting = false;
    for (const one of pending) {
      if (one.attributed) continue;
      this.#waiting = kinds === undefined && this.#client.needsTools(one.request);
      if (this.#waiting) break;
      const takesArgument = one.tool !== undefined && kinds?.get(one.tool)?.takesClientId === true;
      one.attribute(this.#client.attribute(one.request, takesArgument));
      attributed.push(one);
    }
    return attributed;
  }
}
