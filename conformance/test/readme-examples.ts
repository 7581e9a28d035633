import { read } from "../src/repository.js";

/** A block of code in a document. */
export interface Example {
  readonly language: string;
  readonly code: string;
}

/** The blocks of code of a document, in order. */
export function examplesIn(path: string): readonly Example[] {
  return [...read(path).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

/** The first block of a package's README that a reader can run, in one of the languages. */
export function firstExample(folder: string, ...languages: readonly string[]): Example {
  const found = examplesIn(`${folder}/README.md`).find(({ language }) => languages.includes(language));
  if (found === undefined) throw new Error(`${folder}/README.md has no example in ${languages.join(" or ")}.`);
  return found;
}

/** The blocks of a document that are files: their first line says the name. */
export function filesIn(path: string): ReadonlyMap<string, string> {
  const named = examplesIn(path).flatMap(({ code }) => {
    const name = /^(?:\/\/|#) ([\w/-]+(?:\.test)?\.(?:m?[jt]s|py))\n/.exec(code)?.[1];
    return name === undefined ? [] : [[name, code] as const];
  });
  return new Map(named);
}

/** The blocks of a package's README that are files. */
export function fileExamples(folder: string): ReadonlyMap<string, string> {
  return filesIn(`${folder}/README.md`);
}

/** The commands of a shell example, each as its words, quoted ones whole. `npx -p PACKAGE` is left out: the programs are installed. */
export function commandsOf({ code }: Example): readonly (readonly [program: string, ...words: string[]])[] {
  return code.split("\n").flatMap((line) => {
    const [first, ...words] = [
      ...line
        .replace(/#.*$/, "")
        .replace(/^npx -p \S+ /, "")
        .matchAll(/"([^"]*)"|(\S+)/g),
    ]
      .map(([, quoted, bare]) => quoted ?? bare ?? "")
      .filter((word) => word !== "npx");
    return first ? [[first, ...words] as const] : [];
  });
}
