// Loaded before the server's program: a process looks more often who lives, and waits for a missing version only shortly.
import { engineDefaults } from "@resumable-mcp/core/engine";

Object.assign(engineDefaults, { heartbeatMs: 500, versionWaitMs: 500 });
