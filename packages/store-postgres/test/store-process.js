// A process with a store of its own, which calls the store's methods as its parent says. It runs what was built.
import { isResumableError } from "@resumable-mcp/core";
import { createPostgresStore } from "@resumable-mcp/store-postgres";

const store = createPostgresStore(JSON.parse(process.argv[2]));
const stops = new Map();
const reply = (message) => process.connected && process.send(message);

async function answer({ call, method, parameters }) {
  try {
    reply({ call, result: await store[method](...parameters) });
  } catch (error) {
    const { code, details } = isResumableError(error) ? error : {};
    reply({ call, error: { message: String(error), code, details } });
  }
}

process.on("message", (message) => {
  if (message.watch !== undefined) {
    stops.set(
      message.watch,
      store.watch(message.id, () => reply({ woken: message.watch })),
    );
  } else if (message.unwatch !== undefined) stops.get(message.unwatch)();
  else void answer(message);
});
// Without its parent it has nothing to do.
process.on("disconnect", () => process.exit());
