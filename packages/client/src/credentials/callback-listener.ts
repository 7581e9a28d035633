import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ClientError } from "../client-error.js";

const path = "/callback";

/** What the authorization server sent the browser back with. */
export type CallbackAnswer = ({ readonly code: string } | { readonly error: string }) & {
  /** Who says that it sent it. Source: RFC 9207. */
  readonly iss: string | undefined;
};

/** Waits on this machine for the browser to come back from the authorization server. */
export interface CallbackListener {
  /** Where the authorization server is to send the browser. */
  readonly redirectUrl: string;
  /** Resolves to what the authorization server answered. */
  readonly answer: Promise<CallbackAnswer>;
  /** Takes the address that the browser was sent to, where it could not reach this machine; tells whether it was ours. */
  receive(address: string): boolean;
  close(): void;
}

/**
 * Listens on 127.0.0.1 for one answer that carries the state; anything else is turned away and changes nothing.
 *
 * Source: RFC 8252, section 7.3.
 */
export async function listenForCallback(state: string, port = 0): Promise<CallbackListener> {
  const server = createServer({ requestTimeout: 10_000 });
  let resolveAnswer: ((answer: CallbackAnswer) => void) | undefined;
  const answer = new Promise<CallbackAnswer>((resolve) => {
    resolveAnswer = resolve;
  });
  await listen(server, port);
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const receive = (address: string) => {
    const given = readAnswer(address, redirectUrl, state);
    if (given !== undefined) resolveAnswer?.(given);
    return given !== undefined;
  };
  server.on("request", (request: IncomingMessage, response) => {
    // Any program may send any request here, also one whose path is not a valid URL.
    const { method, url: asked = "/" } = request;
    const address = URL.canParse(asked, redirectUrl) ? new URL(asked, redirectUrl).href : "";
    const ours = method === "GET" && receive(address);
    response.writeHead(ours ? 200 : 400, { "content-type": "text/plain", "cache-control": "no-store" });
    response.end(
      ours ? "Done. You can close this window and go back to the terminal.\n" : "No sign-in waits for this address.\n",
    );
  });
  return {
    redirectUrl,
    answer,
    receive,
    close() {
      server.close();
      // A browser keeps its connection open for a while.
      server.closeIdleConnections();
    },
  };
}

function readAnswer(address: string, redirectUrl: string, state: string): CallbackAnswer | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, searchParams } = new URL(address);
  if (`${origin}${pathname}` !== redirectUrl || !isSame(searchParams.get("state") ?? "", state)) return undefined;
  const code = searchParams.get("code");
  const iss = searchParams.get("iss") ?? undefined;
  return code === null ? { error: searchParams.get("error") ?? "no code came", iss } : { code, iss };
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new ClientError(
          "SIGN_IN_FAILED",
          `The port 127.0.0.1:${port}, to which the browser returns, cannot be opened (${error.message}). Name another port.`,
          {
            cause: error,
          },
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}
