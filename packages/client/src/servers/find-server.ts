import type { ServerFilter } from "../client.js";
import { ClientError, isClientError } from "../client-error.js";
import { serverAddress } from "../server-config.js";
import type { StateFile } from "../state/state-file.js";
import type { RemoteServer } from "./remote-server.js";

interface Known {
  readonly servers: readonly RemoteServer[];
  readonly stateFile: StateFile;
}

/** Finds a server by its address or by the name that its user gave it. */
export function serverAt({ servers, stateFile }: Known, address: string): RemoteServer {
  const normal = serverAddress({ url: address });
  const named = Object.values(stateFile.state.servers).find(({ name }) => name === address)?.server_url;
  const server = servers.find((entry) => [address, normal, named].includes(entry.address));
  if (server !== undefined) return server;
  const known = servers.map((entry) => entry.address).join(", ") || "none";
  throw new ClientError("UNKNOWN_SERVER", `There is no server ${normal}. Known servers: ${known}.`);
}

/** Finds the server of a task: by the given address, by the state file, or by asking each of them. */
export async function findServer(context: Known, taskId: string, address?: string): Promise<RemoteServer> {
  if (address !== undefined) return serverAt(context, address);
  const [only, ...others] = context.servers;
  if (only !== undefined && others.length === 0) return only;
  const { active_tasks, completed_tasks } = context.stateFile.state;
  const remembered = active_tasks[taskId] ?? completed_tasks.find((task) => task.task_id === taskId);
  const server = context.servers.find((entry) => entry.address === remembered?.server_url);
  return server ?? askEach(context.servers, taskId);
}

async function askEach(servers: readonly RemoteServer[], taskId: string): Promise<RemoteServer> {
  const answers = await Promise.all(
    servers.map(async (server) => {
      try {
        await server.control("get_task", { task_id: taskId });
        return server;
      } catch (error) {
        return isClientError(error) && error.code === "TASK_NOT_FOUND" ? undefined : { error };
      }
    }),
  );
  const failures = answers.flatMap((answer) => (answer !== undefined && "error" in answer ? [answer.error] : []));
  for (const answer of answers) if (answer !== undefined && "control" in answer) return answer;
  // The task may well be on the server that did not answer.
  if (failures.length > 0) throw failures[0];
  throw new ClientError("TASK_NOT_FOUND", `No server knows a task ${taskId}. \`tasks\` lists yours.`);
}

/** Asks all servers at once; fails only when none of them answers, else tells which do not. */
export async function fromEach<T>(
  servers: readonly RemoteServer[],
  ask: (server: RemoteServer) => Promise<T>,
  onFailed: ServerFilter["onFailed"] = () => {},
): Promise<readonly T[]> {
  const answers = await Promise.allSettled(servers.map(ask));
  const values = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const failure = answers.find((answer) => answer.status === "rejected");
  if (values.length === 0 && failure !== undefined) throw failure.reason;
  for (const [index, { address }] of servers.entries()) {
    const answer = answers[index];
    if (answer?.status === "rejected") onFailed(address, answer.reason);
  }
  return values;
}
