import { createPrivateKey } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";

/** Servers that are not what one wants to talk to, by what is wrong with them. */
export interface OddServers {
  readonly webPage: string;
  readonly noHttp: string;
  readonly selfSigned: string;
  readonly noTls: string;
  readonly unknownProtocol: string;
  /** Takes every request and never answers; `asked` resolves at the next one. */
  readonly silent: { readonly url: string; asked(): Promise<void> };
  close(): Promise<void>;
}

// A key and its certificate for 127.0.0.1, made with openssl for these tests; both are worth nothing elsewhere.
const key =
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgW8/JjAoL/Vy5fsblX2OKnNxNmbefw6AQtVg77ilvs0qhRANCAARTE1+FYdaEjkFxbIvHZtBtOjs4SdrYqzwBivMOkrYcXc9euYILYFkPJFT8NSduqeIoGJhuDfoX1Kz2qXvkYaoz";
const certificate =
  "MIIBnDCCAUGgAwIBAgIUagONtmBkdbhy2fyNt1+h6qoVDAYwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzMTI0OFoYDzIxMjYxMDI4MTMxMjQ4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARTE1+FYdaEjkFxbIvHZtBtOjs4SdrYqzwBivMOkrYcXc9euYILYFkPJFT8NSduqeIoGJhuDfoX1Kz2qXvkYaozo28wbTAdBgNVHQ4EFgQUow+q9+UG2XNQTWL2zeB0bhwfmJUwHwYDVR0jBBgwFoAUow+q9+UG2XNQTWL2zeB0bhwfmJUwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhALuM4lODWYdvo2Yp6/JXmiufDsjQjb1x44mwoRmZm5q3AiEApbTDtdthCEKCcgfN+87IcJv0wesueQV605e/eF862rI=";

/** Starts one of each kind. */
export async function startOddServers(): Promise<OddServers> {
  const servers: Server[] = [];
  const listen = async (server: Server) => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  const page = createHttpServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
  });
  const waiting = new Set<() => void>();
  const silent = createHttpServer((request) => {
    request.resume();
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const plain = await listen(page);
  const tls = createHttpsServer({ key: pem(key), cert: pemOf("CERTIFICATE", certificate) });
  return {
    webPage: `http://${plain}`,
    noTls: `https://${plain}`,
    noHttp: `http://${await listen(createTcpServer((socket) => socket.on("error", () => {}).write("220 mail\r\n")))}`,
    selfSigned: `https://${await listen(tls)}`,
    unknownProtocol: `http://${await listen(createHttpServer(answerFromTheFuture))}`,
    silent: { url: `http://${await listen(silent)}`, asked: () => new Promise((resolve) => waiting.add(resolve)) },
    async close() {
      for (const server of servers) {
        if ("closeAllConnections" in server && typeof server.closeAllConnections === "function")
          server.closeAllConnections();
        server.close();
      }
    },
  };
}

const answerFromTheFuture: Parameters<typeof createHttpServer>[1] = async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const result = { protocolVersion: "2099-01-01", capabilities: {}, serverInfo: { name: "future", version: "1" } };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result }));
};

function pem(der: string): string | Buffer {
  const privateKey = createPrivateKey({ key: Buffer.from(der, "base64"), format: "der", type: "pkcs8" });
  return privateKey.export({ format: "pem", type: "pkcs8" });
}

function pemOf(label: string, der: string): string {
  return `-----BEGIN ${label}-----\n${der.replaceAll(/(.{64})/g, "$1\n")}\n-----END ${label}-----\n`;
}
