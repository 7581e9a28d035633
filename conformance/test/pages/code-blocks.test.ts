import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkResumable } from "@resumable-mcp/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killAll, start } from "../../src/program.js";
import { read, root } from "../../src/repository.js";
import { examplesIn, filesIn } from "../readme-examples.js";
import { documents, fragmentsOf } from "./fragment.js";
import { pages, placeFor, writePage } from "./page.js";

const typescript = join(root, "conformance", "node_modules", "typescript", "bin", "tsc");
const written = placeFor("code");
const compiled = join(written, "compiled");
/** The files of the page of recipes are compiled where their frameworks are. */
const recipes = "docs/frameworks.md";
let compiledOnly: string[];
let files: readonly { readonly path: string; readonly code: string }[];

beforeAll(() => {
  rmSync(written, { recursive: true, force: true });
  files = pages.flatMap((page) => {
    const folder = writePage(page, "code");
    return [...filesIn(page)].map(([name, code]) => ({ path: join(folder, name), code }));
  });
  const others = documents.filter((page) => !pages.includes(page) && page !== recipes);
  compiledOnly = others.flatMap((page) => {
    const folder = writePage(page, "code");
    return [...filesIn(page).keys()].map((name) => join(folder, name));
  });
  for (const [index, { page, code }] of fragmentsOf(others).entries()) {
    const path = join(written, "fragments", `${index}-${page.replaceAll("/", "-")}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    compiledOnly.push(path);
  }
});
afterAll(killAll);

test("every block of code of a page is a file that is compiled, a command, or what a program prints", () => {
  const blocks = pages.flatMap((page) => {
    const named = new Set(filesIn(page).values());
    return examplesIn(page).filter(({ language, code }) => /^(?:[jt]s|py)$/.test(language) !== named.has(code));
  });
  expect(blocks).toEqual([]);
  const languages = new Set(pages.flatMap((page) => examplesIn(page).map(({ language }) => language)));
  expect([...languages].sort()).toEqual(["diff", "js", "json", "py", "sh", "text", "ts"]);
});

test("a recipe fits on a screen", () => {
  // A whole app, and the same tool for each SDK.
  const longer = ["docs/cookbook/web-app.md", "docs/cookbook/checkpoints.md"];
  const recipes = pages.filter((page) => page.startsWith("docs/cookbook/") && !longer.includes(page));
  expect(recipes.filter((page) => read(page).trimEnd().split("\n").length > 80)).toEqual([]);
});

test("the code of all documents compiles under strict, and the tests and programs of a page run", async () => {
  const compilerOptions = {
    ...{ target: "ES2023", lib: ["ES2023", "DOM"], module: "NodeNext", types: ["node"], strict: true },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, allowJs: true, checkJs: true },
    ...{ noImplicitAny: false, skipLibCheck: true, rootDir: ".", outDir: compiled },
  };
  writeFileSync(join(written, "package.json"), JSON.stringify({ type: "module" }));
  const compilable = files.map(({ path }) => path).filter((path) => !path.endsWith(".py"));
  const config = { compilerOptions, files: [...compilable, ...compiledOnly] };
  writeFileSync(join(written, "tsconfig.json"), JSON.stringify(config));
  await start(process.execPath, [typescript, "-p", join(written, "tsconfig.json")]).succeeded();

  const contract = join(compiled, "writing-a-store", "my-store.test.js");
  expect(await start(process.execPath, ["--test", contract]).succeeded()).toMatch(/^(?:#|ℹ) pass \d{3}$/m);
  const checked = await start(process.execPath, [join(compiled, "writing-a-store", "check-store.js")]).succeeded();
  expect(checked.match(/^[A-Z]+-\d passed: /gm)).toHaveLength(3);
});

test("the tool of the page about FastMCP gives the same wherever it is killed", async () => {
  const file = files.find(({ code }) => code.includes('name: "summarize"'));
  const { default: tools } = await import(file?.path ?? "summarize");
  const report = await checkResumable(tools[0], { chapters: ["one two", "three", "four five six"] });
  expect(report.boundaries).toBeGreaterThan(2);
  expect(report.differences).toEqual([]);
});

test("every option that a page names is one of the programs'", async () => {
  const program = join(root, "packages", "resumable-mcp", "dist", "cli.js");
  const asked = [
    ["help"],
    ["serve", "http", "--help", "all"],
    ["serve", "stdio", "--help", "all"],
    ["store", "--help"],
    ...["versions", "clean", "export"].map((name) => ["store", name, "--help"]),
    ...["tasks", "show", "stats", "resume"].map((name) => [name, "--store", "store", "--help"]),
    ["dev", "--help", "all"],
    ["wrap", "http", "--help", "all"],
    ["help", "call"],
    ["help", "tasks"],
    ["help", "servers"],
  ];
  const helps = await Promise.all(asked.map((words) => start(process.execPath, [program, ...words]).succeeded()));
  // Of npm, Node, pg_dump, Claude Code and the benchmark.
  const foreign = ["--save-dev", "--test", "--import", "--schema", "--debug", "--postgres", "--only"];
  const operators = ["auth", "deploy", "limits", "observe", "postgres", "security", "store-commands", "upgrading"];
  const named = [...pages, ...[...operators, "errors", "troubleshooting"].map((name) => `docs/${name}.md`)].flatMap(
    (page) => [...read(page).matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option),
  );
  expect(named.length).toBeGreaterThan(20);
  const known = new Set([...helps.join("\n").matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option));
  expect([...new Set(named)].filter((option) => !known.has(option) && !foreign.includes(option))).toEqual([]);
});
