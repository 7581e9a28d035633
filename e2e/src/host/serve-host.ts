import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The policy of an app that asks for nothing. Source: MCP Apps 2026-01-26, "Content Security Policy Enforcement". */
const appPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "report-uri /reports",
].join("; ");

const style =
  "html, body { height: 100%; margin: 0 } iframe { border: 0; width: 100%; height: 100%; min-height: 480px; display: block }";

/** The pages of the reference host. */
export interface ServedHost {
  /** The origin of the host's page. */
  readonly origin: string;
  /** The page of the outer frame, of another origin. */
  readonly sandbox: string;
  /** What the browser reported of the apps' policy, oldest first. */
  readonly reports: readonly string[];
  close(): Promise<void>;
}

/** Serves the host's page and the outer frame, each on a free port. */
export async function serveHost(): Promise<ServedHost> {
  const [hostScript, sandboxScript] = await Promise.all(["host-page.ts", "sandbox-page.ts"].map(bundle));
  const reports: string[] = [];
  const host = await listen((request, response) => {
    const [type, body] = request.url === "/host.js" ? ["text/javascript", hostScript] : ["text/html", page("host.js")];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
  const sandbox = await listen((request, response) => {
    if (request.method === "POST") {
      void text(request).then((report) => reports.push(report));
      response.writeHead(204).end();
      return;
    }
    const [type, body] =
      request.url === "/sandbox.js" ? ["text/javascript", sandboxScript] : ["text/html", page("sandbox.js")];
    const headers = { "content-type": `${type}; charset=utf-8`, "content-security-policy": appPolicy };
    response.writeHead(200, headers).end(body);
  });
  return {
    origin: host.origin,
    sandbox: `${sandbox.origin}/`,
    reports,
    close: async () => {
      await Promise.all([host.close(), sandbox.close()]);
    },
  };
}

function page(script: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Reference host</title><style>${style}</style></head><body><script type="module" src="/${script}"></script></body></html>`;
}

async function bundle(file: string): Promise<string> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  const [output] = built.outputFiles;
  if (output === undefined) throw new Error(`${file} was not bundled.`);
  return output.text;
}

interface Listening {
  readonly origin: string;
  close(): Promise<void>;
}

async function listen(answer: RequestListener): Promise<Listening> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
