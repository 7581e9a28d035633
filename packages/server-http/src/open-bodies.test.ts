import type { HttpRequest } from "@resumable-mcp/mcp";
import { ofWebRequest } from "@resumable-mcp/mcp/internal";
import { expect, test } from "vitest";
import { OpenBodies } from "./open-bodies.js";

const post = (headers = {}) =>
  ofWebRequest(new Request("http://localhost/mcp", { method: "POST", body: "{}", headers }));

test("a sender has no more large bodies on their way than the limit, and others are not refused (F12)", async () => {
  const bodies = new OpenBodies({ maxOpenBodies: 2, smallBodyBytes: 10 });
  const begin = (request: HttpRequest, sender: string) => bodies.begin(request, sender, () => {});
  const first = begin(post(), "ada");
  const second = begin(post({ "content-length": "11" }), "ada");
  expect([begin(post(), "ada"), begin(post({ "content-length": "11" }), "ada")]).toEqual([undefined, undefined]);
  expect(begin(post({ "content-length": "10" }), "ada")).toBeDefined();
  expect(begin(ofWebRequest(new Request("http://localhost/mcp")), "ada")).toBeDefined();
  expect(begin(post(), "bob")).toBeDefined();
  expect(await first?.request.text(100)).toBe("{}");
  first?.end();
  const third = begin(post(), "ada");
  expect([third !== undefined, begin(post(), "ada")]).toEqual([true, undefined]);
  second?.end();
  expect(begin(post(), "ada")).toBeDefined();
});
