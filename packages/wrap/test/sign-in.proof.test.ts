import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openClient } from "@resumable-mcp/client";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../../client-tui/test/authorization-server.js";
import { startHttpGateway } from "./kill-storm.js";
import { openWrapped } from "./open-wrapped.js";

let authorization: AuthorizationServer;
let url: string;
/** The headers of the requests that reached the server. */
const reached: (string | undefined)[] = [];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "wrap-sign-in-"));
  process.env.XDG_STATE_HOME = folder;
  authorization = await startAuthorizationServer();
  const { child, url: behind } = await startHttpGateway([
    fileURLToPath(new URL("sdk-2026-server.js", import.meta.url)),
    "http",
  ]);
  const door = createServer((request, response) => {
    const { method, headers, url: path = "" } = request;
    if (path.startsWith("/.well-known/oauth-protected-resource"))
      return void response.end(JSON.stringify({ resource: url, authorization_servers: [authorization.url] }));
    if (authorization.verify(String(headers.authorization).replace("Bearer ", "")) === undefined)
      return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    reached.push(headers.authorization);
    const { host: _host, ...rest } = headers;
    request.pipe(
      forward(behind, { method, headers: rest }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }).on("error", () => response.destroy()),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
  onTestFinished(async () => {
    door.closeAllConnections();
    door.close();
    child.kill();
    await authorization.close();
    await rm(folder, { recursive: true });
  });
});

/** As `resumable-mcp servers add URL --oauth` does, with a user who says yes. */
async function signIn(): Promise<void> {
  const client = await openClient({ servers: [{ url }] });
  await client.signIn(url, { onPage: (page) => void fetch(page) });
  await client.close();
}

it("a server that wants its users to sign in is called with the sign-in of this machine's user, renewed when it has run out", async () => {
  await signIn();
  const { tasks } = await openWrapped({ url });
  const echo = async (text: string) => {
    const { record } = await tasks.start({ tool: "echo", input: { text } });
    return JSON.stringify((await tasks.wait(record.id)).record.output);
  };
  expect(await echo("first")).toContain("first");
  authorization.expireAccessTokens();
  expect(await echo("second")).toContain("second");
  expect([authorization.refreshed, new Set(reached).size]).toEqual([1, 2]);
});

it("a call of a server whose sign-in has ended waits, and is made after the next sign-in", async () => {
  await signIn();
  const { tasks } = await openWrapped({ url });
  const before = reached.length;
  authorization.revokeAll();
  const { record } = await tasks.start({ tool: "echo", input: { text: "lost" } });
  await expect.poll(async () => (await tasks.get(record.id)).record.message).toBe("waits for its server");
  expect(reached).toHaveLength(before);
  await signIn();
  expect(JSON.stringify((await tasks.wait(record.id)).record.output)).toContain("lost");
});

it("a server without a sign-in says how to sign in", async () => {
  const notes: string[] = [];
  await openWrapped({ url, onNote: (sentence) => notes.push(sentence) });
  expect(notes.join()).toContain(`resumable-mcp servers add ${url} --oauth`);
});
