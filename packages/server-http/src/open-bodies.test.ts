import { ofWebRequest } from "@resumable-mcp/mcp";
import { expect, test } from "vitest";
import { OpenBodies } from "./open-bodies.js";

const post = (headers = {}) =>
  ofWebRequest(new Request("http://localhost/mcp", { method: "POST", body: "{}", headers }));

test("a sender has no more large bodies on their way than the limit, and others are not refused (F12)", async () => {
  const bodies = new OpenBodies({ maxOpenBodies: 2, smallBodyBytes: 10 });
  const first = bodies.begin(post(), "ada");
  const second = bodies.begin(post({ "content-length": "11" }), "ada");
  expect([bodies.begin(post(), "ada"), bodies.begin(post({ "content-length": "11" }), "ada")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(bodies.begin(post({ "content-length": "10" }), "ada")).toBeDefined();
  expect(bodies.begin(ofWebRequest(new Request("http://localhost/mcp")), "ada")).toBeDefined();
  expect(bodies.begin(post(), "bob")).toBeDefined();
  expect(await first?.request.text(100)).toBe("{}");
  first?.end();
  const third = bodies.begin(post(), "ada");
  expect([third !== undefined, bodies.begin(post(), "ada")]).toEqual([true, undefined]);
  second?.end();
  expect(bodies.begin(post(), "ada")).toBeDefined();
});
