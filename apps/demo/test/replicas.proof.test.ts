import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@resumable-mcp/store-postgres/testing";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { findScript } from "../src/processes/program.js";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const example = path("../../../examples/replicas");

test("three replicas and their database are killed, and every record is there once", async () => {
  const child = spawn(process.execPath, [path("../dist/index.js"), "--replicas"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code, complaint }).toEqual({ code: 0, complaint: "" });
  expect(output.trimEnd().split("\n").at(-1)).toBe("50 of 50 records, 0 repeated, 0 lost");
  for (const killed of ["replica 1 (process", "replica 2 (process", "replica 3 (process", "PostgreSQL"]) {
    expect(output).toContain(`kill -9  ${killed}`);
  }
});

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal("http") }) });
const container = z.object({
  args: z.array(z.string()),
  ports: z.array(z.object({ name: z.literal("http"), containerPort: z.number() })).length(1),
  livenessProbe: probe,
  readinessProbe: probe,
});
const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.array(container).length(1) }) }) }),
});
const compose = z.object({ services: z.object({ replica: z.object({ command: z.array(z.string()) }) }) });

function readExample() {
  const [first] = parseAllDocuments(readFileSync(join(example, "kubernetes.yaml"), "utf8"));
  const [kubernetes] = deployment.parse(first?.toJS()).spec.template.spec.containers;
  if (kubernetes === undefined) throw new Error("The deployment has one container.");
  const { command } = compose.parse(parse(readFileSync(join(example, "compose.yaml"), "utf8"))).services.replica;
  return { kubernetes, command };
}

/** What differs between two places of deployment: where secrets are, under which name callers come, and from which proxies. */
const withoutPlaces = (args: readonly string[]) =>
  args.map((arg) =>
    /^--(store-password-file|token-file|allowed-host|trusted-proxy)=/.test(arg) ? arg.split("=")[0] : arg,
  );

test("the example's manifests start the server in the same way", () => {
  const { kubernetes, command } = readExample();
  expect(withoutPlaces(kubernetes.args)).toEqual(withoutPlaces(command));
});

test("the server starts with what the manifests say, and answers their probes", async () => {
  const { kubernetes } = readExample();
  const folder = mkdtempSync(join(tmpdir(), "replicas-"));
  const database = await startPostgres();
  try {
    const address = new URL(database.url);
    const places = new Map([
      ["--store", `postgres://postgres@${address.host}/postgres`],
      ["--store-password-file", join(folder, "password")],
      ["--token-file", join(folder, "tokens")],
    ]);
    writeFileSync(join(folder, "password"), `${address.password}\n`);
    writeFileSync(join(folder, "tokens"), "a-token-of-many-characters me\n", { mode: 0o600 });
    cpSync(join(example, "tools.mjs"), join(folder, "tools.mjs"));
    symlinkSync(path("../node_modules"), join(folder, "node_modules"));
    const args = kubernetes.args.map((arg) => {
      const [flag = ""] = arg.split("=");
      const place = places.get(flag);
      return place === undefined ? arg : `${flag}=${place}`;
    });
    const script = findScript("@resumable-mcp/server-http", "resumable-mcp-http");
    const server = spawn(process.execPath, [script, ...args, "--port=0"], { cwd: folder, stdio: "pipe" });
    const said = text(server.stderr);
    const port = await new Promise<number>((resolve, reject) => {
      server.stderr.on("data", (chunk) => {
        const [, found] = /listening on http:\/\/[^\s:]+:(\d+)/.exec(String(chunk)) ?? [];
        if (found !== undefined) resolve(Number(found));
      });
      void said.then((words) => reject(new Error(words)));
    });
    // A kubelet names the address of the pod.
    const host = `10.1.2.3:${kubernetes.ports[0]?.containerPort}`;
    const probes = [kubernetes.livenessProbe, kubernetes.readinessProbe].map(({ httpGet }) => httpGet.path);
    const initialize = { method: "POST", path: "/mcp", host: "mcp.example.com" };
    expect(await Promise.all(probes.map((probed) => statusOf(port, { path: probed, host })))).toEqual([200, 200]);
    expect(await statusOf(port, initialize)).toBe(401);
    expect(await statusOf(port, { ...initialize, token: "a-token-of-many-characters" })).toBe(200);
    server.kill("SIGTERM");
    expect((await once(server, "close"))[0]).toBe(0);
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true });
  }
});

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly host: string;
  readonly token?: string;
}

async function statusOf(port: number, { method = "GET", path: asked, host, token }: Asked): Promise<number> {
  const headers = {
    host,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const clientInfo = { name: "probe", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const sent = request({ port, method, path: asked, headers, agent: false });
  sent.end(method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) : undefined);
  const [answer] = await once(sent, "response");
  answer.destroy();
  return answer.statusCode;
}
