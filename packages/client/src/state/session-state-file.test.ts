import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStateFile } from "./state-file.js";

let folder: string;
let path: string;
let importFrom: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-"));
  path = join(folder, "state.json");
  importFrom = join(folder, "session_state.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** As the walkthrough's client writes it. */
const sessionState = {
  client_id: "3f2b8c1a-9d4e-4f",
  session_id: "5e0c1e0cb1f74b64a1f1f5a8a8a1d2c3",
  server_url: "http://127.0.0.1:8001/mcp",
  active_tasks: { task_1762503500: { task_id: "task_1762503500", task_name: "resumable_data_processing" } },
  completed_tasks: [],
  created_at: "2025-11-07T09:05:00.123456",
};

describe("a session_state.json (feature 45)", () => {
  it("gives its client id and its server to a client that has no state yet, and stays as it is", async () => {
    const text = JSON.stringify(sessionState);
    await writeFile(importFrom, text);
    const file = await openStateFile(path, { importFrom });
    const { client_id, servers, active_tasks } = file.state;
    expect({ client_id, servers, active_tasks }).toEqual({
      client_id: sessionState.client_id,
      servers: {
        "http://127.0.0.1:8001/mcp": {
          server_url: "http://127.0.0.1:8001/mcp",
          session_id: null,
          protocol_version: null,
        },
      },
      active_tasks: {},
    });
    expect([file.origin, file.notices]).toEqual([
      "created",
      [`This client uses the client ID ${sessionState.client_id} of ${importFrom}; that file was left as it is.`],
    ]);
    expect(await readFile(importFrom, "utf8")).toBe(text);
  });

  it("is imported once: the state that began with it is the client's from then on", async () => {
    await writeFile(importFrom, JSON.stringify(sessionState));
    await openStateFile(path, { importFrom });
    await writeFile(importFrom, JSON.stringify({ ...sessionState, client_id: "another-client-id" }));
    const { state, notices, origin } = await openStateFile(path, { importFrom });
    expect([state.client_id, notices, origin]).toEqual([sessionState.client_id, [], "found"]);
  });

  it("never replaces the id of a client that has one", async () => {
    const { state } = await openStateFile(path);
    await writeFile(importFrom, JSON.stringify(sessionState));
    const opened = await openStateFile(path, { importFrom });
    expect([opened.state, opened.notices]).toEqual([state, []]);
  });

  it.each([
    ["torn", JSON.stringify(sessionState).slice(0, 40), "it is not valid JSON"],
    ["empty", "", "it is not valid JSON"],
    ["without an id", "{}", "it holds no client_id of 8 to 256 letters, digits, - _ . :"],
    ["with a short id", '{"client_id":"short"}', "it holds no client_id of 8 to 256 letters, digits, - _ . :"],
    ["with an id of other characters", '{"client_id":"eight\\nlines"}', "it holds no client_id"],
    ["too large", " ".repeat(1024 * 1024 + 1), "it has more than 1048576 bytes"],
  ])("that is %s is said and left as it is, and a new id begins", async (_what, text, reason) => {
    await writeFile(importFrom, text);
    const { state, notices } = await openStateFile(path, { importFrom });
    expect(Buffer.from(state.client_id, "base64url")).toHaveLength(32);
    expect(notices).toEqual([expect.stringContaining(`${importFrom} cannot be imported (${reason}`)]);
    expect(await readFile(importFrom, "utf8")).toBe(text);
  });

  it("that cannot be read is said, and one that is not there is not", async () => {
    const none = await openStateFile(path, { importFrom });
    await mkdir(importFrom);
    const unreadable = await openStateFile(join(folder, "other.json"), { importFrom });
    expect([none.notices.length, unreadable.notices.length]).toEqual([0, 1]);
    expect(unreadable.notices[0]).toContain(`${importFrom} cannot be imported (EISDIR`);
  });

  it("whose server address is not one gives its id alone", async () => {
    await writeFile(importFrom, JSON.stringify({ ...sessionState, server_url: "ftp://x" }));
    const { client_id, servers } = (await openStateFile(path, { importFrom })).state;
    expect({ client_id, servers }).toEqual({ client_id: sessionState.client_id, servers: {} });
  });
});
