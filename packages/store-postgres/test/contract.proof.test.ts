import { randomBytes } from "node:crypto";
import { createKeyring, withEncryption } from "@resumable-mcp/store-encryption";
import { describeStore, wrapHarness } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { clauseTimeoutMs, processHarness } from "./stores.js";

const keyring = createKeyring({ seal: randomBytes(32) });

describeStore(
  { describe, test },
  wrapHarness(processHarness(), (store) => withEncryption(store, keyring)),
  { clauseTimeoutMs },
);
