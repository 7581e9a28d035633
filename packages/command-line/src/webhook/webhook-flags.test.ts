import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@resumable-mcp/core";
import { afterAll, expect, test } from "vitest";
import { readWebhook } from "./webhook-flags.js";

const folder = mkdtempSync(join(tmpdir(), "webhook-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const webhook = "https://example.com/hook";

function fileOf(text: string, mode = 0o600): string {
  const path = join(folder, "secret");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** What reading the options says, or whether the store is another one then. */
async function read(values: Parameters<typeof readWebhook>[0], text = secret, mode?: number): Promise<string> {
  const store = createMemoryStore();
  const given = { "webhook-secret-file": fileOf(text, mode), ...values };
  try {
    return (await readWebhook(given, () => {}))(store) === store ? "the same store" : "a webhook";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

test("without a webhook the store stays as it is", async () => {
  expect(await read({ "webhook-secret-file": undefined })).toBe("the same store");
});

test("a webhook needs a URL and a secret", async () => {
  const both = "--webhook URL and --webhook-secret-file FILE belong together: give both.";
  expect(await read({})).toBe(both);
  expect(await read({ webhook, "webhook-secret-file": undefined })).toBe(both);
  expect(await read({ webhook })).toBe("a webhook");
  expect(await read({ webhook }, `# the new one, and the one before\n${secret}\n${secret}\n`)).toBe("a webhook");
});

test("messages go to https, or to this machine, unless webhookInsecure says otherwise", async () => {
  const open = "--webhook wants https, or this machine: others could read http. webhookInsecure allows it.";
  for (const url of ["http://127.0.0.1:8080/", "http://localhost/x", "http://[::1]:1/"])
    expect(await read({ webhook: url })).toBe("a webhook");
  for (const url of [
    "http://example.com/",
    "http://127.0.0.1.example.com/",
    "http://10.0.0.1/",
    "http://localhost.example/",
  ])
    expect(await read({ webhook: url })).toBe(open);
  expect(await read({ webhook: "http://example.com/", "webhook-insecure": true })).toBe("a webhook");
  expect(await read({ webhook: "ftp://example.com/" })).toBe("--webhook wants a URL, as https://example.com/hook.");
  const user = "https://me:private@example.com/";
  expect(await read({ webhook: user })).toBe("--webhook takes no user and password: messages are signed.");
});

test("a secret that others can read, or that is none of Standard Webhooks, is refused and not shown", async () => {
  expect(await read({ webhook }, secret, 0o644)).toMatch(/^Other users of this machine can read or change .*chmod 600/);
  for (const text of ["", "hunter2", "whsec_c2hvcnQ=", `whsec_${Buffer.alloc(65).toString("base64")}`, `${secret}\nx`])
    expect(await read({ webhook }, text)).toMatch(
      /wants lines of whsec_ and 24 to 64 bytes in base64\. Make one: echo/,
    );
  const missing = join(folder, "none");
  expect(await read({ webhook, "webhook-secret-file": missing })).toMatch(
    /^The secret file .*none of the webhook cannot/,
  );
});
