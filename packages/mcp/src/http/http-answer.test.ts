import { expect, test, vi } from "vitest";
import { HttpAnswer, type TakenText, webBody } from "./http-answer.js";

const json = { "content-type": "application/json" };

test("a reader that has the whole body calls again only after the delivery was noted", async () => {
  const onSent = vi.fn();
  const response = new HttpAnswer(200, json, '{"result":1}', onSent).toWeb();
  expect(await response.text()).toBe('{"result":1}');
  expect(onSent).toHaveBeenCalledTimes(1);
});

test("a reader that has a whole stream calls again only after the delivery was noted", async () => {
  const onSent = vi.fn();
  expect(await new Response(webBody(sourceOf([{ text: "data: 1\n\n", onSent }]))).text()).toBe("data: 1\n\n");
  expect(onSent).toHaveBeenCalledTimes(1);
});

test("a reader that leaves before the end has nothing delivered", async () => {
  const onSent = vi.fn();
  const answer = new HttpAnswer(200, json, '{"result":1}', onSent).toWeb().body?.getReader();
  await answer?.read();
  await answer?.cancel();
  const stream = webBody(sourceOf([{ text: "data: 1\n\n", onSent }])).getReader();
  await stream.read();
  const more = stream.read();
  await stream.cancel();
  expect(await more).toEqual({ done: true, value: undefined });
  expect(onSent).not.toHaveBeenCalled();
});

function sourceOf(texts: TakenText[]) {
  return {
    get ended() {
      return texts.length === 0;
    },
    take: () => texts.shift() ?? { text: "" },
    follow: () => {},
    cancel: () => {},
  };
}
