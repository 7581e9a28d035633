import { randomBytes } from "node:crypto";
import { createKeyring, withEncryption } from "@resumable-mcp/store-encryption";
import { describeStore, wrapHarness } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { folderHarness } from "./folder-harness.js";

const keyring = createKeyring({ seal: randomBytes(32) });

describeStore(
  { describe, test },
  wrapHarness(folderHarness({ durability: "process" }), (store) => withEncryption(store, keyring)),
);
