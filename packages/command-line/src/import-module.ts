import { execFile } from "node:child_process";
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CommandError, errorSentence } from "./command-error.js";

/** What a tools module exports. */
export interface ImportedModule {
  readonly default?: unknown;
}

/**
 * Imports a module in JavaScript or TypeScript.
 *
 * Node 22.18 and later strip types by themselves. What they do not load (an enum, an import of `./x.js` that is `./x.ts`), and all
 * TypeScript on older Nodes, is loaded by jiti, which writes no cache.
 *
 * @param path as the user wrote it. @param file the absolute path of the same file. @param what it is, for messages.
 * @throws {@link CommandError} that says what is wrong, in which file and at which line.
 */
export async function importModule(path: string, file: string, what = "tools module"): Promise<ImportedModule> {
  try {
    return await importFile(file);
  } catch (error) {
    const place = placeIn(error) ?? (error instanceof SyntaxError ? await placeInNode(file) : undefined);
    const shown = place === undefined ? "" : ` (${shownPlace(place)})`;
    throw new CommandError(`The ${what} ${path} could not be loaded: ${whyNot(error)}${shown}`, 1, error);
  }
}

/** Reported before anything of the module has run, unless the module itself imports while it runs: another loader may try. */
const notLoaded: readonly unknown[] = [
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
];

async function importFile(file: string): Promise<ImportedModule> {
  const { href } = pathToFileURL(file);
  try {
    return await import(href);
  } catch (error) {
    const isTypeScript = /\.[cm]?ts$/.test(file);
    if (!isTypeScript || !(error instanceof Error && "code" in error && notLoaded.includes(error.code))) throw error;
    const { createJiti } = await import("jiti");
    return await createJiti(href, { fsCache: false, interopDefault: false }).import<ImportedModule>(file);
  }
}

/** What Node says of an ES module that it reads as CommonJS, since `npm init` writes so, does not tell what to do. */
function whyNot(error: unknown): string {
  const sentence = errorSentence(error).trim();
  const isEsModule = /^(Cannot use import statement|Unexpected token 'export')/.test(sentence);
  return isEsModule ? `${sentence}. Give it the extension .mjs, or its package.json "type": "module".` : sentence;
}

/** Where an error arose: a file with a line, and perhaps a column. */
interface Place {
  readonly file: string;
  /** As in `3` or `3:9`. */
  readonly line: string;
}

/** What Node and jiti put around the message of a syntax error: a line of its own with file and line. */
const ownLine = /^\s*((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?):(\d+(?::\d+)?)$/m;
/** A frame of the stack in a file of the user. Awaiting frames are those of the loader. */
const frame =
  /^\s+at (?!async )(?!.*node:)(?!.*node_modules)(?:.*\()?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?):(\d+:\d+)\)?$/m;

function placeIn(error: unknown): Place | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, file, line] = ownLine.exec(error.stack ?? "") ?? frame.exec(error.stack ?? "") ?? [];
  return file === undefined || line === undefined ? undefined : { file: pathOf(file), line };
}

const pathOf = (file: string): string => (file.startsWith("file://") ? fileURLToPath(file) : file);

function shownPlace({ file, line }: Place): string {
  const inside = relative(process.cwd(), file);
  return `${inside.startsWith("..") ? file : inside}:${line}`;
}

const nodeTimeoutMs = 10_000;

/** Node tells the place of a syntax error only when the error ends the process. Where a module cannot be parsed, none runs. */
function placeInNode(file: string): Promise<Place | undefined> {
  const code = `import ${JSON.stringify(pathToFileURL(file).href)};`;
  const options = { timeout: nodeTimeoutMs, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, ["--input-type=module", "--eval", code], options, (_error, _stdout, stderr) => {
      const [, found, line] = ownLine.exec(stderr) ?? [];
      resolve(found === undefined || line === undefined ? undefined : { file: pathOf(found), line });
    });
  });
}
