import { expect, test } from "vitest";
import { checkExposure } from "./exposure.js";

test.each(["127.0.0.1", "localhost", "::1", undefined])(
  "a server on %s, which no one else reaches, needs no tokens",
  (host) => {
    expect(() => checkExposure(host === undefined ? {} : { host })).not.toThrow();
  },
);

test.each(["0.0.0.0", "::", "192.0.2.1", "tools.example"])(
  "a server on %s is refused without authentication, unless that is asked for",
  (host) => {
    expect(() => checkExposure({ host })).toThrow(
      /Give --authorization-server or --token-file, or --insecure to allow/,
    );
    expect(() => checkExposure({ host, insecure: true })).not.toThrow();
    expect(() => checkExposure({ host, verifyToken: () => undefined })).not.toThrow();
  },
);
