import { open } from "node:fs/promises";
import type { Store } from "@resumable-mcp/core";
import { othersRights } from "@resumable-mcp/store-encryption";
import { CommandError, errorSentence } from "../command-error.js";
import type { StdioValues } from "../options/server-options.js";
import type { WebhookTarget } from "./request.js";

type WebhookValues = Pick<StdioValues, "webhook" | "webhook-secret-file" | "webhook-insecure">;

/**
 * Reads where messages about tasks go. Without a webhook the store stays as it is, and nothing is loaded.
 *
 * @throws {@link CommandError} that says what the options take. The URL is not quoted: it may be a secret.
 */
export async function readWebhook(
  values: WebhookValues,
  onProblem: (sentence: string) => void,
): Promise<(store: Store) => Store> {
  const target = await readTarget(values);
  if (target === undefined) return (store) => store;
  const { withWebhook } = await import("./with-webhook.js");
  return (store) => withWebhook(store, { ...target, onProblem });
}

async function readTarget(values: WebhookValues): Promise<WebhookTarget | undefined> {
  const { webhook, "webhook-secret-file": file, "webhook-insecure": insecure = false } = values;
  if (webhook === undefined && file === undefined) return undefined;
  if (webhook === undefined || file === undefined) {
    const text = "--webhook URL and --webhook-secret-file FILE belong together: give both.";
    throw new CommandError(text, 2);
  }
  const url = readUrl(webhook, insecure);
  return { url, keys: await readSecrets(file) };
}

function readUrl(text: string, insecure: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CommandError("--webhook wants a URL, as https://example.com/hook.", 2);
  if (url.username !== "" || url.password !== "")
    throw new CommandError("--webhook takes no user and password: messages are signed.", 2);
  if (url.protocol === "https:" || isLoopback(url) || insecure) return url;
  throw new CommandError(
    "--webhook wants https, or this machine: others could read http. webhookInsecure allows it.",
    2,
  );
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

const howToMake = "Make one: echo whsec_$(openssl rand -base64 32)";

/** Source: Standard Webhooks 1.0.0, "Signature scheme": 24 to 64 bytes in base64, behind `whsec_`. */
async function readSecrets(path: string): Promise<readonly Buffer[]> {
  const unreadable = (error: unknown): never => {
    throw new CommandError(`The secret file ${path} of the webhook cannot be read: ${errorSentence(error)}`, 1, error);
  };
  const handle = await open(path, "r").catch(unreadable);
  try {
    const rights = othersRights(await handle.stat());
    if (rights.read || rights.write)
      throw new CommandError(`Other users of this machine can read or change ${path}. Run: chmod 600 ${path}`);
    const text = await handle.readFile("utf8").catch(unreadable);
    const lines = text.split("\n").map((line) => line.trim());
    const secrets = lines.filter((line) => line !== "" && !line.startsWith("#"));
    const keys = secrets.map((secret) =>
      Buffer.from(/^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? "", "base64"),
    );
    if (keys.length > 0 && keys.every(({ length }) => length >= 24 && length <= 64)) return keys;
    throw new CommandError(`The secret file ${path} wants lines of whsec_ and 24 to 64 bytes in base64. ${howToMake}`);
  } finally {
    await handle.close();
  }
}
