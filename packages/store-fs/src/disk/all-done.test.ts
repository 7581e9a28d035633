import { expect, test } from "vitest";
import { allDone } from "./shared-sync.js";

test("fails when the last one has ended, with the first failure", async () => {
  const ended: string[] = [];
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  }).then(() => void ended.push("slow"));
  const all = allDone([Promise.reject(new Error("first")), undefined, slow, Promise.reject(new Error("second"))]);
  const failed = all.catch((error: unknown) => void ended.push(String(error)));
  release();
  await failed;
  expect(ended).toEqual(["slow", "Error: first"]);
});
