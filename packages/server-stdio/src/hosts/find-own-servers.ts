import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { errorSentence } from "@resumable-mcp/command-line";
import { type HostEnvironment, type HostName, hostFiles, hostNames } from "@resumable-mcp/protocol/hosts";
import { readConfig } from "./config-file.js";
import type { Values } from "./edited-text.js";
import { editorFor } from "./editor-for.js";
import { hostEntry, ownScript } from "./host-config.js";
import { wordsIn } from "./wrap-server.js";

/** A server of this toolkit in a host's file; or a file that cannot be read, without a name. */
export interface OwnServer {
  readonly host: HostName;
  readonly name?: string;
  /** Why the host cannot start it, and what to do. */
  readonly problem?: string | undefined;
}

/** Looks for servers of this toolkit in the files of all hosts, and for what they start. Nothing is changed. */
export async function findOwnServers(environment: HostEnvironment): Promise<readonly OwnServer[]> {
  const places = hostNames.flatMap((host) =>
    [...new Set(hostFiles(host, environment))].map((file) => ({ host, file })),
  );
  const found = await Promise.all(
    places.map(async ({ host, file }): Promise<readonly OwnServer[]> => {
      try {
        const { text = "" } = await readConfig(file, false);
        return Object.entries(serversIn(host, text, file)).flatMap(([name, entry]) => {
          const words = wordsIn(Object(entry));
          const missing = missingFile(words, environment);
          const advice = `Run resumable-mcp install ${host} MODULE again.`;
          const problem = missing && `${file}: ${name}: it starts ${missing}, which is not there. ${advice}`;
          return isOwn(words) ? [{ host, name, problem }] : [];
        });
      } catch (error) {
        return [{ host, problem: errorSentence(error) }];
      }
    }),
  );
  return found.flat();
}

function serversIn(host: HostName, text: string, file: string): Values {
  const { format, ...place } = hostEntry(host, { name: "", command: "", args: [] });
  return editorFor(format).servers(text, place, file);
}

function isOwn(words: readonly string[]): boolean {
  return words.some((word) => word === ownScript() || /(?:^|[/\\])@?resumable-mcp(?:@|[/\\]|$)/.test(word));
}

function missingFile([command = "", ...args]: readonly string[], environment: HostEnvironment): string | undefined {
  const files = args.slice(0, args.findIndex((word) => word.startsWith("-")) >>> 0).filter(isAbsolute);
  return isThere(command, environment) ? files.find((file) => !existsSync(file)) : command;
}

function isThere(command: string, { env }: HostEnvironment): boolean {
  // What the host fills in is not known here.
  if (/[/\\]|\$\{/.test(command)) return command.includes("${") || existsSync(command);
  const endings = ["", ...(env.PATHEXT ?? "").split(";")];
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter);
  return folders.some((folder) => endings.some((ending) => existsSync(join(folder, command + ending))));
}
