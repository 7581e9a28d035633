import { createServer } from "node:net";

/** A port without a listener. */
export function freePort(): Promise<string> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(`${address.port}`) : reject(new Error("no port")),
      );
    });
  });
}
