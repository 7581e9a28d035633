import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openCredentialsFile } from "./credentials-file.js";
import { signIn } from "./sign-in.js";

/** A server that is its own authorization server, and names any page to sign in on. */
async function startServer(page: string) {
  const http = createServer((request, response) => {
    const { origin } = new URL(`http://${request.headers.host}`);
    const isMetadata = request.url?.startsWith("/.well-known/oauth-authorization-server") === true;
    const metadata = {
      issuer: origin,
      authorization_endpoint: page,
      token_endpoint: `${origin}/token`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    };
    response.writeHead(isMetadata ? 200 : request.method === "POST" ? 401 : 404, {
      "content-type": "application/json",
    });
    response.end(isMetadata ? JSON.stringify(metadata) : "{}");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { http, address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

it.each(["file:///etc/passwd", "ssh://example.com/", "ms-settings:privacy"])(
  "does not open %s, which a server names as its page to sign in on",
  async (page) => {
    const folder = await mkdtemp(join(tmpdir(), "sign-in-"));
    const { http, address } = await startServer(page);
    const credentials = await openCredentialsFile(join(folder, "client.credentials.json"));
    const shown: string[] = [];
    const limits = { requestTimeoutMs: 60_000, signInTimeoutMs: 60_000 };
    const signingIn = signIn({ address, credentials, limits }, { clientId: "me", onPage: (url) => shown.push(url) });
    await expect(signingIn).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      message: expect.stringContaining(`a sign-in page of ${new URL(page).protocol}`),
    });
    expect(shown).toEqual([]);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await rm(folder, { recursive: true });
  },
);
