import { expect, test } from "vitest";
import { judgeCaller, ownerSentence } from "./owner-mode.js";

const localFacts = { tokens: false, boundAddress: "127.0.0.1", peerAddress: "127.0.0.1", host: "localhost" };
const proxied = { ...localFacts, headerNames: ["via"] };

test("auto tells local requests apart, single-user takes all for local, session none", () => {
  expect(judgeCaller("auto", localFacts)).toEqual({ local: true });
  expect(judgeCaller("auto", proxied)).toMatchObject({ local: false });
  expect(judgeCaller("single-user", proxied)).toEqual({ local: true });
  expect(judgeCaller("session", localFacts)).toEqual({ local: false, reason: "the server has --owner session" });
});

test("the sentence of the banner says whose tasks a call reaches, and why", () => {
  const server = { tokens: false, boundAddress: "127.0.0.1" };
  expect([
    ownerSentence("auto", server),
    ownerSentence("auto", { ...server, tokens: true }),
    ownerSentence("auto", { ...server, boundAddress: "0.0.0.0" }),
    ownerSentence("auto", { ...server, allowedHosts: ["tools.example"] }),
    ownerSentence("session", server),
    ownerSentence("single-user", { ...server, allowedHosts: ["tools.example"] }),
  ]).toEqual([
    "the client_id, else the user of this machine; through a proxy, the session (--owner auto)",
    "the subject of the token",
    "a client_id of 128 random bits, else the session (the server listens on an address that is not known to be a loopback address)",
    "a client_id of 128 random bits, else the session (the server has a public name (--allowed-host))",
    "a client_id of 128 random bits, else the session (--owner session)",
    "the client_id, else one user for all calls (--single-user)",
  ]);
});
