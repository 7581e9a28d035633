import type { RequestTaskStore } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, GetTaskResult } from "@modelcontextprotocol/sdk/types.js";

/** What a handler of tasks is given by the SDK: the part that is used here. */
export interface TaskHandlerExtra {
  readonly taskStore: Pick<RequestTaskStore, "createTask" | "getTask" | "getTaskResult">;
}

/**
 * Handles a tool whose tasks `createTaskStore` keeps, for the SDK's `registerToolTask`: it leaves everything to the store.
 *
 * Source: MCP 2025-11-25, Tasks.
 * @example
 * server.experimental.tasks.registerToolTask("count_to", { inputSchema: { n: z.number() } }, taskHandler);
 */
export const taskHandler = {
  async createTask(_input: unknown, { taskStore }: TaskHandlerExtra) {
    return { task: await taskStore.createTask({}) };
  },
  getTask(_input: unknown, { taskStore, taskId }: TaskHandlerExtra & { taskId: string }): Promise<GetTaskResult> {
    return taskStore.getTask(taskId);
  },
  async getTaskResult(_input: unknown, { taskStore, taskId }: TaskHandlerExtra & { taskId: string }) {
    // The store gives what the tool was answered with; the SDK's type for it covers the results of any method.
    return (await taskStore.getTaskResult(taskId)) as CallToolResult;
  },
};
