import { createHmac } from "node:crypto";

/** Where messages go, and the keys that sign them. */
export interface WebhookTarget {
  readonly url: URL;
  /** One, or several while a secret is replaced. */
  readonly keys: readonly Buffer[];
}

/** A message as it is sent. */
export interface WebhookRequest {
  /** The same each time that the message is sent. Without full stops. */
  readonly id: string;
  readonly body: string;
  /** The time of this attempt: wall clock, in milliseconds. */
  readonly nowMs: number;
}

/**
 * Sends a message once. Redirects are not followed; of the answer only the status is read.
 *
 * Source: Standard Webhooks 1.0.0, "Signature scheme" and "Webhook headers".
 * @throws whatever says why it was not accepted: any status but 200 to 299, no connection, or the end of `signal`.
 */
export async function sendOnce(
  { url, keys }: WebhookTarget,
  { id, body, nowMs }: WebhookRequest,
  signal: AbortSignal,
): Promise<void> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      "user-agent": "resumable-mcp",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": keys.map((key) => sign(key, `${id}.${timestamp}.${body}`)).join(" "),
    },
    body,
    signal,
  });
  await response.body?.cancel();
  if (response.ok) return;
  const isRedirect = response.status >= 300 && response.status < 400;
  throw new Error(`status ${response.status}${isRedirect ? ", and redirects are not followed" : ""}`);
}

function sign(key: Buffer, content: string): string {
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

/** Why a request failed, in a few words; without the URL, which may be a secret. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "an unknown error";
  const { name, message, cause } = error;
  if (name === "TimeoutError") return "no answer in time";
  const code: unknown = Reflect.get(Object(cause), "code");
  return typeof code === "string" ? code : message;
}
