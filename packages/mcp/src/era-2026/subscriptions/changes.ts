import { InMemoryServerEventBus, type ServerEventBus, type ServerNotifier } from "@modelcontextprotocol/server";

/** What a server's code says that changed, for those that listen. */
export interface Changes {
  readonly notifier: ServerNotifier;
  readonly bus: ServerEventBus;
}

/** Makes what a server's code tells of changes by. */
export function createChanges(): Changes {
  const bus = new InMemoryServerEventBus();
  const notifier: ServerNotifier = {
    toolsChanged: () => bus.publish({ kind: "tools_list_changed" }),
    promptsChanged: () => bus.publish({ kind: "prompts_list_changed" }),
    resourcesChanged: () => bus.publish({ kind: "resources_list_changed" }),
    resourceUpdated: (uri) => bus.publish({ kind: "resource_updated", uri }),
  };
  return { notifier, bus };
}
