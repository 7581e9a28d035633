import type { ServerResponse } from "node:http";
import type { HttpAnswer, TakenText, TextSource } from "./http-answer.js";

/** Sends an answer by Node. Resolves when its last byte was handed on, or its reader left. */
export async function sendAnswer(answer: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  const { body, status, headers } = answer;
  // No event says that a reader left before, and what is written would reach no one.
  if (outgoing.destroyed) await cancel(body);
  else if (body === undefined) outgoing.writeHead(status, headers).end();
  else if (typeof body === "string") sendWhole(answer, { text: body, onSent: answer.onSent }, outgoing);
  else if (body instanceof ReadableStream) await pump(answer, body, outgoing);
  else await sendSource(answer, body, outgoing);
}

async function cancel(body: HttpAnswer["body"]): Promise<void> {
  if (typeof body === "object") await body.cancel();
}

/** The length lets head and body go out as one, and tells the client where the answer ends. */
function sendWhole({ status, headers }: HttpAnswer, { text, onSent }: TakenText, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  if (onSent === undefined) outgoing.end(text);
  else endTelling(outgoing, text, onSent);
}

function endTelling(outgoing: ServerResponse, text: string, onSent: () => void): void {
  outgoing.write(text, whenAccepted(outgoing, onSent));
  outgoing.end();
}

/** Calls when the kernel took the bytes of a connection that is still open: the client may have left before. */
function whenAccepted(outgoing: ServerResponse, onSent: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error == null && !outgoing.destroyed) onSent();
  };
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
      const taken = source.take(chunkBytes);
      if (source.ended) return finish(answer, taken, outgoing);
      const isFirst = !outgoing.headersSent;
      if (isFirst) outgoing.writeHead(answer.status, answer.headers);
      if (taken.text === "") {
        if (isFirst) outgoing.flushHeaders();
      } else if (write(taken, outgoing)) afterTurn();
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

function write({ text, onSent }: TakenText, outgoing: ServerResponse): boolean {
  return onSent === undefined ? outgoing.write(text) : outgoing.write(text, whenAccepted(outgoing, onSent));
}

function finish(answer: HttpAnswer, taken: TakenText, outgoing: ServerResponse): void {
  if (!outgoing.headersSent) sendWhole(answer, taken, outgoing);
  else if (taken.onSent === undefined) outgoing.end(taken.text);
  else endTelling(outgoing, taken.text, taken.onSent);
}

/** Here, too, the head waits for what comes in the same turn. */
async function pump(
  { status, headers, onSent = () => {} }: HttpAnswer,
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  const writer = tellingWriter(outgoing, onSent);
  const reader = body.getReader();
  const leave = () => reader.cancel().catch(() => {});
  outgoing.once("close", leave);
  outgoing.writeHead(status, headers);
  const head = setImmediate(() => outgoing.flushHeaders());
  while (!outgoing.destroyed) {
    const { done, value } = await reader.read();
    clearImmediate(head);
    if (done) return writer.end();
    if (!outgoing.destroyed && !writer.write(value)) await drained(outgoing);
  }
  await leave();
}

/** Calls when all that was written, and the end, was accepted. */
function tellingWriter(outgoing: ServerResponse, onSent: () => void) {
  let open = 1;
  const accepted = whenAccepted(outgoing, () => {
    open -= 1;
    if (open === 0) onSent();
  });
  return {
    write(chunk: Uint8Array): boolean {
      open += 1;
      return outgoing.write(chunk, accepted);
    },
    end(): void {
      outgoing.end();
      accepted();
    },
  };
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
