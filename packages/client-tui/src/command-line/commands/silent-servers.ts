import { type Client, isClientError, type ServerFilter, type TaskInfo } from "@resumable-mcp/client";
import { serverLabelAt } from "../../display/server-label.js";
import { errorMessage } from "../../json.js";
import { rememberedTask } from "../../model/board-task.js";
import { exitCodeOfError, exitCodes } from "../exit-code.js";
import type { Output } from "../output.js";

/** A task of a list: as its server says it is, or as the client last saw it. */
export type ListedTask = TaskInfo & { readonly remembered?: true };

/** The servers that fail while others answer: what a command says of them. */
export interface SilentServers {
  readonly onFailed: NonNullable<ServerFilter["onFailed"]>;
  readonly servers: readonly string[];
  /** For programs: the same; absent where all answer. */
  readonly json: { readonly silent_servers?: readonly string[] };
  /** Says what follows of each, and returns the exit code of the command. */
  report(output: Output, consequence: (server: string) => string): number;
}

/** Collects the servers that fail. Of a server without our tasks nothing is expected. */
export function silentServers(client: Pick<Client, "servers">): SilentServers {
  const failed: (readonly [server: string, error: unknown])[] = [];
  return {
    onFailed(server, error) {
      if (!isClientError(error) || error.code !== "NOT_RESUMABLE") failed.push([server, error]);
    },
    get servers() {
      return failed.map(([server]) => server);
    },
    get json() {
      return failed.length === 0 ? {} : { silent_servers: failed.map(([server]) => server) };
    },
    report(output, consequence) {
      for (const [server, error] of failed) {
        const isAway = exitCodeOfError(error) === exitCodes.unreachable;
        const label = serverLabelAt(server, client.servers());
        const problem = isAway ? `${label} does not answer` : `${label} fails (${errorMessage(error)})`;
        output.note(`${problem}: ${consequence(server)}`);
      }
      const [first] = failed;
      return first === undefined ? exitCodes.ok : exitCodeOfError(first[1]);
    },
  };
}

/** What the client remembers of the unfinished tasks of a server. */
export function rememberedTasks(client: Pick<Client, "summary">, server: string, tool?: string): readonly ListedTask[] {
  const known = client.summary().activeTasks.filter(({ server_url }) => server_url === server);
  const named = known.filter(({ task_name }) => tool === undefined || task_name === tool);
  return named.map((task) => ({ ...rememberedTask(task).info, remembered: true }));
}
