// Shows the functions of ours that a request passes in a real server, and counts them:
// `node scripts/call-path.js [call|recovery|answer …]`. Needs a build.
//
// Input, state and output of the called tool contain a mark. Where a mark is written to a journal, to another file or to the
// socket, the way there is the stack of that moment, continued by the stack that began its asynchronous operation, and so on.
// A function counts once, however often it runs; what returned before (a check, a lookup) is not on the way.
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { marks } from "./watched-server.js";

const clientId = "5d5f6ae5-7a38-4b44-9d2f-5f6f4ec3a0b1";

/** Starts the server in a process of its own. */
function startServer(directory, ...flags) {
  const child = fork(fileURLToPath(new URL("watched-server.js", import.meta.url)), [directory, ...flags]);
  return {
    ask: (command, argument) =>
      new Promise((resolve) => {
        child.once("message", ({ result }) => resolve(result));
        child.send({ command, argument });
      }),
    end: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGKILL");
      }),
  };
}

async function post(url, headers, message) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return { response, text };
}

/** Opens a session of the 2025 era. */
async function openSession(url) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "call-path", version: "1" } };
  const { response } = await post(url, {}, { id: 1, method: "initialize", params });
  const headers = { "mcp-session-id": response.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
  await post(url, headers, { method: "notifications/initialized" });
  let id = 1;
  return (name, args) => {
    id += 1;
    const params = { name, arguments: args, _meta: { progressToken: id, "resumable-mcp/client_id": clientId } };
    return post(url, headers, { id, method: "tools/call", params });
  };
}

let nextId = 1;
/** Calls a tool in the 2026 era. */
async function call2026(url, name, rest) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    "resumable-mcp/client_id": clientId,
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  nextId += 1;
  const { text } = await post(url, headers, { id: nextId, method: "tools/call", params: { name, ...rest, _meta } });
  const line = text.startsWith("{")
    ? text
    : text
        .split("\n")
        .findLast((one) => one.startsWith("data: {"))
        .slice(6);
  return JSON.parse(line).result;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The requests whose paths are counted; each gives the functions in the order in which they began. */
const paths = {
  async call(server) {
    const call = await openSession(await server.ask("serve", "store"));
    for (let run = 1; run <= 3; run += 1) await call("count", { run });
    await pause(300);
    await server.ask("take");
    await call("count", { run: 4, mark: marks.input });
    return server.ask("take");
  },
  async answer(server) {
    const url = await server.ask("serve", "store");
    const ask = (run) => call2026(url, "confirm", { arguments: { run } });
    const answer = (run, { requestState }) =>
      call2026(url, "confirm", {
        arguments: { run },
        requestState,
        inputResponses: { sure: { action: "accept", content: { yes: true, mark: marks.input } } },
      });
    for (let run = 1; run <= 3; run += 1) await answer(run, await ask(run));
    const asked = await ask(4);
    await pause(300);
    await server.ask("take");
    await answer(4, asked);
    return server.ask("take");
  },
  async recovery(server, directory) {
    for (const name of ["first", "second"]) {
      const killed = startServer(directory, "hangs");
      const call = await openSession(await killed.ask("serve", name));
      call("count", { run: 1 }).catch(() => {});
      await killed.ask("hung");
      await killed.end();
    }

    await server.ask("serve", "first");
    await outputOf(server);
    await server.ask("serve", "second");
    return outputOf(server);
  },
};

/** Waits until the tool's output is in its journal. */
async function outputOf(server) {
  const ways = [];
  while (!ways.some(([goal]) => goal.startsWith("output to journal"))) {
    await pause(200);
    ways.push(...(await server.ask("take")));
  }
  return ways;
}

async function main(chosen) {
  for (const name of chosen.length > 0 ? chosen : Object.keys(paths)) {
    const directory = await mkdtemp(join(tmpdir(), "call-path-"));
    const server = startServer(directory);
    try {
      const functions = await paths[name](server, directory);
      print(name, functions);
    } finally {
      await server.end();
      await rm(directory, { recursive: true, force: true });
    }
  }
}

function print(name, ways) {
  const passed = new Set();
  console.log(`\n${name}`);
  for (const [goal, way] of ways) {
    console.log(`  ${goal}`);
    for (const step of way.filter((one) => !passed.has(one))) console.log(`    ${step}`);
    for (const step of way) passed.add(step);
  }
  console.log(`${name}: ${passed.size} functions`);
}

await main(process.argv.slice(2));
