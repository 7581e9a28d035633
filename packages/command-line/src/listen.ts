import type { Server } from "node:net";
import { CommandError } from "./command-error.js";

interface Address {
  readonly host: string;
  readonly port: number;
  readonly fd: number | undefined;
}

/** @throws {@link CommandError} when the address cannot be listened on. */
export function listen(server: Server, { host, port, fd }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new CommandError(listenProblem(error, host, port), 1, error)),
    );
    server.listen(fd === undefined ? { host, port } : { fd }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use. Choose another with --port, or 0 for any free one.`;
  if (code === "EACCES") return `Port ${port} may not be used by this user. Choose one above 1023 with --port.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is not an address of this machine. Choose another with --host.`;
  return `Cannot listen on ${host}:${port}: ${message}`;
}
