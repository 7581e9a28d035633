/** The transport of one connection, as both SDKs want it. Messages are JSON-RPC, of each SDK's own types. */
export interface StdioChannel {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: object) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
}

/** One side of a channel: what comes from the client is handed in here. */
export interface ChannelEnd {
  readonly channel: StdioChannel;
  deliver(message: object): Promise<void>;
  /** The client closed the connection. */
  end(): void;
}

/** Makes a channel whose messages its maker reads and writes. */
export function createStdioChannel(write: (message: object) => Promise<void>): ChannelEnd {
  let started = false;
  let closed = false;
  const waiting: object[] = [];
  const channel: StdioChannel = {
    async start() {
      started = true;
      for (const message of waiting.splice(0)) channel.onmessage?.(message);
    },
    send: (message) => (closed ? Promise.reject(new Error("The connection is closed.")) : write(message)),
    async close() {
      if (closed) return;
      closed = true;
      channel.onclose?.();
    },
  };
  return {
    channel,
    async deliver(message) {
      if (started) channel.onmessage?.(message);
      else waiting.push(message);
    },
    end: () => void channel.close(),
  };
}
