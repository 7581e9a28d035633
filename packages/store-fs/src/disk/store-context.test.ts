import { expect, test } from "vitest";
import { fsStoreDefaults } from "./limits.js";
import { createContext } from "./store-context.js";

test("a limit that is given as undefined leaves its default", () => {
  const { limits } = createContext({
    directory: "store",
    durable: false,
    limits: { rotateBytes: undefined, watchPollMs: 5 },
  });
  expect(limits).toEqual({ ...fsStoreDefaults, watchPollMs: 5 });
});
