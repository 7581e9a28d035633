import { setImmediate as breathe } from "node:timers/promises";
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Checkpoint, CheckpointKeeper } from "./checkpoint-keeper.js";

/** The SDK's in-memory event store: a stream for each task, a progress notification for each checkpoint. Survives nothing. */
export function createSdkEventKeeper(): CheckpointKeeper {
  const store = new InMemoryEventStore();
  const first = new Map<string, string>();
  return {
    async begin(taskId) {
      // Its replay begins behind an event, so that each stream needs one; events of one millisecond have no order.
      first.set(taskId, await store.storeEvent(taskId, { jsonrpc: "2.0", method: "notifications/initialized" }));
      const begun = Date.now();
      while (Date.now() === begun) await breathe();
    },
    async keep(taskId, checkpoint) {
      await store.storeEvent(taskId, messageOf(taskId, checkpoint));
    },
    async read(taskId) {
      let latest: Checkpoint | undefined;
      let count = 0;
      await store.replayEventsAfter(first.get(taskId) ?? "", {
        send: async (_id, message) => {
          const checkpoint = checkpointOf(message);
          if (checkpoint.progress >= (latest?.progress ?? 0)) latest = checkpoint;
          count += 1;
        },
      });
      return { latest, count };
    },
    close: async () => {},
  };
}

function messageOf(progressToken: string, { progress, total, message, state }: Checkpoint): JSONRPCMessage {
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress, total, message, _meta: { state } },
  };
}

function checkpointOf(event: JSONRPCMessage): Checkpoint {
  const params = "params" in event ? event.params : undefined;
  // Only messages that `messageOf` made are replayed.
  const { progress, total, message, _meta } = params as unknown as Checkpoint & { _meta: Pick<Checkpoint, "state"> };
  return { progress, total, message, state: _meta.state };
}
