import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A packed package: its manifest, and the path of its tarball. */
export interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: string;
}

/**
 * A registry on this machine, which has the packed packages as if they were published, and sends npm to another one for the rest.
 *
 * Source: the registry's API, as npm uses it: `GET /NAME` gives the versions, each with the address of its tarball.
 */
export async function startRegistry(packages: readonly PackedPackage[], upstream: string) {
  const byName = new Map(packages.map((packed) => [packed.manifest.name, packed]));
  const http = createServer(({ url: path = "/", headers }, response) => {
    const [, name = "", file] = /^\/((?:@[^/]+\/)?[^/]+)(\/-\/.*)?$/.exec(decodeURIComponent(path)) ?? [];
    const packed = byName.get(name);
    if (packed === undefined) {
      response.writeHead(307, { location: new URL(path.slice(1), upstream).href }).end();
      return;
    }
    const bytes = readFileSync(packed.tarball);
    if (file !== undefined) {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
      return;
    }
    const { manifest } = packed;
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const tarball = `http://${headers.host}/${name}/-/${manifest.version}.tgz`;
    const versions = { [manifest.version]: { ...manifest, dist: { tarball, integrity } } };
    const document = { name, "dist-tags": { latest: manifest.version }, versions };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
