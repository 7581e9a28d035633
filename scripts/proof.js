// Runs what proves more than `npm test`, and takes longer: `npm run proof`, or one program of it, `npm run proof -- crashes --seed 1`.
import { spawnSync } from "node:child_process";

const bench = (name) => [`bench/dist/${name}.js`];
const programs = {
  "crash-images": bench("crash-images"),
  crashes: bench("crashes"),
  floods: bench("floods"),
  "request-costs": bench("request-costs"),
  clients: ["conformance/dist/clients/run-table.js"],
  e2e: ["e2e/node_modules/vitest/vitest.mjs", "run", "--root", "e2e"],
  mutants: ["simulation/dist/mutants.js"],
};
const turbo = ["node_modules/turbo/bin/turbo", "run", "--output-logs=errors-only"];
const [name, ...args] = process.argv.slice(2);

const run = (...command) => spawnSync(process.execPath, command, { stdio: "inherit" }).status ?? 1;

if (name === undefined) {
  process.exitCode = run(...turbo, "--continue", "proof", "proof:newer-node");
} else if (programs[name] === undefined) {
  process.stderr.write(`Name nothing for all of it, or one of: ${Object.keys(programs).join(", ")} [--help]\n`);
  process.exitCode = 2;
} else {
  process.exitCode = run(...turbo, "build") || run(...programs[name], ...args);
}
