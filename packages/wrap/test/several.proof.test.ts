import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { callOverHttp, cli, kill, startHttpGateway } from "./kill-storm.js";

const program = fileURLToPath(new URL("raw-server.js", import.meta.url));
const keys = ["one", "two"] as const;

it("a gateway of several servers dies with calls in flight at each: each call ends as its server and tool allow", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wrap-several-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  const effectsOf = (key: string) => join(folder, `${key}.effects`);
  const lines = (key: string) =>
    existsSync(effectsOf(key)) ? readFileSync(effectsOf(key), "utf8").trim().split("\n") : [];
  const file = join(folder, "servers.json");
  const mcpServers = Object.fromEntries(
    keys.map((key) => [
      key,
      { type: "stdio", command: "node", args: [program, `\${UNSET_IN_TESTS:-${folder}}/${key}.effects`] },
    ]),
  );
  await writeFile(file, JSON.stringify({ mcpServers, theme: "dark" }));
  const words = [cli, "wrap", "http", "--port", "0", "--store", join(folder, "store"), "--recover-after", "now"];
  const start = async () => {
    const gateway = await startHttpGateway([...words, "--mcp-servers", file, "--repeat", "two_safe=always"]);
    onTestFinished(() => void kill(gateway.child.pid));
    return gateway;
  };
  const names = keys.flatMap((key) => ["work", "safe", "saved"].map((tool) => ({ key, tool, name: `${key}_${tool}` })));
  const input = (name: string) => ({ id: name, steps: 3, holdAt: 2 });
  const first = await start();
  const calls = names.map(({ name }) => callOverHttp(first.url, name, input(name)));
  for (const { key, tool, name } of names) await expect.poll(() => lines(key)).toContain(`committed ${tool} ${name} 1`);
  kill(first.child.pid);
  expect(await Promise.all(calls)).toEqual(names.map(() => undefined));
  for (const key of keys) await writeFile(`${effectsOf(key)}.go`, "");
  const { url } = await start();
  const answers = await Promise.all(names.map(({ name }) => callOverHttp(url, name, input(name))));
  const begun = names.map(
    ({ key, tool, name }) => lines(key).filter((line) => line === `begin ${tool} ${name}`).length,
  );
  const unknown = expect.stringContaining("OUTCOME_UNKNOWN");
  const done = (name: string) => expect.stringContaining(`done ${name}`);
  expect(answers).toEqual([unknown, unknown, done("one_saved"), unknown, done("two_safe"), done("two_saved")]);
  expect(begun).toEqual([1, 1, 2, 1, 2, 2]);
});
