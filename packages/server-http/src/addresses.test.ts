import { expect, test } from "vitest";
import { TrustedProxies, toNetwork } from "./addresses.js";

const request = (headers: Record<string, string>) => ({ header: (name: string) => headers[name] });
const chain = (list: string) => request({ "x-forwarded-for": list });
const proxies = new TrustedProxies(["10.0.0.0/8", "2001:db8::/32", "192.0.2.7", "::ffff:198.51.100.7"]);

test.each([
  ["a caller without a proxy says what it likes", chain("203.0.113.9"), "198.51.100.1", "198.51.100.1"],
  ["a proxy names its caller", chain("203.0.113.9"), "10.0.0.1", "203.0.113.9"],
  ["what the caller invents stands on the left", chain("192.0.2.1, 203.0.113.9"), "10.0.0.1", "203.0.113.9"],
  ["a chain of proxies", chain("203.0.113.9, 10.2.3.4,192.0.2.7"), "2001:db8::5", "203.0.113.9"],
  ["only proxies", chain("10.0.0.2"), "10.0.0.1", "10.0.0.2"],
  ["a proxy that says nothing", request({}), "10.0.0.1", "10.0.0.1"],
  ["an unknown caller of a proxy", chain("203.0.113.9, unknown"), "10.0.0.1", "10.0.0.1"],
  ["a port", chain("203.0.113.9:4711"), "10.0.0.1", "203.0.113.9"],
  ["IPv4 as IPv6", chain("203.0.113.9"), "::ffff:10.0.0.1", "203.0.113.9"],
  ["a proxy that is named by IPv4 as IPv6", chain("203.0.113.9"), "198.51.100.7", "203.0.113.9"],
  [
    "a proxy that passes on what the caller invents in another header",
    request({ forwarded: "for=127.0.0.1", "x-forwarded-for": "203.0.113.9" }),
    "10.0.0.1",
    "203.0.113.9",
  ],
  ["a caller that invents another header alone", request({ forwarded: "for=192.0.2.1" }), "10.0.0.1", "10.0.0.1"],
  ["a loopback address that comes from elsewhere", chain("127.0.0.1"), "10.0.0.1", "10.0.0.1"],
  ["the same as IPv6", chain("::ffff:127.0.0.1"), "10.0.0.1", "10.0.0.1"],
])("%s (F6)", (_name, given, peer, caller) => {
  expect(proxies.callerOf(given, peer)).toBe(caller);
});

test.each(["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "proxy.example", "::/129", "10.0.0.0/-1"])(
  "%j is not a trusted proxy",
  (network) => {
    expect(() => new TrustedProxies([network])).toThrow(/is not an address or a network, such as 10\.0\.0\.0\/8\.$/);
  },
);

test.each([
  [["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"], "192.0.2.1"],
  [["2001:db8::1", "2001:0DB8:0:0::2", "2001:db8:0:0:ffff:1:2:3"], "2001:db8:0:0"],
  [["fe80::1%eth0", "fe80::2"], "fe80:0:0:0"],
  [["unknown"], "unknown"],
])("%j are one caller", (addresses, network) => {
  expect([...new Set(addresses.map(toNetwork))]).toEqual([network]);
});
