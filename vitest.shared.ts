import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import { releaseVersion } from "./scripts/release-version.js";

const source = "@resumable-mcp/source";

/** A test that takes longer hangs. No test is about time: a slow and busy machine must not decide its outcome. */
const hangTimeoutMs = 240_000;

/**
 * Configures a package's tests: neighbours are read from their sources, and the outcome is also written
 * to `reports/vitest.json`, which `.ci/run` sums.
 */
export function sharedConfig(own: ViteUserConfig = {}): ViteUserConfig {
  const shared = defineConfig({
    // Naming conditions replaces Vite's defaults, so they are repeated here.
    resolve: { conditions: [source, "module", "browser", "development|production"] },
    // Without `module`, which Node does not know: what is found by it is for bundlers.
    ssr: { resolve: { conditions: [source, "node", "development|production"] } },
    define: { RESUMABLE_MCP_VERSION: JSON.stringify(releaseVersion()) },
    test: {
      include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"],
      maxWorkers: 2,
      // The test files of a worker share the modules that they import: loading them once for each file took a third of a run.
      // What a test replaces is therefore put back after it.
      isolate: false,
      unstubEnvs: true,
      unstubGlobals: true,
      testTimeout: hangTimeoutMs,
      hookTimeout: hangTimeoutMs,
      expect: { poll: { timeout: hangTimeoutMs } },
      reporters: ["default", "json"],
      outputFile: { json: "reports/vitest.json" },
    },
  });
  return mergeConfig(shared, own);
}
