import { spawn } from "node:child_process";

/** Opens a page in the user's browser, if there is one; success cannot be detected. */
export function openInBrowser(url: string): void {
  const [program, ...args] = browserCommand(url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  // Without a browser the user has the address on the screen.
  child.on("error", () => undefined);
  child.unref();
}

/** The command that opens a page: what `BROWSER` names, else what the platform has for it. */
function browserCommand(url: string): readonly [program: string, ...args: string[]] {
  const { BROWSER } = process.env;
  if (BROWSER) return [BROWSER, url];
  if (process.platform === "darwin") return ["open", url];
  // Not `cmd /c start`, which would read the `&` of the address as a command of its own.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
