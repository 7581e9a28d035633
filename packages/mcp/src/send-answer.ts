import type { ServerResponse } from "node:http";
import type { HttpAnswer, TextSource } from "./http-answer.js";

/** Sends an answer by Node. Resolves when its last byte was handed on, or its reader is gone. */
export async function sendAnswer(answer: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  const { body, status, headers } = answer;
  // A reader that left before is told of by nothing any more, and whoever writes would write for nobody.
  if (outgoing.destroyed) await cancel(body);
  else if (body === undefined) outgoing.writeHead(status, headers).end();
  else if (typeof body === "string") sendWhole(answer, body, outgoing);
  else if (body instanceof ReadableStream) {
    outgoing.writeHead(status, headers).flushHeaders();
    await pump(body, outgoing);
  } else await sendSource(answer, body, outgoing);
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
  return new Promise((resolve) => {
    let isWaiting = true;
    const flush = () => {
      isWaiting = false;
      if (outgoing.destroyed || outgoing.writableEnded) return;
      const text = source.take(chunkBytes);
      if (source.ended) return finish(answer, text, outgoing);
      const isFirst = !outgoing.headersSent;
      if (isFirst) outgoing.writeHead(answer.status, answer.headers);
      if (text === "") {
        if (isFirst) outgoing.flushHeaders();
        return;
      }
      isWaiting = true;
      if (outgoing.write(text)) setImmediate(flush);
      else outgoing.once("drain", flush);
    };
    source.follow(() => {
      if (isWaiting) return;
      isWaiting = true;
      setImmediate(flush);
    });
    outgoing.once("finish", resolve);
    outgoing.once("close", () => {
      source.cancel();
      resolve();
    });
    setImmediate(flush);
  });
}

function finish(answer: HttpAnswer, text: string, outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.end(text);
  else sendWhole(answer, text, outgoing);
}

async function pump(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    corkTurn(outgoing);
    if (!outgoing.write(value)) await drained(outgoing);
  }
  outgoing.end();
}

function corkTurn(outgoing: ServerResponse): void {
  if (outgoing.writableCorked > 0) return;
  outgoing.cork();
  setImmediate(() => {
    // The end of the answer has uncorked it already.
    if (!outgoing.writableEnded) outgoing.uncork();
  });
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
