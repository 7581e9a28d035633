import { defineServer } from "@resumable-mcp/mcp/define-server";
import { registerEcho } from "./echo.js";

/** What our servers serve: the same as the bare ones. */
export default defineServer({
  name: "bench",
  version: "1.0.0",
  tools: [],
  setup: registerEcho,
  setup2026: registerEcho,
});
