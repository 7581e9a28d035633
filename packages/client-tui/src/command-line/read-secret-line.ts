import { UsageError } from "./exit-code.js";

/** More than any token has. */
const maxSecretBytes = 64 * 1024;

/** Reads one secret from a stream to its end; the line break behind it is not part of it. */
export async function readSecretLine(stream: NodeJS.ReadStream): Promise<string> {
  if (stream.isTTY) throw new UsageError("--token-stdin reads a pipe, as in: pass show my-token | resumable-mcp …");
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > maxSecretBytes)
      throw new UsageError(`What comes on stdin is longer than ${maxSecretBytes} bytes.`);
  }
  return text.trim();
}
