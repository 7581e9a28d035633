import { createInterface } from "node:readline";
import { openInBrowser } from "../../open-in-browser.js";
import type { CommandContext } from "../command.js";
import { exitCodeOfInterrupt, exitCodes } from "../exit-code.js";

/**
 * Signs the user in: opens the page in a browser, prints its address in any case, and waits for the browser to return.
 *
 * A browser on another machine cannot return here: the address that it was sent to can be pasted instead.
 */
export async function signInOnTerminal(context: CommandContext, server: string): Promise<number> {
  const { client, line, output, interrupts } = context;
  const { "client-id": clientId, scope, callbackPort } = line;
  const giveUp = new AbortController();
  const done = client.signIn(server, {
    signal: giveUp.signal,
    clientId,
    scope,
    callbackPort,
    onPage(url, receive) {
      output.note(`Sign in on this page:\n${url}`);
      openInBrowser(url);
      if (process.stdin.isTTY) readPasted(receive, output.note, giveUp.signal);
    },
  });
  try {
    const stop = await Promise.race([done, interrupts.next()]);
    if (stop === undefined) {
      output.note(`Signed in to ${server}.`);
      return exitCodes.ok;
    }
    giveUp.abort();
    await done.catch(() => undefined);
    return exitCodeOfInterrupt(stop);
  } finally {
    giveUp.abort();
  }
}

function readPasted(receive: (address: string) => boolean, note: (text: string) => void, signal: AbortSignal): void {
  note("Is the browser on another machine? Then paste the address that it shows at the end, and press Enter.");
  const lines = createInterface({ input: process.stdin, signal });
  // Readline would keep Ctrl-C to itself.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  lines.on("line", (text) => {
    if (text.trim() !== "" && !receive(text.trim())) note("That is not the address of this sign-in.");
  });
}
