import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { patientFetch } from "../src/upstream/patient-fetch.js";

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { signal } = new AbortController();
const post = (url: string) => patientFetch(url, { method: "POST", headers: { "x-own": "1" }, body: "said", signal });

it("follows what moved within one server with the whole request, and takes nothing of it to another", async () => {
  const seen: unknown[] = [];
  const here = await listen(async (request, response) => {
    const { url, headers } = request;
    if (url === "/moved") return void response.writeHead(307, { location: "/here" }).end();
    if (url === "/round") return void response.writeHead(308, { location: "/round" }).end();
    seen.push(url);
    response.end(`${headers["x-own"]} ${await text(request)}`);
  });
  const other = await listen((_request, response) => void response.writeHead(307, { location: here }).end());
  expect(await (await post(`${here}/moved`)).text()).toBe("1 said");
  expect((await post(`${here}/round`)).status).toBe(308);
  expect((await post(other)).status).toBe(307);
  expect(seen).toEqual(["/here"]);
});

it("has answers without a body, and ends with its signal", async () => {
  const url = await listen((request, response) => {
    if (request.url === "/empty") response.writeHead(204).end();
  });
  expect(await (await post(`${url}/empty`)).text()).toBe("");
  const left = new AbortController();
  const answered = patientFetch(url, { method: "GET", headers: {}, signal: left.signal });
  left.abort(new Error("left"));
  await expect(answered).rejects.toThrow();
});
