import { fork } from "node:child_process";
import { once } from "node:events";
import { count, readOptions } from "./options.js";
import { temporaryFolder } from "./stores/stored-tasks.js";
import type { RequestCosts } from "./workers/costs-server.js";
import { built } from "./workers/run-isolated.js";

const purpose =
  "Measures what requests of every shape cost a server: processor time, stalls of its event loop, memory.";
const { rounds, requests } = readOptions("npm run proof -- request-costs", purpose, {
  rounds: count("requests of each shape", 5),
  requests: count("requests after which the memory is measured", 1_000),
});

const maxBytes = 4 * 1024 * 1024;
const fill = (item: string, bytes = maxBytes - 1_024) => `[${`${item},`.repeat(bytes / (item.length + 1))}0]`;
const wide = (keys: number) => `{${Array.from({ length: keys }, (_, key) => `"key${key}":0`).join(",")}}`;
const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

/** Texts of arguments. */
const shapes: { readonly [name: string]: string } = {
  "4 MiB of []": fill("[]"),
  "4 MiB of {}": fill("{}"),
  "4 MiB of numbers": fill("1"),
  "4 MiB of decimals": fill("1.2345678901234e-5"),
  "one string of 4 MiB": JSON.stringify("x".repeat(maxBytes - 1_024)),
  "one string of 4 MiB, escaped": `"${"\\u00e9".repeat((maxBytes - 1_024) / 6)}"`,
  "4 MiB deep": deep(maxBytes / 2 - 512),
  "4 MiB of arrays that are 58 deep": fill(deep(58)),
  "an object of 4 MiB": wide(300_000),
  "1 MiB of []": fill("[]", 1_000_000),
  "40,000 []": fill("[]", 40_000 * 3),
  "40,000 {}": fill("{}", 40_000 * 3),
  "40,000 numbers": fill("1", 40_000 * 2),
  "45,600 [], 240 deep": fill(deep(240), 190 * 480),
  "40,000 [], 58 deep": fill(deep(58), 690 * 116),
  "an object of 20,000 keys": wide(20_000),
  "one string of 1 MiB": JSON.stringify("x".repeat(1024 * 1024 - 1_024)),
  "a short text": '"text"',
};

const folder = await temporaryFolder();
const server = fork(built("workers/costs-server.js"), [folder.directory], { execArgv: ["--expose-gc"] });
const heard = async () => (await once(server, "message"))[0];
const url: string = await heard();
const costs = async (): Promise<RequestCosts> => {
  const answer = heard();
  server.send("costs");
  return answer;
};

let session: string | undefined;
let id = 0;
/** Resolves with the answer's status, when all of it has come. */
async function post(method: string, params: string): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
    },
    body: `{"jsonrpc":"2.0","id":${++id},"method":"${method}","params":${params}}`,
  });
  await response.text();
  session ??= response.headers.get("mcp-session-id") ?? undefined;
  return response.status;
}
const call = (value: string) => post("tools/call", `{"name":"take","arguments":{"value":${value}}}`);
const capable = (value: string) =>
  `{"protocolVersion":"2025-11-25","clientInfo":{"name":"costs","version":"1"},"capabilities":{"experimental":{"x":{"y":${value}}}}}`;

try {
  await post("initialize", capable("0"));
  for (let times = 0; times < 20; times += 1) await call('"warm"');
  const rows: string[] = [];
  const measure = async (name: string, send: () => Promise<number>) => {
    await costs();
    const found: RequestCosts[] = [];
    let status = 0;
    for (let round = 0; round < rounds; round += 1) {
      status = await send();
      found.push(await costs());
    }
    const worst = (of: (one: RequestCosts) => number) => Math.round(Math.max(...found.map(of)));
    rows.push(
      `| ${name} | ${status} | ${worst(({ processorMs }) => processorMs)} | ${worst(({ stallMs }) => stallMs)} | ${worst(({ collectionMs }) => collectionMs)} |`,
    );
    console.log(rows.at(-1));
  };
  console.log(
    "| Request | Status | Processor, ms, the worst | Longest stall, ms | Longest collection, ms |\n|---|---|---|---|---|",
  );
  for (const [name, value] of Object.entries(shapes)) await measure(`\`tools/call\`: ${name}`, () => call(value));
  const known = session;
  await measure("`initialize`: 4 MiB of []", () => {
    session = undefined;
    return post("initialize", capable(fill("[]")));
  });
  session = known;
  const before = await costs();
  const values = Object.values(shapes);
  for (let sent = 0; sent < requests; sent += 1) await call(values[sent % values.length] ?? "0");
  const after = await costs();
  const memory = ({ residentMiB, usedMiB }: RequestCosts) =>
    `${Math.round(residentMiB)} MiB resident, ${Math.round(usedMiB)} MiB used`;
  console.log(`before: ${memory(before)}\nafter ${requests} requests of all shapes: ${memory(after)}`);
  console.log(`longest stall among them: ${Math.round(after.stallMs)} ms`);
} finally {
  server.disconnect();
  await once(server, "exit");
  await folder.remove();
}
