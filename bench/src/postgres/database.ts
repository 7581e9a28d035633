import pg from "pg";
import type { Scope } from "../report/measure.js";

/** Names the server on which a run makes its databases, as a URL of a superuser. */
export const serverVariable = "RESUMABLE_BENCH_POSTGRES";

let made = 0;

/** Makes an empty database on the server of this run. */
export async function newDatabase(scope: Scope): Promise<string> {
  const url = new URL(process.env[serverVariable] ?? "");
  made += 1;
  const name = `bench_${process.pid}_${made}`;
  const server = await connect(scope, url.href);
  await server.query(`CREATE DATABASE ${name}`);
  scope.onEnd(() => server.query(`DROP DATABASE ${name} WITH (FORCE)`));
  url.pathname = `/${name}`;
  return url.href;
}

/** Opens one connection. */
export async function connect(scope: Pick<Scope, "onEnd">, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A database may be dropped with its connections.
  client.on("error", () => {});
  await client.connect();
  scope.onEnd(() => client.end());
  return client;
}

/** What the server says of itself: only with the first three settings does it keep what it acknowledged. */
export async function describeServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT current_setting('server_version') AS version,
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
      current_setting('full_page_writes') AS pages`);
    const { version, fsync, commits, pages } = rows[0];
    return `PostgreSQL ${String(version).split(" ")[0]} (fsync ${fsync}, synchronous_commit ${commits}, full_page_writes ${pages})`;
  } finally {
    await client.end();
  }
}
