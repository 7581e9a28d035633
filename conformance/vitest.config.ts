import { sharedConfig } from "../vitest.shared.js";

const { test, ...shared } = sharedConfig();
// A project takes none of them over by itself.
const limits = { testTimeout: test?.testTimeout, hookTimeout: test?.hookTimeout, expect: test?.expect };

export default {
  ...shared,
  test: {
    ...test,
    projects: [
      {
        ...shared,
        test: { ...limits, name: "packed", include: ["test/packed/*.test.ts"], globalSetup: "test/packed/set-up.ts" },
      },
      {
        ...shared,
        test: {
          ...limits,
          name: "repository",
          include: ["src/**/*.test.ts", "test/*.test.ts", "test/pages/*.test.ts"],
          // They import JSON in a way that Node alone does not take.
          server: { deps: { inline: [/@actions\//] } },
        },
      },
    ],
  },
};
