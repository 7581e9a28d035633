import { tellError, tellNote } from "../kills/in-life.js";
import { type ClientKind, type ClientOrder, type MakeCall, randomOf } from "./clients/call.js";
import { openCalls2026 } from "./clients/calls-2026.js";
import { openControl } from "./clients/control.js";
import { openHost } from "./clients/host.js";
import { openToolkit } from "./clients/toolkit.js";
import { anyJob, drawJob } from "./job.js";

const order: ClientOrder = JSON.parse(process.argv[2] ?? "{}");
const open: Record<ClientKind, (given: ClientOrder) => MakeCall | Promise<MakeCall>> = {
  toolkit: openToolkit,
  control: openControl,
  host: openHost,
  "calls-2026": openCalls2026,
};

/** The end of its input says that no more calls are to be begun. */
let isEnough = false;
process.stdin.resume().on("end", () => {
  isEnough = true;
});

// Sessions are in the store: each replica knows those of all, until their clients end them.
const { fetch } = globalThis;
const ended = new Set<string>();
globalThis.fetch = async (url, init) => {
  const session = new Headers(init?.headers).get("mcp-session-id") ?? "";
  if (init?.method === "DELETE") ended.add(session);
  const response = await fetch(url, init);
  const isLost = response.status === 404 && !ended.has(session);
  if (isLost) tellError(`404 for a living session: ${order.kind}, ${init?.method} of ${session}`);
  return response;
};

const makeCall = await open[order.kind](order);

async function callInTurn(place: number, { next, open: before }: ClientOrder["places"][number]): Promise<void> {
  for (let [count, taken] = [next, before]; taken !== undefined || !isEnough; count += 1, taken = undefined) {
    const name = taken?.name ?? `${order.kind}-${place}-${count}`;
    const note: (kind: string, facts?: object) => void = (kind, facts) => tellNote(kind, { caller: name, ...facts });
    if (taken === undefined) note("client_calls");
    await makeCall({ job: drawJob(name, order.seed, anyJob), task: taken?.task, random: randomOf(order, name), note });
  }
}

await Promise.all(order.places.map((place, index) => callInTurn(index, place)));
process.exit(0);
