import { randomBytes } from "node:crypto";
import { describeStore, memoryHarness } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { createKeyring } from "../src/keys/keyring.js";
import { withEncryption } from "../src/with-encryption.js";

const keyring = createKeyring({ seal: randomBytes(32) });

describe("the store in memory, encrypted", () =>
  describeStore(
    { describe, test },
    memoryHarness((store) => withEncryption(store, keyring)),
  ));
describe("the store in memory, encrypted, that compacts early", () =>
  describeStore(
    { describe, test },
    memoryHarness((store) => withEncryption(store, keyring), { maxEvents: 100 }),
  ));
