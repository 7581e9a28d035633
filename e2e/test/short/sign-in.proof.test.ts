import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../../src/server/panel-server.js";
import { connectClient } from "../../src/server/start-task.js";
import { prepareStage } from "../stage.js";

const stage = prepareStage();
const authorizationServer = fileURLToPath(
  new URL("../../../packages/server-http/test/authorization-server.js", import.meta.url),
);

/** A token of a subject, and its line for the file of tokens. */
async function newToken(subject: string): Promise<{ readonly token: string; readonly line: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, "serve", "http", "--new-token", subject]);
  const [, token = ""] = /this once: (\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /token file: (.+)/.exec(stdout) ?? [];
  return { token, line };
}

/** A real authorization server, at which Ada signs in. */
async function startAuthorizationServer(page: string): Promise<string> {
  const child = spawn(process.execPath, [authorizationServer, "--page", page], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("http://")) return line;
  }
  throw new Error("The authorization server ended.");
}

test("a user with a token sees the tasks of that user alone, and nothing once signed out", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tokens-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [ada, bob] = await Promise.all([newToken("ada"), newToken("bob")]);
  const tokens = join(folder, "tokens");
  await writeFile(tokens, `${ada.line}\n${bob.line}\n`, { mode: 0o600 });
  const server = await stage.serve({ flags: ["--ui", "--token-file", tokens] });
  await (await connectClient(server, ada.token)).start("count_records", { to: 2, name: "of Ada" });
  const bobs = await (await connectClient(server, bob.token)).start("count_records", { to: 2, name: "of Bob" });
  const { page, panel } = await stage.openUi(server, {}, `/ui#/tasks/${bobs}`);
  const signIn = async (token: string): Promise<void> => {
    await panel.getByLabel("Access token").fill(token);
    await panel.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await signIn("a-token-of-no-user");
  await panel.getByText("The server did not accept the token.").waitFor();
  await signIn(ada.token);
  await panel.getByText(/^Not found/).waitFor();
  await page.goto(new URL("/ui#/", server.origin).href);
  await panel.getByText("of Ada").first().waitFor();
  expect(await panel.getByText("of Bob").count()).toBe(0);
  await panel.getByRole("button", { name: "Sign out" }).click();
  await panel.getByLabel("Access token").waitFor();
  expect(await panel.getByText("of Ada").count()).toBe(0);
});

test("a user signs in at an authorization server, by the code flow, and sees their tasks", async () => {
  let issuer = "";
  const server = await stage.serve({
    flags: async (origin) => {
      issuer = await startAuthorizationServer(`${origin}/ui`);
      const access = ["--public-url", `${origin}/mcp`, "--authorization-server", issuer];
      return ["--ui", ...access];
    },
    env: { RESUMABLE_MCP_REQUIRED_SCOPE: "mcp", RESUMABLE_MCP_UI_CLIENT_ID: "by-hand" },
  });
  const { page, panel } = await stage.openUi(server, {}, "/ui", [issuer]);
  const asked = new Promise<string>((resolve) => {
    page.on("request", (request) => {
      const { authorization } = request.headers();
      if (authorization?.startsWith("Bearer ")) resolve(authorization.slice("Bearer ".length));
    });
  });
  await panel.getByRole("button", { name: "Sign in with your account" }).click();
  await panel.getByText("No tasks yet.").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await (await connectClient(server, await asked)).start("count_records", { to: 2, name: "of Ada" });
  // The sign-in holds in its tab, over a reload.
  await page.reload();
  await panel.getByText("of Ada").first().waitFor();
});
