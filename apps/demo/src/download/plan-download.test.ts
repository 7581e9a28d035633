import { describe, expect, test } from "vitest";
import { notBegun, planDownload, requestHeaders } from "./plan-download.js";

const half = { received: 50, total: 100, validator: '"a"', discarded: 0 };
const head = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });
const again = { received: 0, total: null, validator: null, discarded: 50 };

describe("requestHeaders", () => {
  test("asks for the rest of the very file that was begun", () => {
    expect(requestHeaders(half)).toEqual({ "accept-encoding": "identity", range: "bytes=50-", "if-range": '"a"' });
  });

  test.each([notBegun, { ...half, validator: null }])(
    "asks for everything where nothing can be added to: %j",
    (state) => {
      expect(requestHeaders(state)).toEqual({ "accept-encoding": "identity" });
    },
  );
});

describe("planDownload", () => {
  test("begins with the size and the validator that the server tells", () => {
    expect(planDownload(notBegun, head(200, { etag: '"a"', "content-length": "100" }))).toEqual({
      kind: "begin",
      state: { received: 0, total: 100, validator: '"a"', discarded: 0 },
    });
  });

  test("takes the date of the last change where the ETag is weak or absent", () => {
    const date = "Wed, 21 Oct 2015 07:28:00 GMT";
    expect(planDownload(notBegun, head(200, { etag: 'W/"a"', "last-modified": date }))).toMatchObject({
      state: { validator: date, total: null },
    });
    expect(planDownload(notBegun, head(200, { etag: 'W/"a"' }))).toMatchObject({ state: { validator: null } });
  });

  test("continues with the part that it asked for", () => {
    const part = head(206, { etag: '"a"', "content-range": "bytes 50-99/100" });
    expect(planDownload(half, part)).toEqual({ kind: "continue", state: half });
    expect(planDownload({ ...half, total: null }, part)).toEqual({ kind: "continue", state: half });
    expect(planDownload(half, head(206, { "content-range": "bytes 50-99/*" }))).toMatchObject({ kind: "continue" });
  });

  test.each(["bytes 0-99/100", "bytes 51-99/100", "nonsense"])("refuses the part %s", (range) => {
    expect(planDownload(half, head(206, { "content-range": range }))).toMatchObject({ kind: "fail", mayPass: false });
  });

  test("begins again when the server has another file, and still counts the bytes before", () => {
    expect(planDownload(half, head(200, { etag: '"b"', "content-length": "70" }))).toEqual({
      kind: "begin",
      state: { received: 0, total: 70, validator: '"b"', discarded: 50 },
      reason: "The file changed on the server",
    });
  });

  test("begins again when the server sends no parts", () => {
    expect(planDownload(half, head(200, { etag: '"a"' }))).toMatchObject({
      kind: "begin",
      reason: "The server sends no parts of files",
    });
  });

  test("asks again when a server ignores If-Range, or has fewer bytes by now", () => {
    const other = head(206, { etag: '"b"', "content-range": "bytes 50-69/70" });
    const expected = { kind: "ask again", state: again, reason: "The file changed on the server" };
    expect(planDownload(half, other)).toEqual(expected);
    expect(planDownload(half, head(416))).toEqual(expected);
  });

  test.each([
    [404, false],
    [403, false],
    [304, false],
    [429, true],
    [500, true],
    [503, true],
  ])("fails on %i; it may pass: %s", (status, mayPass) => {
    expect(planDownload(half, head(status))).toEqual({
      kind: "fail",
      mayPass,
      reason: `The server answered ${status}`,
    });
  });

  test("refuses compressed bytes, whose places are not those of the file", () => {
    expect(planDownload(notBegun, head(200, { "content-encoding": "gzip" }))).toMatchObject({ kind: "fail" });
  });
});
