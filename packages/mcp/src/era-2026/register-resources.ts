import { type Engine, isResumableError, type OwnedTasks } from "@resumable-mcp/core";
import { asRpcError } from "../call/rpc-error.js";
import { listTaskResources, readTaskResource, taskResources, taskTemplate } from "../control/task-resources.js";
import { type CallPolicy2026, ownerOf, readMeta } from "./call-2026.js";
import type { Context2026, Server2026 } from "./server-2026.js";

/** Offers an owner's tasks as resources. Source: MCP 2026-07-28, Server Features, Resources. */
export function registerResources(mcp: Server2026, engine: Engine, policy: CallPolicy2026): void {
  const tasksOf = (context: Context2026): OwnedTasks =>
    engine.forOwner(ownerOf(policy, context, readMeta(context).clientId));
  const list = async (context: Context2026) => {
    try {
      return await listTaskResources(tasksOf(context));
    } catch (error) {
      if (isResumableError(error, "NO_OWNER")) return { resources: [] };
      throw error;
    }
  };
  for (const { name, part, config } of taskResources) {
    const read = async (uri: URL, _variables: object, context: Context2026) => {
      try {
        return await readTaskResource(engine, tasksOf(context), uri.href);
      } catch (error) {
        throw asRpcError(error);
      }
    };
    const template = taskTemplate(part, part === "task" ? list : undefined);
    mcp.registerResource(name, template as never, config, read as never);
  }
  mcp.server.registerCapabilities({ resources: { subscribe: true } });
}
