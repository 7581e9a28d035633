import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";

export const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;

/** A message as it came. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  /** The signature is that of another implementation. */
  readonly isSigned: boolean;
  readonly signatures: string;
}

/** A receiver of webhooks on a free port, until the test is over. */
export async function startReceiver(answer: (response: ServerResponse, nth: number) => void = accept) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures } = request.headers;
    const timestamp = Number(seconds);
    const signature = new Webhook(secret).sign(String(id), new Date(timestamp * 1_000), body);
    const isSigned = String(signatures).split(" ").includes(signature);
    received.push({ id: String(id), timestamp, body, isSigned, signatures: String(signatures) });
    answer(response, received.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`), received, stop };
}

/** Answers as a receiver does that has taken a message. */
export function accept(response: ServerResponse): void {
  response.writeHead(204).end();
}
