import { connect, type Socket } from "node:net";

/** One connection to a server, for one request at a time. */
export interface HttpSocket {
  /** Sends a request with a JSON body, and resolves to the whole text of its response, head included. */
  post(message: object, headers: Readonly<Record<string, string>>): Promise<string>;
}

/** The end of what a response holds: a length, chunks, or nothing. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return Buffer.byteLength(text) - headEnd - 4 >= Number(length);
  return head.includes("\r\ntransfer-encoding: chunked") ? text.endsWith("\r\n0\r\n\r\n") : true;
}

/**
 * Makes a client that does nothing but what a measure needs: one of Node costs more than the server that it calls, so that
 * two servers would look alike. It connects again when the server has closed an idle connection.
 */
export function openSocket(url: string): HttpSocket {
  const { hostname, port, pathname, host } = new URL(url);
  let socket: Socket | undefined;
  let text = "";
  let finish: (answer: { readonly text: string } | { readonly error: unknown }) => void = () => {};
  const open = (): Socket => {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    opened.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (isWhole(text)) finish({ text });
    });
    opened.on("error", (error) => finish({ error }));
    opened.on("close", () => {
      socket = undefined;
      finish({ error: new Error(`The server closed the connection after: ${text}`) });
    });
    return opened;
  };
  return {
    async post(message, headers) {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      const fields = {
        host,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": String(Buffer.byteLength(body)),
        ...headers,
      };
      const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      text = "";
      const answered = new Promise<string>((resolve, reject) => {
        finish = (answer) => ("text" in answer ? resolve(answer.text) : reject(answer.error));
      });
      socket ??= open();
      socket.write(`POST ${pathname} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
      return answered;
    },
  };
}
