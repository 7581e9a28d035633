import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@resumable-mcp/core";
import {
  foreignServer,
  type Over,
  programs,
  type ServerUnderTest,
  startServer,
  toolsModules,
} from "../clients/server-under-test.js";
import { type Program, start } from "../program.js";
import { type Host, type Launch, serverName } from "./host.js";
import type { InstalledHost } from "./install.js";
import { promptFor } from "./script.js";
import { type ScriptedModel, startModel } from "./scripted-model.js";
import { endProcessesAt } from "./traces.js";
import { within } from "./wait.js";

/** Most hosts wait a minute for a call. */
export const usualLimitSeconds = 60;
/** The name under which `install` writes the server. */
export const installedName = "installed-for-the-host";
/** No program listens there: what is not on the loopback interface is out of a host's reach. */
const closed = "http://127.0.0.1:9";

/** A call that a host is asked for. */
export interface AskedCall {
  readonly label: string;
  readonly prompt: string;
  readonly units: number;
  readonly holdAfter: number;
}

/** How a host is started. */
export interface StartOptions {
  readonly limitSeconds?: number;
  /** Its server is not ours, and `wrap install` has put the gateway in front of it. */
  readonly wrapped?: true;
}

/** One host and one server, with a folder for all that belongs to them. */
export interface Bench {
  readonly server: ServerUnderTest;
  readonly model: ScriptedModel;
  /** How long the host waits for a call, where nothing else is said. */
  readonly limitSeconds: number;
  ask(label: string, tool: string, options?: { readonly holdAfter?: number; readonly answer?: JsonObject }): AskedCall;
  /** Starts the host with the prompt of a call. */
  start(call: AskedCall, options?: StartOptions): Promise<Program>;
  /** Installs the server where none is, lets the host list its servers or, without a list, call it, and takes it out again. */
  useInstalled(call: AskedCall): Promise<{ readonly listing: string | undefined }>;
  /** Lets the task of a call through its gate. */
  open(call: AskedCall): Promise<void>;
  /** The units of work that were done, in order. */
  unitsOf(call: AskedCall): Promise<readonly number[]>;
  /** Waits until a server that is not ours has come to its gate; gives its process. */
  foreignHeld(call: AskedCall): Promise<number>;
  /** Resolves to what a host left behind. */
  close(): Promise<readonly string[]>;
}

const units = 6;
const lookEveryMs = 50;
const patienceMs = 60_000;
const foreignPlace = { over: "stdio", command: process.execPath, args: [foreignServer] } as const;

/** Sets a host up with a server, over one transport. */
export async function openBench({ host, folder, node }: InstalledHost, over: Over): Promise<Bench> {
  const home = await mkdtemp(join(tmpdir(), "host-"));
  const files = join(home, "side-files");
  await Promise.all(["tmp", "work", "side-files"].map((name) => mkdir(join(home, name))));
  const model = await startModel("Long tools of this server");
  const server = await startServer(over, undefined, [toolsModules.hosts, "--handoff"]).catch(async (error: unknown) => {
    await Promise.all([model.close(), rm(home, { recursive: true, force: true })]);
    throw error;
  });
  const started: Program[] = [];
  const { ownLimitSeconds = usualLimitSeconds } = host;
  const textOf = (name: string) => readFile(join(files, name), "utf8").catch(() => "");
  const unitsOf = async ({ label }: AskedCall) =>
    (await textOf(`${label}.units`)).split("\n").filter(Boolean).map(Number);
  return {
    server,
    model,
    limitSeconds: ownLimitSeconds,
    ask(label, tool, { holdAfter = 0, answer } = {}) {
      const prompt = promptFor(tool, { label, folder: files, units, hold_after: holdAfter }, answer);
      return { label, prompt, units, holdAfter };
    },
    async start({ prompt }, { limitSeconds = ownLimitSeconds, wrapped } = {}) {
      const place = wrapped ? foreignPlace : server.place;
      const launch = host.launch(folder, { home, node, place, modelUrl: model.url, limitSeconds }, prompt);
      await writeAll(home, launch.files);
      const env = { ...environmentIn(home), ...launch.env };
      if (wrapped) await wrapServer(host, launch, join(home, "wrapped"), { cwd: home, env });
      const program = start(launch.command, launch.args, { cwd: join(home, "work"), env, group: true });
      started.push(program);
      return program;
    },
    async useInstalled({ prompt }) {
      const own = join(home, "installed");
      await mkdir(join(own, "tmp"), { recursive: true });
      const setting = { home: own, node, place: server.place, modelUrl: model.url, limitSeconds: ownLimitSeconds };
      const { command, args, env: more, bare = {} } = host.launch(folder, setting, prompt);
      await writeAll(own, bare);
      const options = { cwd: own, env: { ...environmentIn(own), ...more }, group: true } as const;
      const change = async (flag: string) => {
        const words = [programs.stdio, toolsModules.hosts, flag, host.name, "--name", installedName, "--yes"];
        await start(process.execPath, words, options).succeeded();
      };
      await change("--install");
      const words = host.lists?.(args);
      const program = start(command, words ?? args, options);
      started.push(program);
      const said = await within(program, "its end", program.succeeded());
      await change("--uninstall");
      return { listing: words && `${said}${program.stderr()}` };
    },
    open: ({ label }) => writeFile(join(files, `${label}.open`), ""),
    unitsOf,
    async foreignHeld(call) {
      for (const lastMs = Date.now() + patienceMs; (await unitsOf(call)).length < call.holdAfter; ) {
        if (Date.now() > lastMs) throw new Error(`Within ${patienceMs} ms ${call.label} did not come to its gate.`);
        await sleep(lookEveryMs);
      }
      return Number(await textOf(`${call.label}.pid`));
    },
    async close() {
      await Promise.all(started.map((program) => program.stop()));
      await Promise.all([model.close(), server.close()]);
      const left = await endProcessesAt(home);
      await rm(home, { recursive: true, force: true });
      return left;
    },
  };
}

/** Puts the gateway in front of the server that a host has. @param store is the gateway's. */
async function wrapServer(
  { name }: Host,
  { config }: Launch,
  store: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const at = config === undefined ? [] : ["--config", config];
  const words = [programs.all, "wrap", "install", name, serverName, "--store", store, "--handoff", "--yes", ...at];
  await start(process.execPath, words, { ...options, group: true }).succeeded();
}

async function writeAll(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
}

/** A host finds nothing of this user's, and reports to no one. */
function environmentIn(home: string): Readonly<Record<string, string>> {
  const of = (name: string) => join(home, name);
  return {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: of(".config"),
    XDG_DATA_HOME: of(".local/share"),
    XDG_STATE_HOME: of(".local/state"),
    XDG_CACHE_HOME: of(".cache"),
    TMPDIR: of("tmp"),
    HTTP_PROXY: closed,
    HTTPS_PROXY: closed,
    NO_PROXY: "127.0.0.1,localhost",
    npm_config_registry: closed,
    DO_NOT_TRACK: "1",
  };
}
