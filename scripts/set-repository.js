// Changes the public address of the repository in every manifest and document: `node scripts/set-repository.js https://github.com/OWNER/NAME`.
// The address stands in the manifest of the root.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const [address = ""] = process.argv.slice(2);
if (!/^https:\/\/[^\s/]+\/[^\s]+[^\s/]$/.test(address)) {
  process.stderr.write("Give the address, such as https://github.com/OWNER/NAME, without a slash at its end.\n");
  process.exit(2);
}
const { homepage } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// Texts alone.
const files = execFileSync("git", ["grep", "-lzIF", homepage], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter(Boolean);
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  writeFileSync(join(root, file), text.replaceAll(homepage, address));
}
process.stdout.write(`${files.length} files name ${address}.\n`);
