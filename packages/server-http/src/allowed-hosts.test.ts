import { expect, test } from "vitest";
import { checkNames, hostRules, isLoopback } from "./allowed-hosts.js";

const local = hostRules({
  host: "127.0.0.1",
  allowedHosts: ["Tools.example"],
  allowedOrigins: ["https://app.example"],
});
const allows = (headers: Record<string, string>, rules = local) =>
  checkNames({ header: (name) => headers[name] }, rules) === undefined;

test("only addresses of this machine are loopback", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"]) expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "example"])
    expect(isLoopback(host)).toBe(false);
});

test("on a loopback address only loopback names and allowed ones are answered", () => {
  for (const host of ["localhost:8001", "127.0.0.1", "[::1]:8001", "tools.example"])
    expect(allows({ host })).toBe(true);
  for (const host of ["evil.example:8001", "localhost.evil.example", "", "a b"]) expect(allows({ host })).toBe(false);
  expect(allows({})).toBe(false);
});

test("a page may call from an allowed host or an allowed origin, and from nowhere else", () => {
  const host = "localhost:8001";
  for (const origin of ["https://tools.example", "https://app.example"]) {
    expect(allows({ host, origin })).toBe(true);
  }
  const others = ["https://evil.example", "null", "http://app.example", "ws://tools.example", "app://tools.example"];
  for (const origin of others) expect(allows({ host, origin })).toBe(false);
});

test("of the pages that this machine serves only the server's own may call, or those that were asked for (F15)", () => {
  const host = "localhost:8001";
  const others = ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:8002", "https://localhost:8001"];
  const rulesOf = (allowedOrigins: readonly string[]) =>
    hostRules({ host: "127.0.0.1", allowedHosts: [], allowedOrigins });
  for (const origin of ["http://localhost:8001", "http://127.0.0.1:8001", "http://[::1]:8001"]) {
    expect(allows({ host, origin }, rulesOf([]))).toBe(true);
  }
  for (const origin of others) {
    expect(allows({ host, origin }, rulesOf([]))).toBe(false);
    expect(allows({ host, origin }, rulesOf([origin]))).toBe(true);
    expect(allows({ host, origin }, rulesOf(["loopback"]))).toBe(true);
  }
  for (const origin of ["https://evil.example", "ws://localhost:8001", "wss://127.0.0.1:8001", "app://localhost:8001"])
    expect([allows({ host, origin }, rulesOf([])), allows({ host, origin }, rulesOf(["loopback"]))]).toEqual([
      false,
      false,
    ]);
  expect(allows({ host: "localhost", origin: "https://localhost" }, rulesOf([]))).toBe(false);
});

test("where callers are authenticated any name is answered, but a page has to come from the same host", () => {
  const open = hostRules({ host: "0.0.0.0", allowedHosts: [], allowedOrigins: [] });
  expect(allows({ host: "any.example" }, open)).toBe(true);
  expect(allows({ host: "any.example", origin: "https://any.example" }, open)).toBe(true);
  expect(allows({ host: "any.example", origin: "https://evil.example" }, open)).toBe(false);
});
