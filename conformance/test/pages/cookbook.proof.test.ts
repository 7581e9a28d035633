import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { killAll, type Program, start } from "../../src/program.js";
import { shownResult, writePage } from "./page.js";
import { openPage, type TypedPage } from "./recipe.js";
import { type Answer, openWorld } from "./world.js";

afterEach(killAll);

/** Kills the server of a recipe, starts the page's next one, and gives what the call printed in the end. */
async function killed(page: TypedPage, server: Program, call: Program, then: () => void): Promise<unknown> {
  await server.stop("SIGKILL");
  await page.serve();
  then();
  return JSON.parse(await call.succeeded());
}

async function world(answer: (request: IncomingMessage) => Answer, isHeld: (request: IncomingMessage) => boolean) {
  const opened = await openWorld(answer, isHeld);
  onTestFinished(() => opened.close());
  return opened;
}

test("crawl: the server is killed while it reads a page, and every page is read", async () => {
  const page = await openPage("docs/cookbook/crawl.md");
  const read: string[] = [];
  // Twelve pages, each with links to the next two.
  const site = await world(
    ({ url = "/" }) => {
      read.push(url);
      const number = Number(url.slice(1) || 0);
      const links = [number + 1, number + 2].filter((next) => next < 12).map((next) => `<a href="/${next}">next</a>`);
      return { body: `<title>Page ${number}</title>${links.join("")}<a href="https://example.com/">elsewhere</a>` };
    },
    ({ url }) => url === "/7",
  );
  const server = await page.serve();
  const call = page.type("call crawl_site", (line) => line.replace("http://127.0.0.1:8080/", site.url));
  await site.held;
  expect(await killed(page, server, call, site.release)).toEqual(shownResult("docs/cookbook/crawl.md"));
  expect(read.length).toBeLessThanOrEqual(13);
  expect(new Set(read).size).toBe(12);
});

test("batch: the server is killed while it reads a file, and every file is compressed", async () => {
  const page = await openPage("docs/cookbook/batch.md");
  const papers = join(page.folder, "papers");
  mkdirSync(papers);
  for (let number = 10; number < 40; number++) writeFileSync(join(papers, `${number}.txt`), "word ".repeat(200));
  // A file whose end does not come until it is written: the server waits for it.
  const slow = join(papers, "25.txt");
  execFileSync("sh", ["-c", `rm "${slow}" && mkfifo "${slow}"`]);
  const server = await page.serve();
  const call = page.type("call compress_files");
  await call.seen(/15\/30/);
  const result = await killed(page, server, call, () => {
    start("sh", ["-c", `printf '%s' "$1" > "${slow}"`, "sh", "word ".repeat(200)]);
  });
  expect(result).toEqual(shownResult("docs/cookbook/batch.md"));
  expect(readdirSync(join(page.folder, "archive"))).toHaveLength(30);
});

test("many calls: the shop limits its calls and fails, the server is killed twice, and each order is booked once", async () => {
  const page = await openPage("docs/cookbook/many-calls.md");
  const orders = Array.from({ length: 200 }, (_, index) => `order-${index}`);
  const keys = new Map(orders.map((order) => [order, [] as string[]]));
  const times: number[] = [];
  let calls = 0;
  const shop = await world(
    ({ url = "/", headers }) => {
      if (url === "/orders") return { body: orders.join("\n") };
      const now = performance.now();
      while (times[0] !== undefined && times[0] < now - 1_000) times.shift();
      if (times.length >= 100) return { status: 429 };
      times.push(now);
      calls += 1;
      if (calls % 20 === 0) return { status: 503 };
      keys.get(url.split("/").at(-1) ?? "")?.push(`${headers["idempotency-key"]}`);
      return { body: "booked" };
    },
    ({ url }) => url === "/orders/order-60",
  );
  const server = await page.serve();
  const call = page.type("call book_orders", (line) => line.replace("http://127.0.0.1:8080/", shop.url));
  await shop.held;
  await server.stop("SIGKILL");
  const second = await page.serve();
  shop.release();
  await call.seen(/1\d\d\/200/);
  expect(await killed(page, second, call, () => {})).toEqual(shownResult("docs/cookbook/many-calls.md"));
  const booked = [...keys.values()];
  expect(booked.map((each) => new Set(each).size)).toEqual(orders.map(() => 1));
  expect(new Set(booked.flat()).size).toBe(200);
  // What was booked again was in flight at a death.
  expect(booked.flat().length).toBeLessThanOrEqual(200 + 2 * 100);
});

test("flaky API: the server is killed during an order, the service fails in two ways, and each part is bought once", async () => {
  const page = await openPage("docs/cookbook/flaky-api.md");
  const bought = new Map<string, string>();
  const refusals: Answer[] = [{ status: 503 }, { status: 429, headers: { "retry-after": "1" } }];
  const supplier = await world(
    ({ url = "/", headers }) => {
      const key = `${headers["idempotency-key"]}`;
      const part = url.split("/").at(-1) ?? "";
      const refusal = part === "gear" ? refusals.shift() : undefined;
      if (refusal !== undefined) return refusal;
      const receipt = bought.get(key) ?? `${part} ${bought.size + 1}`;
      bought.set(key, receipt);
      return { body: receipt };
    },
    ({ url }) => url === "/orders/nut",
  );
  const server = await page.serve();
  const call = page.type("call order_parts", (line) => line.replace("http://127.0.0.1:8080/", supplier.url));
  await supplier.held;
  const result = await killed(page, server, call, supplier.release);
  expect(result).toEqual(shownResult("docs/cookbook/flaky-api.md"));
  expect([bought.size, refusals]).toEqual([3, []]);
});

