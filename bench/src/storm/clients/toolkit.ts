import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, type ClientEvent, isClientError, openClient, type TaskResult } from "@resumable-mcp/client";
import { decodeFailure } from "@resumable-mcp/protocol";
import { jobToolName, wordFor } from "../job.js";
import { type ClientCall, type ClientOrder, isPassing, type MakeCall } from "./call.js";

/** Calls with the toolkit's own client and its state file, as the terminal programs do. */
export async function openToolkit({ url, clientId, folder }: ClientOrder): Promise<MakeCall> {
  const importFrom = join(folder, "session_state.json");
  await writeFile(importFrom, JSON.stringify({ client_id: clientId }));
  const client = await openClient({ servers: [{ url }], stateFile: join(folder, "state.json"), importFrom });
  return (call) => callUntilDone(client, call);
}

async function callUntilDone(client: Client, call: ClientCall): Promise<void> {
  for (let { task } = call; ; ) {
    try {
      const known = task;
      // A call whose answer is lost may have begun another task, which only a call finds.
      task = undefined;
      const { taskId, events, result } = await takeUp(client, call, known);
      task = taskId;
      for await (const event of events) if (taskId !== undefined) show(client, call, taskId, event);
      const { status, structuredContent } = await result();
      const code = decodeFailure(structuredContent)?.code;
      if (taskId === undefined || isPassing(code)) {
        call.note("client_continues", { task, code });
        task = undefined;
        await pause(200);
        continue;
      }
      let items = 0;
      for await (const item of client.task(taskId).items()) {
        if (item !== items) call.note("item_read", { task, place: items, item: JSON.stringify(item) });
        items += 1;
      }
      call.note("result", { task, status, code, output: JSON.stringify(structuredContent), items });
      return call.note("client_result", { task, status, code });
    } catch (error) {
      const { code, reason } = isClientError(error) ? error : { code: "none", reason: undefined };
      call.note("client_error", { task, code, reason, message: String(error) });
      await pause(500);
    }
  }
}

interface Followed {
  /** Absent where the server answered at once that it can make no task. */
  readonly taskId: string | undefined;
  readonly events: AsyncIterable<ClientEvent>;
  readonly result: () => Promise<TaskResult>;
}

/** Follows the task that an earlier process knew by its id, or makes the call, which also joins it. */
async function takeUp(client: Client, call: ClientCall, known: string | undefined): Promise<Followed> {
  if (known !== undefined && call.random.next() < 0.5) {
    const task = client.task(known);
    // From here on it has reached its server.
    await task.info();
    call.note("client_follows", { task: known });
    return { taskId: known, events: task.follow(), result: () => task.result() };
  }
  call.note("client_sends");
  const made = await client.call(jobToolName, call.job, { detached: call.random.next() < 0.5 });
  const { taskId, joined } = made;
  if (taskId !== undefined) call.note("called", { task: taskId });
  call.note("client_called", { task: taskId, joined });
  return { taskId, events: made.events(), result: () => made.result() };
}

function show(client: Client, call: ClientCall, task: string, event: ClientEvent): void {
  if (event.type === "progress") {
    const { seq, progress, snapshot, restarted } = event;
    call.note("client_shows", { task, seq, progress, snapshot, restarted });
  } else if (event.type === "question") void answer(client, call, task, event.question);
}

async function answer(
  client: Client,
  call: ClientCall,
  task: string,
  { key, message }: { readonly key: string; readonly message: string },
): Promise<void> {
  const word = wordFor(message);
  for (;;) {
    try {
      await client.task(task).answer(key, { action: "accept", content: { word } });
      return call.note("answer_accepted", { task, key, word });
    } catch (error) {
      const reason = isClientError(error) ? (error.reason ?? error.code) : String(error);
      // An answer whose response was lost is sent again.
      if (reason === "ALREADY_ANSWERED") return;
      call.note("answer_refused", { task, key, reason });
      await pause(500);
    }
  }
}
