import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryStore } from "@resumable-mcp/core";
import { type RunningServer, serve } from "@resumable-mcp/server-http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "./authorization-server.js";
import countingTools from "./counting-tools.mjs";
import { freePort, killAll, runWith, startCliWith, startInTerminalWith } from "./processes.js";

const agreeing = { BROWSER: fileURLToPath(new URL("./agreeing-browser.mjs", import.meta.url)) };
/** A browser that is not there: the page's address is all that the user has. */
const noBrowser = { BROWSER: "/nonexistent/browser" };

let folder: string;
let authorization: AuthorizationServer;
let server: RunningServer;
let state: readonly string[];
let credentialsFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign-in-"));
  state = ["--state", join(folder, "state.json")];
  credentialsFile = join(folder, "state.credentials.json");
  authorization = await startAuthorizationServer();
  server = await serve({
    definition: { name: "counting", version: "1.0.0", tools: countingTools },
    store: createMemoryStore(),
    port: await freePort(),
    verifyToken: (token) => authorization.verify(token),
    authorizationServers: [authorization.url],
  });
});

afterEach(async () => {
  await killAll();
  await server.close();
  await authorization.close();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

const signIn = () => runWith(agreeing, "servers", "add", server.url, "--name", "work", "--oauth", ...state);
const count = () => runWith({}, "call", "count", "to=2", "delay_ms=0", "--new", ...state);

describe("a server that wants its users to sign in", () => {
  it("is used after the browser came back, and its tokens are for this user's eyes only", async () => {
    const added = await signIn();
    expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("its tasks can be resumed")]);
    const called = await count();
    expect([called.code, JSON.parse(called.stdout)]).toEqual([0, { counted: 2 }]);
    const { servers } = JSON.parse(await readFile(credentialsFile, "utf8"));
    const { access_token } = servers[server.url].oauth.tokens;
    expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, "state.json"), "utf8")).not.toContain(access_token);
    expect(added.stdout + added.stderr + called.stderr).not.toContain(access_token);
  });

  it("gets a renewed token when the old one has run out, also from two processes at once", async () => {
    await signIn();
    authorization.expireAccessTokens();
    const codes = await Promise.all([count(), count()]).then((both) => both.map(({ code }) => code));
    expect([codes, authorization.refreshed]).toEqual([[0, 0], 1]);
  });

  it("says how to sign in again when the sign-in has ended", async () => {
    await signIn();
    authorization.revokeAll();
    const refused = await count();
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`servers login ${server.url}`)]);
    expect((await runWith(agreeing, "servers", "login", "work", ...state)).code).toBe(0);
    expect((await count()).code).toBe(0);
  });

  it("keeps the sign-in while the authorization server is away", async () => {
    await signIn();
    authorization.expireAccessTokens();
    const url = new URL(authorization.url);
    await authorization.close();
    const refused = await count();
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining("authorization server does not answer"),
    ]);
    const { servers } = JSON.parse(await readFile(credentialsFile, "utf8"));
    expect(servers[server.url].oauth.tokens).toHaveProperty("refresh_token");
    expect(url.hostname).toBe("127.0.0.1");
  });

  it("prints the page where no browser opens, and takes no answer but that to its own question", async () => {
    const program = startCliWith(noBrowser, "servers", "add", server.url, "--oauth", ...state);
    const [page = ""] = await program.seen(/^http\S+\/authorize\S+$/m);
    const returned = new URL(new URL(page).searchParams.get("redirect_uri") ?? "");
    returned.search = "?code=stolen&state=guessed";
    expect((await fetch(returned)).status).toBe(400);
    expect((await fetch(page)).status).toBe(200);
    expect(await program.ended).toBe(0);
  });

  it("takes the address that a browser on another machine ended at, typed in by hand", async () => {
    await runWith({}, "servers", "add", server.url, "--name", "work", ...state);
    const terminal = startInTerminalWith(noBrowser, "servers", "login", "work", ...state);
    const [page] = await terminal.seen(/http\S+\/authorize\S+/);
    await terminal.seen(/paste the address/);
    const { headers } = await fetch(page, { redirect: "manual" });
    await terminal.press("http://127.0.0.1/callback?code=1&state=guessed\r");
    await terminal.seen(/not the address of this sign-in/);
    await terminal.press(`${headers.get("location")}\r`);
    await terminal.seen(/Signed in to work/);
    expect(await terminal.ended).toBe(0);
    expect((await count()).code).toBe(0);
  });

  it("is distinguished from one that asks for no sign-in", async () => {
    const open = await serve({
      definition: { name: "open", version: "1.0.0", tools: countingTools },
      store: createMemoryStore(),
      port: await freePort(),
    });
    const login = await runWith(agreeing, "servers", "add", open.url, "--oauth", ...state);
    await open.close();
    expect([login.code, login.stderr]).toEqual([3, expect.stringContaining("needs no sign-in")]);
  });

  it("leaves the sign-in on Ctrl-C and is added all the same", async () => {
    const program = startCliWith(noBrowser, "servers", "add", server.url, "--name", "work", "--oauth", ...state);
    await program.seen(/^http\S+\/authorize\S+$/m);
    program.child.kill("SIGINT");
    expect(await program.ended).toBe(130);
    const listed = await runWith({}, "servers", "--json", ...state);
    expect(JSON.parse(listed.stdout).servers).toMatchObject([{ name: "work", ok: false }]);
  });
});
