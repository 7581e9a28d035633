import { expect, test } from "vitest";
import { ResponseParser } from "./response-parser.js";

/** Feeds bytes in pieces of a length, and gives what was read. */
function read(text: string, pieceLength: number, isHead = false) {
  const seen: { status: number; body: string; ended: boolean }[] = [];
  const parser = new ResponseParser(() => {
    const response = { status: 0, body: "", ended: false };
    seen.push(response);
    return {
      isHead,
      onHead: ({ status }) => {
        response.status = status;
      },
      onBody: (bytes) => {
        response.body += bytes.toString();
      },
      onEnd: () => {
        response.ended = true;
      },
    };
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) parser.feed(bytes.subarray(at, at + pieceLength));
  parser.close();
  return seen;
}

const withLength = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const chunked = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n";
const untilClose = "HTTP/1.1 500 Internal Server Error\r\n\r\nhello";

test.each([1, 3, 1_000])("responses of every framing are read, also in pieces of %i bytes", (pieceLength) => {
  expect(read(`HTTP/1.1 100 Continue\r\n\r\n${withLength}${chunked}${untilClose}`, pieceLength)).toEqual([
    { status: 200, body: "hello", ended: true },
    { status: 404, body: "hello!", ended: true },
    { status: 500, body: "hello", ended: true },
  ]);
});

test("the response to HEAD has no body, and one that was cut off has no end", () => {
  expect(read(withLength.slice(0, -5), 1_000, true)).toEqual([{ status: 200, body: "", ended: true }]);
  expect(read(chunked.slice(0, -5), 1_000)).toEqual([{ status: 404, body: "hello!", ended: false }]);
});

test.each(["nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"])(
  "what is not a response is refused: %j",
  (text) => {
    expect(() => read(text, 1_000)).toThrow(/not the head|not the size/);
  },
);
