import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../src/repository.js";
import { examplesIn, filesIn } from "../readme-examples.js";

const server = `declare const server: import("@modelcontextprotocol/sdk/server/mcp.js").McpServer;`;
const tools = `declare const tools: readonly import("resumable-mcp").Tool[];`;

/** What the fragments of a page leave open: names that their reader has, or that a file of the page declares. */
const openNames: Readonly<Record<string, string>> = {
  "README.md": `declare const countTo: import("resumable-mcp").Tool; ${server.replace("server:", "myMcpServer:")}`,
  "docs/control-tools.md": `${tools} ${server} declare const engine: import("resumable-mcp").Engine;`,
  "docs/migrating.md": `${server} declare function readRows(path: string): Promise<string[]>;
    declare function insert(row: string): Promise<void>;
    declare function insertAll(rows: string[], options: { idempotencyKey: string }): Promise<void>;`,
  "packages/client/README.md": "declare const token: string;",
  "packages/client-tui/README.md": "declare function killServer(): Promise<string>;",
  "packages/protocol/README.md": `declare const client: import("@modelcontextprotocol/sdk/client/index.js").Client;
    declare const [task_id, clientId]: readonly [string, string];`,
  "packages/server-http/README.md": `${tools} declare function subjectOf(token: string): Promise<string>;
    declare const { definition, verifyToken, publicUrl, authorizationServers }: Required<import("@resumable-mcp/server-http").ServeOptions>;
    declare const app: {
      all(paths: readonly string[], listener: import("@resumable-mcp/mcp").NodeListener): void;
      all(path: string, handle: (request: { raw: import("node:http").IncomingMessage; body: unknown }, reply: Reply) => void): void;
      on(methods: readonly string[], paths: readonly string[], handle: (context: Context) => Promise<Response>): void;
    };
    interface Reply { raw: import("node:http").ServerResponse; hijack(): void }
    interface Context { req: { raw: Request } }`,
  "packages/store-encryption/README.md": tools,
  "packages/telemetry/README.md": tools,
};

/** Documents whose code is compiled, and run where another test takes it up. */
export const documents: readonly string[] = [
  "README.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
].filter((path) => path.endsWith(".md"));

/** What a block of code declares or imports at its outermost level. */
const namesOf = (code: string) => [
  ...[...code.matchAll(/^(?:export )?(?:const|function\*?|class|type) (\w+)/gm)].map(([, name]) => name),
  ...[...code.matchAll(/^import (?:type )?{ (.*) }/gm)].flatMap(([, names = ""]) => names.split(", ")),
];

/** A module of the fragments of a page. */
export interface Fragments {
  readonly page: string;
  readonly code: string;
}

/**
 * The code of documents that is not a file: blocks without a name, as modules of TypeScript. A block continues the one before,
 * unless it declares something again.
 */
export function fragmentsOf(pages: readonly string[]): readonly Fragments[] {
  return pages.flatMap((page) => {
    const named = new Set(filesIn(page).values());
    const modules: { names: Set<string | undefined>; code: string }[] = [];
    for (const { language, code } of examplesIn(page)) {
      if (!/^[jt]s$/.test(language) || named.has(code)) continue;
      const names = namesOf(code);
      const last = modules.at(-1);
      if (last !== undefined && !names.some((name) => last.names.has(name))) {
        last.code += code;
        for (const name of names) last.names.add(name);
      } else modules.push({ names: new Set(names), code });
    }
    return modules.map(({ code }) => ({ page, code: `${openNames[page] ?? ""} ${code}\nexport {};\n` }));
  });
}
