import { read } from "./repository.js";

/** A block of code in a document. */
export interface Example {
  readonly language: string;
  readonly code: string;
}

/** The first block of a package's README that a reader can run, in one of the languages. */
export function firstExample(folder: string, ...languages: readonly string[]): Example {
  const readme = read(`${folder}/README.md`);
  for (const [, language = "", code = ""] of readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (languages.includes(language)) return { language, code };
  }
  throw new Error(`${folder}/README.md has no example in ${languages.join(" or ")}.`);
}

/** The commands of a shell example, each as its words. `npx` is left out: the programs are installed. */
export function commandsOf({ code }: Example): readonly (readonly [program: string, ...words: string[]])[] {
  return code.split("\n").flatMap((line) => {
    const [first, ...words] = line
      .replace(/#.*$/, "")
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "npx");
    return first ? [[first, ...words] as const] : [];
  });
}
