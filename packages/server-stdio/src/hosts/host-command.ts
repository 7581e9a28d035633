import { createInterface } from "node:readline";
import { CommandError, oneOf, runToEnd } from "@resumable-mcp/command-line";
import { didYouMean } from "@resumable-mcp/command-line/options";
import { harmlessLines } from "@resumable-mcp/protocol/display";
import { type HostName, hostFile, hostNames, hostScopes } from "@resumable-mcp/protocol/hosts";
import { environment } from "../data-folder.js";
import type { Flags } from "../flags.js";
import { editorFor } from "./editor-for.js";
import { hostEntry, ownScript, serverStart } from "./host-config.js";
import { type Dialogue, installServer, uninstallServer } from "./install.js";
import { type Gateway, type StartOfServer, unwrapServer, wrapServer } from "./wrap-server.js";

export { findOwnServers } from "./find-own-servers.js";
export type { StartOfServer } from "./wrap-server.js";

/** Prints what a host needs, or changes the host's file. The program's own file does not know the errors of this one. */
export function runHostCommand(program: string, module: string | undefined, flags: Flags): Promise<void> {
  const run = flags["print-config"] === undefined ? changeHost : printConfig;
  return runToEnd(program, () => run(module, flags));
}

/** How something else is asked before a file is changed. */
export interface Questions {
  readonly show: (text: string) => void;
  /** False also where no terminal is there, and where the user wants no questions. */
  readonly ask: (question: string) => Promise<boolean>;
}

/** How a server of a host is wrapped, or no longer. */
export interface WrapHostFlags extends Pick<Flags, "scope" | "config" | "yes"> {
  readonly gateway: Gateway;
  /** Finds further options of the gateway, which depend on the server. */
  readonly more: (start: StartOfServer, questions: Questions) => Promise<readonly string[]>;
}

/** Puts a gateway in front of a server that a host has, or takes it away again. */
export async function changeWrapped(
  what: "install" | "uninstall",
  { host: named, name }: { readonly host: string; readonly name: string },
  flags: WrapHostFlags,
): Promise<void> {
  const host = readHost(named);
  const server = { host, name, file: configPath(host, flags) };
  const dialogue = createDialogue(flags.yes === true);
  if (what === "install") warnOfPassingScript();
  const ask = async (question: string) => flags.yes !== true && (await askUser(question)) === true;
  const more = (start: StartOfServer) => flags.more(start, { show: dialogue.show, ask });
  await orSentence(server.file, () =>
    what === "install" ? wrapServer(server, flags.gateway, dialogue, more) : unwrapServer(server, dialogue),
  );
}

function readHost(text = ""): HostName {
  const found = hostNames.find((name) => name === text);
  if (found !== undefined) return found;
  const near = didYouMean(text, hostNames);
  throw new CommandError(`Unknown host ${JSON.stringify(text)}.${near} The hosts are ${hostNames.join(", ")}.`, 2);
}

async function printConfig(module: string | undefined, flags: Flags): Promise<void> {
  const host = readHost(flags["print-config"]);
  const server = hostEntry(host, await serverStart(module, flags));
  warnOfPassingScript();
  const file = configPath(host, flags);
  process.stderr.write(`Put this into ${file}:\n`);
  process.stdout.write(editorFor(server.format).set("", server, file));
}

async function changeHost(module: string | undefined, flags: Flags): Promise<void> {
  if (flags.install !== undefined && flags.uninstall !== undefined)
    throw new CommandError("Give --install or --uninstall, not both.", 2);
  const isInstall = flags.install !== undefined;
  const host = readHost(flags[isInstall ? "install" : "uninstall"]);
  const file = configPath(host, flags);
  const dialogue = createDialogue(flags.yes === true);
  if (isInstall) {
    const start = await serverStart(module, flags);
    warnOfPassingScript();
    const server = hostEntry(host, start);
    await orSentence(file, () => installServer(file, server, dialogue));
  } else {
    const name = flags.name ?? (await serverStart(module, flags)).name;
    const server = hostEntry(host, { name, command: "", args: [] });
    await orSentence(file, () => uninstallServer(file, server, dialogue));
  }
}

function configPath(host: HostName, { scope = "user", config }: Pick<Flags, "scope" | "config">): string {
  if (config !== undefined) return config;
  const file = hostFile(host, oneOf("scope", scope, hostScopes), { ...environment(), workingDirectory: process.cwd() });
  if (file !== undefined) return file;
  throw new CommandError(`${host} has no configuration file for a project. Leave out --scope project.`, 2);
}

/** Errors of the file system become one sentence too. */
async function orSentence(file: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error) || !("code" in error)) throw error;
    throw new CommandError(`${file} could not be changed (${String(error.code)}). It was left as it is.`, 1, error);
  }
}

function createDialogue(yes: boolean): Dialogue {
  return {
    show: (text) => void process.stdout.write(harmlessLines(text)),
    confirm: async () => yes || askUser("Write this?"),
  };
}

/** `undefined` where no terminal is there. */
async function askUser(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await new Promise<string>((resolve) => terminal.question(`${question} [y/N] `, resolve));
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** A program that npx fetched for one run may be deleted before the host starts it. */
function warnOfPassingScript(): void {
  if (!/[/\\]_npx[/\\]/.test(ownScript())) return;
  process.stderr.write(
    "This program lies in a cache of npx, which may be emptied. Install it first: npm install resumable-mcp\n",
  );
}
