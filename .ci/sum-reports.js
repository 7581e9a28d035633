// Sums the reports of all packages' tests. The argument is the exit status of the run that wrote them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const status = Number(process.argv[2] ?? 0);
const folders = ["packages", "apps"].flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
const reports = [...folders, "bench", "conformance", "simulation", "site", "e2e"]
  .map((folder) => join(folder, "reports"))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .map((file) => ({ folder: file, ...JSON.parse(readFileSync(file, "utf8")) }));

/** A file that fails before its first test counts as one failure: it has tests that never ran. */
const isBroken = (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");

let passed = 0;
let failed = 0;
for (const { folder, numPassedTests, numFailedTests, testResults } of reports) {
  const broken = testResults.filter(isBroken);
  passed += numPassedTests;
  failed += numFailedTests + broken.length;
  for (const file of broken) console.log(`FAILED ${folder}: ${file.name}\n${file.message}`);
  for (const test of testResults.flatMap((file) => file.assertionResults)) {
    if (test.status !== "failed") continue;
    console.log(`FAILED ${folder}: ${test.fullName}\n${test.failureMessages.join("\n")}`);
  }
}
// The lint, type and package checks write no report, but a run that they broke has not passed.
if (status !== 0 && failed === 0) {
  console.log(`FAILED npm test or npm run proof: exit status ${status}, see its output above`);
  failed = 1;
}
if (passed + failed === 0) console.log("Nothing ran.");
const files = reports.flatMap(({ testResults }) => testResults);
const seconds = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1_000);
const slowest = files.sort((a, b) => seconds(b) - seconds(a)).slice(0, 10);
console.log("The slowest test files, in seconds:");
for (const file of slowest) console.log(`${String(seconds(file)).padStart(5)}  ${relative("", file.name)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed === 0 || failed > 0 ? 1 : 0;
