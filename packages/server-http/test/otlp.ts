import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterwards } from "./server-process.js";

const receiverProgram = fileURLToPath(new URL("otlp-receiver.js", import.meta.url));

/** A span as the receiver shows it. */
interface ReceivedSpan {
  readonly service: string;
  readonly instance: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Starts a receiver of OTLP, with its arguments. */
export async function startReceiver(...args: readonly string[]) {
  const child = spawn(process.execPath, [receiverProgram, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  afterwards(async () => child.kill("SIGKILL"));
  const [port] = await once(child.stdout.setEncoding("utf8"), "data");
  const url = `http://127.0.0.1:${String(port).trim()}`;
  return { url, spans: async () => (await (await fetch(`${url}/spans`)).json()) as ReceivedSpan[] };
}
