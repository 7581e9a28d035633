import { expect, test } from "vitest";
import { countSubscriptions } from "./subscription-count.js";

function open(take: ReturnType<typeof countSubscriptions>, owner: string) {
  const place = take(owner);
  return "refused" in place ? place.refused.message : place.leave;
}

test("one owner's subscriptions leave room for those of others (G11)", () => {
  const take = countSubscriptions({ maxSubscriptions: 3, maxSubscriptionsPerOwner: 2 });
  const leave = open(take, "sub:ada");
  open(take, "sub:ada");
  const own = "Subscription limit reached: maxSubscriptionsPerOwner = 2. End another one first.";
  expect(open(take, "sub:ada")).toBe(own);
  expect(open(take, "sub:bob")).toBeTypeOf("function");
  expect(open(take, "sub:cid")).toBe("Subscription limit reached: maxSubscriptions = 3. End another one first.");
  if (typeof leave === "function") for (let twice = 0; twice < 2; twice++) leave();
  expect(open(take, "sub:ada")).toBeTypeOf("function");
  expect(open(take, "sub:ada")).toBe(own);
});
