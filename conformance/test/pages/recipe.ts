import { join } from "node:path";
import { type Program, start } from "../../src/program.js";
import { root } from "../../src/repository.js";
import { freePort } from "../packed/free-port.js";
import { commandLines, writePage } from "./page.js";

const program = join(root, "packages", "resumable-mcp", "dist", "cli.js");

/** A page whose commands are typed, each with another port and folders of its own. */
export interface TypedPage {
  /** Where the commands run. */
  readonly folder: string;
  /** Types the page's line that begins so, after `npx resumable-mcp`; `changed` puts real values in the place of examples. */
  type(beginning: string, changed?: (line: string) => string): Program;
  /** Types the line that serves or wraps, and waits until the server listens. */
  serve(changed?: (line: string) => string): Promise<Program>;
}

/** Opens a page as its reader does: its files in a folder, and a shell there. */
export async function openPage(page: string): Promise<TypedPage> {
  const folder = writePage(page, "recipes");
  const port = await freePort();
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state"), XDG_DATA_HOME: join(folder, "data") };
  const type: TypedPage["type"] = (beginning, changed = (line) => line) => {
    const lines = commandLines(page).map((line) => line.replace(/^npx resumable-mcp /, ""));
    const line = lines.find((one) => one.replace(/^--url \S+ /, "").startsWith(beginning));
    if (line === undefined) throw new Error(`${page} has no command ${beginning}.`);
    // A shell reads quotes as the reader's does.
    const typed = changed(line.replaceAll("127.0.0.1:8001", `127.0.0.1:${port}`));
    return start("sh", ["-c", `exec "$0" "$1" ${typed}`, process.execPath, program], { cwd: folder, env });
  };
  return {
    folder,
    type,
    async serve(changed = (line) => line) {
      const options = ` http --port ${port} --recover-after now`;
      const words = commandLines(page).some((line) => / wrap http /.test(line)) ? "wrap http" : "serve http";
      const server = type(words, (line) => changed(line.replace(" http", options)));
      await server.seen(/listening on /);
      return server;
    },
  };
}
