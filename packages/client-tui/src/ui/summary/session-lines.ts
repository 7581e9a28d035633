import type { ClientSummary } from "@resumable-mcp/client";
import { activeLine, finishedLines } from "../../display/remembered-tasks.js";

/** The session screen: who this client is, and what it remembers. */
export function sessionLines(summary: ClientSummary): readonly string[] {
  const { clientId, stateFile, createdAt, servers, activeTasks, completedTasks } = summary;
  return [
    `client     ${clientId}`,
    `state file ${stateFile}`,
    `created    ${createdAt}`,
    ...servers.flatMap(({ address, sessionId }) => [`server     ${address}`, `  session  ${sessionId ?? "none"}`]),
    `active     ${activeTasks.length}`,
    ...activeTasks.map((task) => `  ${activeLine(task)}`),
    ...finishedLines(completedTasks),
  ];
}
