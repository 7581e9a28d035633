import { sharedConfig } from "../vitest.shared.js";

const { test, ...shared } = sharedConfig();
// A project takes none of them over by itself.
const limits = { testTimeout: test?.testTimeout, hookTimeout: test?.hookTimeout, expect: test?.expect };
const packed = "test/packed/*.test.ts";

export default {
  ...shared,
  test: {
    ...test,
    projects: [
      { ...shared, test: { ...limits, name: "packed", include: [packed], globalSetup: "test/packed/set-up.ts" } },
      {
        ...shared,
        test: {
          ...limits,
          name: "repository",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [packed],
          // They import JSON in a way that Node alone does not take.
          server: { deps: { inline: [/@actions\//] } },
        },
      },
    ],
  },
};
