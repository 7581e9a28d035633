import type { ServerResponse } from "node:http";
import type { HttpAnswer, TakenText, TextSource } from "./http-answer.js";

/** Sends an answer by Node. Resolves when its last byte was handed on, or its reader left. */
export async function sendAnswer(answer: HttpAnswer, outgoing: ServerResponse): Promise<void> {
  const { status, headers, body, onSent } = answer;
  // No event says that a reader left before, and what is written would reach no one.
  if (outgoing.destroyed) return typeof body === "object" ? body.cancel() : undefined;
  if (typeof body === "object") return sendSource(answer, body, outgoing);
  outgoing.writeHead(status, body === undefined ? headers : withLength(headers, body));
  end(outgoing, { text: body ?? "", onSent });
}

/** The length lets head and body go out as one, and tells the client where the answer ends. */
function withLength(headers: Record<string, string>, text: string | Uint8Array) {
  return { ...headers, "content-length": Buffer.byteLength(text) };
}

function end(outgoing: ServerResponse, { text, onSent }: TakenText): void {
  if (onSent !== undefined) outgoing.write(text, whenAccepted(outgoing, onSent));
  outgoing.end(onSent === undefined ? text : undefined);
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
function sendSource({ status, headers }: HttpAnswer, source: TextSource, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWaiting = false;
    const leave = () => {
      source.cancel();
      resolve();
    };
    const flush = () => {
      isWaiting = false;
      if (outgoing.destroyed) return leave();
      try {
        const taken = source.take(chunkBytes);
        const { text, onSent } = taken;
        const { ended } = source;
        if (!outgoing.headersSent) {
          outgoing.writeHead(status, ended ? withLength(headers, text) : headers);
          if (text.length === 0) outgoing.flushHeaders();
        }
        if (ended) return end(outgoing, taken);
        if (text.length === 0) return;
        if (outgoing.write(text, onSent && whenAccepted(outgoing, onSent))) return afterTurn();
        isWaiting = true;
        outgoing.once("drain", flush);
      } catch (error) {
        source.cancel();
        reject(error);
      }
    };
    const afterTurn = () => {
      if (!isWaiting) setImmediate(flush);
      isWaiting = true;
    };
    source.follow(afterTurn);
    outgoing.once("close", leave);
    afterTurn();
  });
}
