import { allTitles, read, sourcesOf } from "./repository.js";

/** A promise of the documents: a guarantee, a claim of one, or a clause of the store contract. */
export interface Promised {
  readonly id: string;
  readonly text: string;
}

/** A test, or a clause that a test of each store runs, by its title. */
export interface Proof {
  readonly path: string;
  readonly title: string;
}

/** The guarantees and their claims, and the clauses of the store contract, in the order of their documents. */
export function readPromises(): { readonly guarantees: readonly Promised[]; readonly clauses: readonly Promised[] } {
  const find = (document: string, pattern: RegExp) =>
    [...read(document).matchAll(pattern)].map(([, id = "", text = ""]) => ({ id, text: text.replaceAll(/\s+/g, " ") }));
  return {
    guarantees: find("docs/guarantees.md", /^(?:## |- \*\*)(G\d+(?:\.\d+)?)(?:\*\*)? ([\s\S]+?)(?=\n- |\n\n)/gm),
    clauses: find("docs/store-contract.md", /^- \*\*([A-Z]+-\d+)\*\* (.+)$/gm),
  };
}

/** The tests of the repository and the clauses of the kit whose titles carry an id, by id. */
export function readProofs(): ReadonlyMap<string, readonly Proof[]> {
  const kinds = new Set(readPromises().clauses.map(({ id }) => id.split("-")[0]));
  const byId = new Map<string, Proof[]>();
  for (const proof of [...allTitles(), ...kitClauses()])
    for (const id of idsIn(proof.title, kinds)) byId.set(id, [...(byId.get(id) ?? []), proof]);
  return byId;
}

/** The ids in a title; those of clauses are known by their kinds. */
function idsIn(title: string, kinds: ReadonlySet<string | undefined>): ReadonlySet<string> {
  const clauses = [...title.matchAll(/\b([A-Z]+)-\d+\b/g)].filter(([, kind]) => kinds.has(kind));
  return new Set([...title.matchAll(/\bG\d+(?:\.\d+)?\b/g), ...clauses].map(([id]) => id));
}

/** The clauses of the kit, which registers each by its id and sentence at a store's test runner. */
function kitClauses(): readonly Proof[] {
  return sourcesOf("packages/store-testkit", ["src"]).flatMap((path) =>
    [...read(path).matchAll(/^ {2}"([A-Z]+-\d+)": \{$/gm)].map(([, title = ""]) => ({ path, title })),
  );
}
