import { get } from "node:http";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { text as readText } from "node:stream/consumers";
import {
  CommandError,
  errorSentence,
  hidePassword,
  httpOptions,
  listen,
  runToEnd,
  wholeNumber,
  withSettings,
} from "@resumable-mcp/command-line";
import { helpText, parseFlags } from "@resumable-mcp/command-line/options";
import { openAdmin } from "@resumable-mcp/command-line/store";
import { isResumableError } from "@resumable-mcp/core";
import { harmlessText } from "@resumable-mcp/protocol/display";
import { findOwnServers } from "@resumable-mcp/server-stdio/hosts";
import { type Finding, findingLines } from "./finding.js";

const usage = `Usage: resumable-mcp doctor [MODULE] [OPTIONS]

Looks at what this program works with, changes nothing, and says in at most ten lines what is well and what is not: Node, the store,
which is read as a whole, the port of serve http, and the servers of this toolkit in the files of hosts. With a tools module the
settings file next to it counts. Exit codes: 0 all is well; 1 there is a problem; 2 usage.`;

const { store, "store-password-file": passwordFile, "store-schema": schema, ...others } = httpOptions;
const { keyring, host, port, settings, help } = others;
const options = {
  ...{ store, "store-password-file": passwordFile, "store-schema": schema, keyring },
  ...{ host, port, settings, help },
};

/** Says what is wrong on this machine. Nothing is changed. */
export async function runDoctor(args: readonly string[]): Promise<void> {
  await runToEnd("resumable-mcp doctor", async () => {
    const { values: given, positionals } = parseFlags(args, options);
    const [module, ...rest] = positionals;
    if (given.help === true) {
      process.stdout.write(helpText({ usage, groups: { options } }, true));
      return;
    }
    if (rest.length > 0) throw new CommandError("Name at most one tools module, as in doctor ./tools.ts.", 2);
    const values = await withSettings(options, module, given, process.env);
    hidePassword("resumable-mcp", values.store);
    const { store = ".resumable-mcp", host = "127.0.0.1", port = "8001" } = values;
    const findings = [
      nodeFinding(),
      await storeFinding({ ...values, store }),
      await portFinding(host, wholeNumber("port", port, { min: 0, max: 65_535 })),
      ...(await hostFindings()),
    ];
    process.stdout.write(
      findingLines(findings)
        .map((line) => `${harmlessText(line)}\n`)
        .join(""),
    );
    if (findings.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
  });
}

function nodeFinding(): Finding {
  const { engines } = createRequire(import.meta.url)("resumable-mcp/package.json");
  const [major = 0, minor = 0] = String(engines.node).match(/\d+/g)?.map(Number) ?? [];
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  const isOld = ownMajor < major || (ownMajor === major && ownMinor < minor);
  const text = `${process.version}, and ${major}.${minor} or later is needed`;
  return { what: "node", text, problem: isOld ? `${text}. Install that.` : undefined };
}

async function storeFinding(place: Parameters<typeof openAdmin>[0] & { readonly store: string }): Promise<Finding> {
  const what = /^[a-z]+:\/\//i.test(place.store) ? "database" : "store";
  try {
    const admin = await openAdmin(place);
    try {
      // Reads everything; what has another layout is refused.
      const { tasks, problems } = await admin.check();
      const [damage, ...more] = problems.filter(({ severity }) => severity === "damage");
      const { unfinished } = await admin.measure();
      const processes = await admin.processes();
      const users = processes.length === 0 ? "no process has it open" : `open in ${processes.join(", ")}`;
      const counts = `${admin.place}: ${tasks} tasks, ${unfinished} unfinished, ${users}`;
      const found = damage && `${damage.path}: ${damage.message}${more.length === 0 ? "" : ` and ${more.length} more`}`;
      const problem = damage && `${counts}. ${found} Run resumable-mcp store check, and then store repair.`;
      return { what, problem, text: counts };
    } finally {
      await admin.close();
    }
  } catch (error) {
    if (isResumableError(error, "STORE_MISSING"))
      return { what, text: `${place.store} holds no store yet: the first server makes it` };
    return { what, problem: errorSentence(error) };
  }
}

async function portFinding(host: string, port: number): Promise<Finding> {
  const what = "port";
  const server = createServer();
  try {
    await listen(server, { host, port, fd: undefined });
    server.close();
    return { what, text: port === 0 ? "any that is free" : `${port} on ${host} is free` };
  } catch (error) {
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}/healthz`;
    if (await isServer(url)) return { what, text: `${port} on ${host}: a server answers there` };
    return { what, problem: errorSentence(error) };
  }
}

/** Whether what listens there answers as a server of this toolkit does. */
function isServer(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Not fetch: a connection that ends without an answer leaves it waiting, with nothing that keeps this process alive.
    const request = get(url, { signal: AbortSignal.timeout(2_000) }, (response) => {
      void readText(response).then(
        (text) => resolve(text === "ok\n"),
        () => resolve(false),
      );
    });
    request.on("error", () => resolve(false));
  });
}

async function hostFindings(): Promise<readonly Finding[]> {
  const { platform, env } = process;
  const found = await findOwnServers({ platform, env, home: homedir(), workingDirectory: process.cwd() });
  const problems = found.flatMap(({ problem }) => (problem === undefined ? [] : [{ what: "hosts", problem }]));
  const well = found.flatMap(({ name, host, problem }) => (problem === undefined ? [`${name} in ${host}`] : []));
  const text = well.join(", ") || "no host's file has a server of ours";
  return problems.length > 0 && well.length === 0 ? problems : [{ what: "hosts", text }, ...problems];
}
