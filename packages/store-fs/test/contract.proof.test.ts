import { randomBytes } from "node:crypto";
import { createKeyring, withEncryption } from "@resumable-mcp/store-encryption";
import { describeStore, wrapHarness } from "@resumable-mcp/store-testkit";
import { describe, test } from "vitest";
import { folderHarness } from "./folder-harness.js";

const folder = folderHarness({ durability: "process" });
const keyring = createKeyring({ seal: randomBytes(32) });

describe("process", () => describeStore({ describe, test }, folder));
describe("process, encrypted", () =>
  describeStore(
    { describe, test },
    wrapHarness(folder, (store) => withEncryption(store, keyring)),
  ));
