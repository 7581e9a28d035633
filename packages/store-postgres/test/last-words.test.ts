import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresStore } from "../src/index.js";

/** A message of the server: its kind, its length with that of the length, its content. */
function message(kind: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.byteLength + 4);
  return Buffer.concat([Buffer.from(kind), length, content]);
}

/** It accepts a connection, and its main process is killed at once: all it says arrives in one piece. */
const lastWords = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0")),
]);

test("G12 a server that dies in the moment in which it accepts a connection ends no process", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(lastWords));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A server on TCP has a port.");
  const store = createPostgresStore({ connectionString: `postgres://user@127.0.0.1:${address.port}/database` });
  onTestFinished(() => store.close());
  await expect(store.open()).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_(READ|WRITE)_FAILED$/) });
});
