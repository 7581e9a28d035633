import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { userFolder } from "@resumable-mcp/protocol/hosts";
import { z } from "zod";
import { pathOfNewerNode } from "../../../scripts/newer-node.js";
import { start } from "../program.js";
import type { Host } from "./host.js";
import { within } from "./wait.js";

/** A host that is on this machine. */
export interface InstalledHost {
  readonly host: Host;
  /** What npm installed into. */
  readonly folder: string;
  readonly version: string;
  /** The Node that it runs with. */
  readonly node: string;
}

/** Hosts are some hundred megabytes. */
const installMs = 600_000;
const manifest = z.object({ version: z.string() });

/** Where hosts are kept: no package of this repository depends on one. */
export function hostsCache(): string {
  const { platform, env } = process;
  return join(userFolder("cache", { platform, env, home: homedir() }), "resumable-mcp-hosts");
}

/** Brings a host from the registry, unless that version is there. No script of a package runs. */
export async function installHost(host: Host, cache: string, version = "latest"): Promise<InstalledHost> {
  const node = host.newerNode ? await pathOfNewerNode() : process.execPath;
  const folder = join(cache, host.package.replaceAll("/", "+"));
  const installed = async () =>
    manifest.parse(JSON.parse(await readFile(join(folder, "node_modules", host.package, "package.json"), "utf8")));
  const before = await installed().catch(() => undefined);
  if (before?.version === version) return { host, folder, node, version };
  await mkdir(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"];
  const npm = start("npm", ["install", "--prefix", folder, `${host.package}@${version}`, ...flags], { group: true });
  await within(npm, "the end of npm", npm.succeeded(), installMs).finally(() => npm.stop());
  return { host, folder, node, ...(await installed()) };
}
