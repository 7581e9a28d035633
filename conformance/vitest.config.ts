import { sharedConfig } from "../vitest.shared.js";

const { test, ...shared } = sharedConfig();
const packed = "test/packed/*.test.ts";

export default {
  ...shared,
  test: {
    ...test,
    projects: [
      { ...shared, test: { name: "packed", include: [packed], globalSetup: "test/packed/set-up.ts" } },
      {
        ...shared,
        test: {
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
