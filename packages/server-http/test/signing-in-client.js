// A stock client of the SDK that signs in and calls a tool. Argument: the server's URL. Prints the token and the result.
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.argv[2]);
const redirectUrl = "http://127.0.0.1:9/callback";
const kept = {};
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
  saveTokens: (tokens) => {
    kept.tokens = tokens;
  },
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (page) => {
    kept.page = page;
  },
};

/** What a browser does: follows redirects with its cookies, until it is sent back to the client. */
async function browse(page) {
  const cookies = new Map();
  for (let next = page.href; ; ) {
    if (next.startsWith(redirectUrl)) return new URL(next).searchParams;
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

async function connect() {
  const client = new Client({ name: "stock", version: "1" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const answer = await browse(kept.page);
    await transport.finishAuth(answer.get("code") ?? "");
    return connect();
  }
}

const client = await connect();
const result = await client.callTool({ name: "count_to", arguments: { n: 2 } });
process.stdout.write(`${JSON.stringify({ token: kept.tokens.access_token, result: result.structuredContent })}\n`);
await client.close();
