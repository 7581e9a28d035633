import { expect, test } from "vitest";
import { decodeLine, encodeLine, rawLines } from "./checked-line.js";

const bodies = [
  { seq: 1, text: 'ä "quoted" \n line' },
  { seq: 2, nested: { list: [1, null] } },
];
const whole = Buffer.concat(bodies.map((body) => encodeLine(JSON.stringify(body))));

function decode(bytes: Buffer): unknown[] {
  return [...rawLines(bytes, 0, "file")].map((line) => decodeLine(line, "file"));
}

test("gives back what was written, one JSON object a line", () => {
  expect(decode(whole)).toMatchObject(bodies);
  for (const line of whole.toString().trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

test("leaves out a last line that was cut short, wherever", () => {
  const first = whole.indexOf(10) + 1;
  for (let length = first; length < whole.byteLength; length += 1) {
    expect(decode(whole.subarray(0, length))).toMatchObject(bodies.slice(0, 1));
  }
});

test("notices every single changed bit", () => {
  for (let bit = 0; bit < whole.byteLength * 8; bit += 1) {
    const changed = Buffer.from(whole);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => decode(changed), `bit ${bit}`).toThrow();
  }
});

test("keeps each line as it is while many more are written, short ones and long ones", () => {
  const texts = Array.from({ length: 400 }, (_, index) => "ü😀x".repeat(index % 100 === 99 ? 20_000 : index));
  const lines = texts.map((text) => encodeLine(JSON.stringify({ text })));
  expect(decode(Buffer.concat(lines))).toEqual(texts.map((text) => ({ crc: expect.any(String), text })));
});
