import { expect, it } from "vitest";
import { limits } from "../../limits.js";
import { type Mail, type SessionFacts, withMail } from "./session-document.js";

const letter = (id: number, text = ""): Mail => ({
  id: String(id),
  from: "stream",
  message: { jsonrpc: "2.0", method: "notifications/message", params: { text } },
});

const sent = (letters: readonly Mail[]) =>
  letters.reduce(withMail, { calls: [] } as unknown as SessionFacts).mail?.map(({ id }) => id);

it("keeps the newest messages for a client that does not read them, up to a number (G11)", () => {
  const many = Array.from({ length: limits.maxMail + 3 }, (_, id) => letter(id));
  expect(sent(many)).toEqual(many.slice(3).map(({ id }) => id));
});

it("keeps the newest messages for a client that does not read them, up to a size (G11)", () => {
  const large = "x".repeat(limits.maxMailBytes / 2);
  expect(sent([letter(1, large), letter(2, large), letter(3)])).toEqual(["2", "3"]);
});
