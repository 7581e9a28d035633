// Writes the page that lists the tests of each promise, out of the titles of the tests.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Promised, readPromises, readProofs } from "../../conformance/src/proofs.js";

const proofs = readProofs();
const plain = (text: string) => text.replaceAll(/[\\`*_[\]<>|]/g, "\\$&");
const link = (path: string) => `[${path.replace(/^packages\//, "")}](../${path})`;

/** The tests whose titles carry an id. */
const testsOf = ({ id }: Promised): string =>
  (proofs.get(id) ?? []).map(({ path, title }) => `- ${plain(title)} (${link(path)})\n`).join("");

const { guarantees, clauses } = readPromises();
const claims = guarantees.map((claim) => {
  const sentence = `${claim.id} ${claim.text}`;
  return `${claim.id.includes(".") ? sentence : `## ${sentence}`}\n\n${testsOf(claim)}`;
});
const rows = clauses.map(({ id, text }) => {
  const files = new Set((proofs.get(id) ?? []).map(({ path }) => path));
  return `| ${id} | ${text} | ${[...files].map(link).join(" ")} |`;
});
// Its many titles would hide the pages that a reader searches.
const page = `---
search: false
---

# The tests of each promise

What shows the [guarantees](guarantees.md) and the [store contract](store-contract.md): the tests whose titles carry the id. The build of this site
reads them from the sources. The claims of other pages stand with their tests in [claims.yaml](../conformance/claims.yaml),
the demands of MCP's chapter on authorization in [authorization-chapter.yaml](../conformance/authorization-chapter.yaml).

${claims.join("\n")}
## Clauses of the store contract

The kit runs each clause at every store, and finds by it a store that is broken on purpose.

| Clause | A store | Where |
|---|---|---|
${rows.join("\n")}
`;
writeFileSync(fileURLToPath(new URL("../../docs/proofs.md", import.meta.url)), page);
