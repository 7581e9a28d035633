import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, createMemoryStore, type Json } from "@resumable-mcp/core";
import { checkResumable } from "@resumable-mcp/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isPublicAddress } from "../download/public-address.js";
import { createDownload } from "./download.js";

const content = randomBytes(1_000);
const sha256 = sha256Of(content);
let folder: string;
let site: Awaited<ReturnType<typeof startSite>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "download-"));
  site = await startSite();
});
afterEach(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});

const makeTool = (maxFileBytes = 10_000, mayReach: (address: string) => boolean = () => true) =>
  createDownload({ folder, maxFileBytes, mayReach });

async function download(input: { url: string; [name: string]: Json }, tool = makeTool()) {
  const tasks = createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
  const { record } = await tasks.start({ tool: tool.name, input: { chunk_bytes: 100, ...input } });
  const messages: string[] = [];
  for await (const entry of tasks.follow(record.id)) {
    if (entry.kind !== "event") continue;
    if (entry.event.type === "log") messages.push(String(entry.event.data));
    // What was sent is safely on disk: only now the connection may break.
    if (entry.event.type === "checkpoint" && entry.event.progress === site.breakAfter) site.breakOff();
  }
  const { record: ended } = await tasks.wait(record.id);
  return { ended, messages, output: ended.output as { path: string } & Record<string, Json> };
}

test("ends with the same file wherever it is killed (G1, G2)", async () => {
  const report = await checkResumable(makeTool(), { url: site.url, sha256, chunk_bytes: 300 });
  expect(report.differences).toEqual([]);
  expect(report.output).toMatchObject({ bytes: 1_000, sha256, verified: true, status: "completed" });
  expect(site.ranges).toContain("bytes=300-");
  expect(site.ranges).toContain("bytes=900-");
});

test("writes the file into its folder under a name that it chose", async () => {
  const { output, ended } = await download({ url: `${site.url}/a/..%2F..%2Fetc%2Fpasswd` });
  expect(output.path).toBe(join(folder, `${ended.id}-.._2F.._2Fetc_2Fpasswd`));
  expect(await readdir(folder)).toEqual([`${ended.id}-.._2F.._2Fetc_2Fpasswd`]);
  expect(await readFile(output.path)).toEqual(content);
  expect(output).toMatchObject({ verified: false, sha256 });
});

test("continues where a broken connection left off", async () => {
  site.breakAfter = 300;
  const { output, messages } = await download({ url: site.url, sha256 });
  expect(output).toMatchObject({ bytes: 1_000, verified: true });
  expect(site.ranges).toEqual([undefined, "bytes=300-"]);
  expect(messages).toEqual([
    `Starting download of ${site.url}`,
    "Resuming download at byte 300",
    "Download completed: 1000 bytes",
  ]);
});

test("begins again and says so when the file changed on the server; progress never goes back (G6)", async () => {
  const other = randomBytes(800);
  site.breakAfter = 300;
  site.onBroken = () => Object.assign(site, { content: other, etag: '"second"' });
  const { output, messages, ended } = await download({ url: site.url, sha256: sha256Of(other) });
  expect(output).toMatchObject({ bytes: 800, verified: true });
  expect(messages).toContain("The file changed on the server: the download begins again");
  expect([ended.progress, ended.total]).toEqual([1_100, 1_100]);
  expect(await readFile(output.path)).toEqual(other);
});

test("begins again when the server sends nothing by which an unchanged file could be recognised", async () => {
  site.etag = undefined;
  site.breakAfter = 300;
  const { output, messages } = await download({ url: site.url, sha256 });
  expect(output).toMatchObject({ bytes: 1_000, verified: true });
  expect(messages).toContain("The server does not say whether the file is still the same: the download begins again");
});

test("downloads a file whose size the server does not say, and an empty file", async () => {
  site.tellSize = false;
  expect((await download({ url: site.url, sha256 })).output).toMatchObject({ bytes: 1_000, verified: true });
  site.content = Buffer.alloc(0);
  const empty = await download({ url: site.url });
  expect(empty.output).toMatchObject({ bytes: 0, sha256: sha256Of(site.content) });
  expect(await readFile(empty.output.path)).toEqual(site.content);
});

test("discards a file with another checksum", async () => {
  const { ended } = await download({ url: site.url, sha256: "0".repeat(64) });
  expect(ended.error?.message).toBe(
    `The file's SHA-256 is ${sha256}, not ${"0".repeat(64)}: it was discarded. Check address and sum.`,
  );
  expect(await readdir(folder)).toEqual([]);
});

