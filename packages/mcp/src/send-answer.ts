import type { ServerResponse } from "node:http";
import type { HttpAnswer, TextSource } from "./http-answer.js";

/** Sends an answer by Node. Resolves when its last byte was handed on, or its reader is gone. */
export async function sendAnswer(answer: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  const { body, status, headers } = answer;
  // A reader that left before is told of by nothing any more, and whoever writes would write for nobody.
  if (outgoing.destroyed) await cancel(body);
  else if (body === undefined) outgoing.writeHead(status, headers).end();
  else if (typeof body === "string") sendWhole(answer, body, outgoing);
  else if (body instanceof ReadableStream) await pump(answer, body, outgoing);
  else await sendSource(answer, body, outgoing);
}

async function cancel(body: HttpAnswer["body"]): Promise<void> {
  if (typeof body === "object") await body.cancel();
}

/** The length lets head and body go out as one. */
function sendWhole({ status, headers }: HttpAnswer, text: string, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
}

/** Handed to the connection at a time, at least, where there is more. */
const chunkBytes = 64 * 1024;

/**
 * What is written in one turn of the event loop goes out in one packet: most answers are there at once. Clients wait for
 * the head of a stream before its first event may come, so it goes with the first turn.
 */
function sendSource(answer: HttpAnswer, source: TextSource, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWaiting = false;
    const leave = () => {
      source.cancel();
      resolve();
    };
    const flush = () => {
      isWaiting = false;
      if (outgoing.destroyed) return leave();
      const text = source.take(chunkBytes);
      if (source.ended) return finish(answer, text, outgoing);
      const isFirst = !outgoing.headersSent;
      if (isFirst) outgoing.writeHead(answer.status, answer.headers);
      if (text === "") {
        if (isFirst) outgoing.flushHeaders();
      } else if (outgoing.write(text)) afterTurn();
      else {
        isWaiting = true;
        outgoing.once("drain", flush);
      }
    };
    const afterTurn = () => {
      if (isWaiting) return;
      isWaiting = true;
      setImmediate(() => {
        try {
          flush();
        } catch (error) {
          source.cancel();
          reject(error);
        }
      });
    };
    source.follow(afterTurn);
    outgoing.once("close", leave);
    afterTurn();
  });
}

function finish(answer: HttpAnswer, text: string, outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.end(text);
  else sendWhole(answer, text, outgoing);
}

/** Here, too, the head waits for what comes in the same turn. */
async function pump(
  { status, headers }: HttpAnswer,
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  const reader = body.getReader();
  const leave = () => reader.cancel().catch(() => {});
  outgoing.once("close", leave);
  outgoing.writeHead(status, headers);
  const head = setImmediate(() => outgoing.flushHeaders());
  while (!outgoing.destroyed) {
    const { done, value } = await reader.read();
    clearImmediate(head);
    if (done) return void outgoing.end();
    if (!outgoing.destroyed && !outgoing.write(value)) await drained(outgoing);
  }
  await leave();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}
