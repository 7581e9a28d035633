import { expect, test, vi } from "vitest";
import { randomToken } from "./random-token.js";

test("a token is letters and digits out of secure random bytes, and each is another", () => {
  const secure = vi.spyOn(crypto, "getRandomValues");
  // More than what is fetched at once.
  expect(randomToken(5_000)).toMatch(/^[A-Za-z0-9]{5000}$/);
  expect(secure).toHaveBeenCalled();
  secure.mockRestore();
  expect(new Set(Array.from({ length: 1_000 }, () => randomToken(32))).size).toBe(1_000);
});
