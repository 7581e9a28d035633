import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cli, killAll, start } from "./processes.js";

const folders: string[] = [];

afterAll(async () => {
  await killAll();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 })));
});

/** Runs `session --json` in a folder, as a user does where the walkthrough's client ran. */
async function sessionIn(folder: string) {
  const words = [cli, "session", "--json", "--state", join(folder, "state.json")].map((word) => `'${word}'`).join(" ");
  const shell = start("bash", ["-c", `cd '${folder}' && '${process.execPath}' ${words}`]);
  expect(await shell.ended).toBe(0);
  return { session: JSON.parse(shell.stdout()), stderr: shell.stderr() };
}

async function folderWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "session-state-"));
  folders.push(folder);
  await writeFile(join(folder, "session_state.json"), text);
  return folder;
}

describe("the session_state.json of a folder", () => {
  it("gives its client id to the program, which says so once (feature 45)", async () => {
    const text = JSON.stringify({ client_id: "3f2b8c1a-9d4e-4f", server_url: "http://127.0.0.1:1/mcp" });
    const folder = await folderWith(text);
    const [first, second] = [await sessionIn(folder), await sessionIn(folder)];
    expect([first, second].map(({ session }) => [session.client_id, session.sessions[0].server_url])).toEqual([
      ["3f2b8c1a-9d4e-4f", "http://127.0.0.1:1/mcp"],
      ["3f2b8c1a-9d4e-4f", "http://127.0.0.1:1/mcp"],
    ]);
    expect(first.stderr).toBe(
      `This client uses the client ID 3f2b8c1a-9d4e-4f of ${join(folder, "session_state.json")}; that file was left as it is.\n`,
    );
    expect(second.stderr).toBe("");
    expect(await readFile(join(folder, "session_state.json"), "utf8")).toBe(text);
  });

  it("that is damaged is named in a sentence, and the program continues with an id of its own", async () => {
    const { session, stderr } = await sessionIn(await folderWith('{"client_id": "3f2b'));
    expect(session.client_id).toHaveLength(43);
    expect(stderr).toMatch(/session_state\.json cannot be imported \(it is not valid JSON\) and was left as it is\./);
  });
});