test("limited service: one of two servers is killed, and no more recordings are transcribed at once than may be", async () => {
  const page = await openPage("docs/cookbook/limited-service.md");
  const asked: string[] = [];
  const service = await world(
    ({ url = "/" }) => ({ body: `What ${url.split("/").at(-1)} says.` }),
    ({ url = "/" }) => asked.push(url) > 0,
  );
  const server = await page.serve();
  const other = page.type("serve http", (line) => line.replace(" http", " http --port 0 --recover-after now"));
  await other.seen(/listening on /);
  const names = ["monday", "tuesday", "friday"];
  const calls = names.map((name) =>
    page.type("call transcribe", (line) => line.replace("http://127.0.0.1:8080/", service.url).replace("monday", name)),
  );
  const listed = async () => (await page.type("tasks").succeeded()).match(/transcribe/g)?.length;
  await expect.poll(async () => [await listed(), asked.length]).toEqual([3, 2]);
  await server.stop("SIGKILL");
  // The two that had begun, on the other server.
  await expect.poll(() => asked.length).toBe(4);
  await page.serve();
  service.release();
  const results = await Promise.all(calls.map(async (call) => JSON.parse(await call.succeeded())));
  expect(results[0]).toEqual(shownResult("docs/cookbook/limited-service.md"));
  expect([results, asked.length]).toEqual([names.map((name) => ({ text: `What ${name}.mp3 says.` })), 4]);
});

test("ask: the server is killed while the question is open, and another process answers it", async () => {
  const page = await openPage("docs/cookbook/ask.md");
  const cache = join(page.folder, "cache");
  mkdirSync(cache);
  for (let number = 0; number < 20; number++) writeFileSync(join(cache, `${number}.tmp`), "");
  writeFileSync(join(cache, "kept.txt"), "");
  const server = await page.serve();
  const call = page.type("call clean_folder");
  const [, id = ""] = await call.seen(/resumable-mcp answer (\S+) agree/);
  await server.stop("SIGKILL");
  await page.serve();
  const withId = (line: string) => line.replace("TASK", id);
  expect(await page.type("tasks").succeeded()).toContain("clean_folder");
  await page.type("answer", withId).succeeded();
  expect(JSON.parse(await page.type("wait", withId).succeeded())).toEqual(shownResult("docs/cookbook/ask.md"));
  expect(readdirSync(cache)).toEqual(["kept.txt"]);
});

test("call: the server is killed while a page is rendered, and each page is rendered by one task", async () => {
  const page = await openPage("docs/cookbook/call.md");
  const renderer = await world(
    () => ({ body: "page" }),
    ({ url }) => url === "/pages/7",
  );
  const server = await page.serve();
  const call = page.type("call render_report", (line) => line.replace("http://127.0.0.1:8080/", renderer.url));
  await renderer.held;
  expect(await killed(page, server, call, renderer.release)).toEqual(shownResult("docs/cookbook/call.md"));
  const tasks = await page.type("tasks").succeeded();
  expect(tasks.match(/render_page/g)).toHaveLength(12);
});

test("files: the file that a task made is saved from the next server, whole (G1)", async () => {
  const page = await openPage("docs/cookbook/files.md");
  const server = await page.serve();
  const [result, link] = (await page.type("call report").succeeded()).trim().split("\n");
  expect(JSON.parse(result ?? "")).toEqual({ rows: 100_000 });
  const [, id = ""] = /task:\/\/([\w-]+)\//.exec(link ?? "") ?? [];
  await server.stop("SIGKILL");
  await page.serve();
  await page.type("save TASK", (line) => line.replace("TASK", id)).succeeded();
  const lines = readFileSync(join(page.folder, "squares.csv"), "utf8").trimEnd().split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([100_001, "100000,10000000000"]);
});

test("sleep: the server is killed between two looks, and looks as often as it should", async () => {
  const page = await openPage("docs/cookbook/sleep.md");
  let looks = 0;
  const site = await world(
    () => {
      looks += 1;
      return { body: "the same" };
    },
    () => looks === 4,
  );
  const server = await page.serve();
  const call = page.type("call watch_page", (line) => line.replace("http://127.0.0.1:8080/", site.url));
  await site.held;
  expect(await killed(page, server, call, site.release)).toEqual(shownResult("docs/cookbook/sleep.md"));
});

test("web app: the process is killed, and the next one sends the rest of the events", async () => {
  const folder = writePage("docs/cookbook/web-app.md", "recipes");
  const run = async (port: string) => {
    const app = start(process.execPath, ["app.mjs"], { cwd: folder, env: { ...process.env, PORT: port } });
    const [url] = await app.seen(/^http:\S+$/m);
    return { app, url };
  };
  const first = await run("0");
  const asked = await fetch(`${first.url}/reports/2026`, { method: "POST", headers: { "x-user": "me" } });
  const events = asked.headers.get("location") ?? "";
  const read = async (url: string, lastId: string, until: RegExp): Promise<string> => {
    const response = await fetch(url + events, { headers: { "x-user": "me", "last-event-id": lastId } });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (until.test(text)) break;
    }
    return text;
  };
  const before = await read(first.url, "0", /2026-3"[^\n]*\n\n/);
  await first.app.stop("SIGKILL");
  const second = await run(new URL(first.url).port);
  const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const after = await read(second.url, `${idsOf(before).at(-1)}`, /"type":"completed"[^\n]*\n\n/);
  const ids = [...idsOf(before), ...idsOf(after)];
  expect(ids).toEqual(ids.map((_id, index) => index + 1));
  const stranger = await fetch(second.url + events, { headers: { "x-user": "another" } });
  expect(stranger.status).toBe(404);
  await second.app.stop("SIGTERM");
});
