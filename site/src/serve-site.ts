import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A built site on a free port of this machine. */
export interface ServedSite {
  /** With a slash at the end. */
  readonly url: string;
  close(): void;
}

/** Serves a built site as any static host does. */
export async function serveSite(folder: string): Promise<ServedSite> {
  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const path = normalize(decodeURI(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const content = await readFile(join(folder, path)).catch(() => undefined);
    if (content === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
