// Runs what proves more than the tests, and takes longer: `npm run proof -- mutants core/task`.
import { spawnSync } from "node:child_process";

const programs = { mutants: "simulation/dist/mutants.js" };
const [name = "", ...args] = process.argv.slice(2);
const program = programs[name];
if (program === undefined) {
  process.stderr.write(`Name what to run: npm run proof -- ${Object.keys(programs).join(" | ")} [--help]\n`);
  process.exitCode = 2;
} else {
  process.exitCode = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1;
}
