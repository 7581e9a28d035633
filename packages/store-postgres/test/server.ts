import type { TestProject } from "vitest/node";
import { startPostgres } from "../src/testing.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser on the server of this test run. */
    readonly postgresUrl: string;
  }
}

/** One server for all tests: that of `RESUMABLE_MCP_TEST_POSTGRES`, or one that is started now and stopped at the end. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.RESUMABLE_MCP_TEST_POSTGRES;
  if (given) {
    provide("postgresUrl", given);
    return undefined;
  }
  const server = await startPostgres();
  provide("postgresUrl", server.url);
  return () => server.stop();
}
