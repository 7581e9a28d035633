import { setTimeout as pause } from "node:timers/promises";
import { decodeFailure, decodeInterim, type InterimResult } from "@resumable-mcp/protocol";
import { jobToolName, wordFor } from "../job.js";
import { type ClientCall, type ClientOrder, isPassing, type MakeCall } from "./call.js";
import { createLink, followWait, type Link, readItems } from "./link.js";

/** Starts tasks, waits for them and answers by the control tools, with the SDK's client of the 2025 era. */
export function openControl({ url, clientId }: ClientOrder): MakeCall {
  const { signal } = new AbortController();
  return async (call) => {
    const link = createLink({ url: () => new URL(url), clientId, signal });
    try {
      for (let { task } = call, isOver = false; !isOver; ) ({ task, isOver } = await callOnce(link, call, task));
    } finally {
      await link.close();
    }
  };
}

/** Waits for a task that is known, or calls; only the call itself continues a task that failed. */
async function callOnce(
  link: Link,
  call: ClientCall,
  known: string | undefined,
): Promise<{ readonly task: string; readonly isOver: boolean }> {
  const task = known !== undefined && call.random.next() < 0.5 ? known : await start(link, call);
  call.note("called", { task });
  const follow = followWait(link, task, (kind, facts) => call.note(kind, { task, ...facts }));
  for (;;) {
    const { isError, structuredContent } = await follow.wait();
    const interim = decodeInterim(structuredContent);
    if (interim !== undefined) {
      await Promise.all(interim.questions.map((question) => answerTwice(link, call, task, question)));
      continue;
    }
    const code = decodeFailure(structuredContent)?.code;
    if (isPassing(code)) {
      call.note("client_continues", { task, code });
      await pause(100);
      return { task, isOver: false };
    }
    const items = await readItems(link, task, (kind, facts) => call.note(kind, { task, ...facts }));
    const status = isError === true ? "failed" : "completed";
    call.note("result", {
      task,
      status,
      code,
      shown: follow.shown(),
      items,
      output: JSON.stringify(structuredContent),
    });
    call.note("client_result", { task, status, code });
    return { task, isOver: true };
  }
}

function start(link: Link, call: ClientCall): Promise<string> {
  call.note("client_sends");
  return link.start(jobToolName, call.job);
}

/** Sends two answers at once, to two replicas: one of them is accepted. */
async function answerTwice(
  link: Link,
  call: ClientCall,
  task: string,
  { key, message }: InterimResult["questions"][number],
): Promise<void> {
  const send = async (word: string): Promise<void> => {
    const given = await link.call("answer_task", { task_id: task, key, action: "accept", content: { word } });
    if (given.isError !== true) call.note("answer_accepted", { task, key, word });
    else call.note("answer_refused", { task, key, reason: decodeFailure(given.structuredContent)?.code });
  };
  await Promise.all([send(wordFor(message)), send(`${wordFor(message)} again`)]);
}
