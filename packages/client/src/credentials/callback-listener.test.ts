import { request } from "node:http";
import { expect, it } from "vitest";
import { listenForCallback } from "./callback-listener.js";

/** Requests a path as it is, which `fetch` would correct first. */
function statusOf(redirectUrl: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(redirectUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

it("refuses each request that is not an answer to this sign-in, and still takes the answer", async () => {
  const listener = await listenForCallback("the-state");
  const { redirectUrl } = listener;
  const wrong = ["//", "http://[", "/callback", "/callback?state=other&code=c", "/other?state=the-state&code=c"];
  const refused: (number | undefined)[] = [];
  for (const path of wrong) refused.push(await statusOf(redirectUrl, path));
  expect(refused).toEqual(wrong.map(() => 400));
  expect(await statusOf(redirectUrl, "/callback?state=the-state&code=c-1")).toBe(200);
  expect(await listener.answer).toEqual({ code: "c-1", iss: undefined });
  listener.close();
});

it("passes on that the user said no", async () => {
  const listener = await listenForCallback("the-state");
  expect(listener.receive(`${listener.redirectUrl}?state=the-state&error=access_denied&iss=me`)).toBe(true);
  expect(await listener.answer).toEqual({ error: "access_denied", iss: "me" });
  listener.close();
});
