// Loaded before the server's program: a process looks more often who lives.
import { engineDefaults } from "@resumable-mcp/core/engine";

Object.assign(engineDefaults, { heartbeatMs: 500 });
