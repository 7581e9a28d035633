// A stock client of the SDK that signs in and calls a tool, and signs in again where the tool wants more scopes. Arguments:
// the server's URL, the tool, and the id of a client that was registered by hand. Prints the tokens and the result.
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [, , address, name, clientId] = process.argv;
const url = new URL(address);
const redirectUrl = "http://127.0.0.1:9/callback";
const kept = { client: clientId && { client_id: clientId } };
const tokens = [];
const authProvider = {
  redirectUrl,
  clientMetadata: {
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => {
    kept.client = client;
  },
  tokens: () => kept.tokens,
  saveTokens: (given) => {
    kept.tokens = given;
    tokens.push(given.access_token);
  },
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (page) => {
    kept.page = page;
  },
};

/** What a browser does: follows redirects with the cookies of each host, until it is sent back to the client. */
async function browse(page) {
  const cookiesOf = new Map();
  for (let next = page.href; ; ) {
    if (next.startsWith(redirectUrl)) return new URL(next).searchParams;
    const { hostname } = new URL(next);
    const cookies = cookiesOf.get(hostname) ?? new Map();
    cookiesOf.set(hostname, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`No redirect, but ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
}

/** Does what a client wants to do, and once more when it has signed in. */
async function signedIn(run) {
  const { done, transport } = run();
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const answer = await browse(kept.page);
    await transport.finishAuth(answer.get("code") ?? "");
    return run().done;
  }
}

const { client, transport } = await signedIn(() => {
  const client = new Client({ name: "stock", version: "1" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  return { transport, done: client.connect(transport).then(() => ({ client, transport })) };
});
const { structuredContent: result } = await signedIn(() => ({
  transport,
  done: client.callTool({ name, arguments: { n: 2 } }),
}));
process.stdout.write(`${JSON.stringify({ tokens, result })}\n`);
await client.close();
