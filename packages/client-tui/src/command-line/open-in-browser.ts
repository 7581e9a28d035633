import { spawn } from "node:child_process";

/** Opens a page in the user's browser, if there is one; whether that succeeded nobody can know. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): void {
  const [program, ...args] = browserCommand(url, env, platform);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  // Without a browser the user has the address on the screen.
  child.on("error", () => undefined);
  child.unref();
}

/** The command that opens a page: what `BROWSER` names, else what the platform has for it. Pure. */
export function browserCommand(
  url: string,
  { BROWSER }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): readonly [program: string, ...args: string[]] {
  if (BROWSER) return [BROWSER, url];
  if (platform === "darwin") return ["open", url];
  // Not `cmd /c start`, which would read the `&` of the address as a command of its own.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