test.each([true, false])(
  "refuses a file that is too large, whether the server says its size (%s) or not",
  async (tellSize) => {
    site.tellSize = tellSize;
    const { ended } = await download({ url: site.url }, makeTool(500));
    expect(ended.error?.message).toBe("The file has more than 500 bytes, the limit of a download.");
  },
);

test("fails at once where another attempt would be useless", async () => {
  site.status = 404;
  const { ended } = await download({ url: site.url });
  expect(ended.error?.message).toBe(`The server answered 404 for ${site.url}.`);
  expect(site.ranges).toHaveLength(1);
});

test.each([
  ["ftp://example.org/file", "must be an http or https address"],
  ["file:///etc/passwd", "must be an http or https address"],
  ["not a url", "must be an http or https address"],
  ["http://me:secret@example.org/", "must not contain a user name"],
])("refuses %s before there is a task", async (url, message) => {
  await expect(download({ url })).rejects.toThrow(`url: ${message}`);
});

test.each(["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f000001", "2130706433"])(
  "reaches no machine behind the server: %s (F15)",
  async (host) => {
    const { ended } = await download({ url: site.url.replace("127.0.0.1", host) }, makeTool(500, isPublicAddress));
    expect(ended.error?.message).toMatch(
      / is not a public address, and this server downloads from public ones alone\.$/,
    );
    expect([site.ranges, ended.attempt]).toEqual([[], 1]);
  },
);

test("follows redirects, with what it asks for, and judges the address of each (F15)", async () => {
  const mayReach = (address: string) => address === "127.0.0.1";
  site.redirects = ["/elsewhere", `${site.url}/there`];
  site.breakAfter = 300;
  const { output } = await download({ url: site.url, sha256 }, makeTool(10_000, mayReach));
  expect(output).toMatchObject({ bytes: 1_000, verified: true });
  expect(site.ranges).toEqual([undefined, "bytes=300-"]);
  site.redirects = [site.url.replace("127.0.0.1", "127.0.0.2")];
  const { ended } = await download({ url: `${site.url}/again` }, makeTool(10_000, mayReach));
  expect(ended.error?.message).toContain("127.0.0.2 is not a public address");
  expect(site.ranges).toHaveLength(2);
});

test.each([
  [["file:///etc/passwd"], "file: is not http or https."],
  [["http://"], "has a redirect to no address."],
  [["/1", "/2", "/3", "/4", "/5", "/6"], "has more than 5 redirects."],
])("follows no redirect %j", async (redirects, sentence) => {
  site.redirects = redirects;
  const { ended } = await download({ url: site.url });
  expect(ended.error?.message).toContain(sentence);
});

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A server of one file, which can break off once, change the file, or leave out what helps to resume. */
async function startSite() {
  const settings = {
    url: "",
    content: content as Buffer,
    etag: '"first"' as string | undefined,
    status: 200,
    tellSize: true,
    breakAfter: undefined as number | undefined,
    onBroken: () => {},
    breakOff: () => {},
    ranges: [] as (string | undefined)[],
    /** Where the next requests are sent to, each once. */
    redirects: [] as string[],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const server = createServer((request, response) => answer(settings, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  settings.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return settings;
}

function answer(
  settings: Awaited<ReturnType<typeof startSite>>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { etag, status, tellSize, breakAfter } = settings;
  const location = settings.redirects.shift();
  if (location !== undefined) return void response.writeHead(302, { location }).end();
  settings.ranges.push(request.headers.range);
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const isPart = first !== undefined && request.headers["if-range"] === etag;
  const from = isPart ? Number(first) : 0;
  const rest = settings.content.subarray(from);
  if (etag !== undefined) response.setHeader("etag", etag);
  if (tellSize) response.setHeader("content-length", rest.byteLength);
  if (isPart)
    response.setHeader(
      "content-range",
      `bytes ${from}-${settings.content.byteLength - 1}/${settings.content.byteLength}`,
    );
  response.writeHead(isPart ? 206 : status);
  if (breakAfter === undefined) return void response.end(rest);
  response.write(rest.subarray(0, breakAfter));
  settings.breakOff = () => {
    settings.breakAfter = undefined;
    settings.onBroken();
    response.destroy();
  };
}
