import { beforeEach, describe, expect, it, vi } from "vitest";
import { keys, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";
import { navigate, type Screen, type SignIn } from "../navigation.js";

const backspace = "\u007f";
const page =
  "https://auth.example.com/authorize?response_type=code&client_id=terminal&redirect_uri=http%3A%2F%2F127.0.0.1%3A4444%2Fcallback";
const answer = "http://127.0.0.1:4444/callback?code=1&state=2";

beforeEach(() => {
  // No browser opens while these tests run.
  vi.stubEnv("BROWSER", "/nonexistent/browser");
});

/** A sign-in that ends when the answer is pasted, or when the user gives it up. */
function signIn(size: OpenScreensOptions["size"]) {
  const screen = openScreens([], {
    ...(size === undefined ? {} : { size }),
    signIn: (_server, { onPage, signal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        onPage(page, (redirected) => {
          if (redirected === answer) resolve();
          return redirected === answer;
        });
      }),
  });
  const open = async () => {
    await screen.go(["process data", "5"], ["a add", "l"]);
    await screen.until("Sign in to");
  };
  return { ...screen, open };
}

/** The lines that say something. */
const written = (lines: readonly string[]) => lines.filter((line) => line !== "");

describe("the page to sign in on", () => {
  it("is shown in full, and copied, at 80×24", async () => {
    const screen = signIn({ columns: 80, rows: 24 });
    await screen.open();
    expect(screen.frame().lines).toHaveLength(23);
    expect(written(screen.frame().lines)).toEqual([
      " resumable-mcp · 127.0.0.1:8001 live",
      "Sign in to http://127.0.0.1:8001/mcp on this page, opened and copied:",
      "https://auth.example.com/authorize?response_type=code&client_id=terminal&redirec",
      "t_uri=http%3A%2F%2F127.0.0.1%3A4444%2Fcallback",
      "Browser elsewhere? Paste the address where it ended.",
      "▸ Address* _",
      "  [Send]",
      "begins with http://127.0.0.1, even if the browser cannot reach it",
      "Enter send the address · Esc give up",
    ]);
    expect(screen.copied).toEqual([page]);
  });

  it("is shown in full at 120×40", async () => {
    const screen = signIn({ columns: 120, rows: 40 });
    await screen.open();
    expect(screen.frame().lines).toHaveLength(39);
    expect(written(screen.frame().lines).slice(2, 4)).toEqual([page.slice(0, 120), page.slice(120)]);
  });

  it("leaves room for the address that is pasted at 40×10", async () => {
    const screen = signIn({ columns: 40, rows: 10 });
    await screen.open();
    expect(screen.frame().lines).toEqual([
      " resumable-mcp · 127.0.0.1:8001 live",
      "Sign in to http://127.0.0.1:8001/mcp on…",
      "https://auth.example.com/authorize?resp…",
      "Browser elsewhere? Paste the address wh…",
      "▸ Address* _",
      "  [Send]",
      "begins with http://127.0.0.1, even if t…",
      "",
      "Enter send the address · Esc give up",
    ]);
  });

  it("takes the address that a browser elsewhere ended at, and no other", async () => {
    const screen = signIn(undefined);
    await screen.open();
    screen.press("http://127.0.0.1:4444/callback?code=1&state=guessed");
    screen.press(keys.enter);
    await screen.until("That is not the address of this sign-in");
    for (const _ of "guessed") screen.press(backspace);
    screen.press("2");
    screen.press(keys.enter);
    expect(written((await screen.until("Signed in to")).lines).at(-1)).toContain("l sign in");
  });

  it("is left by Esc, which ends the sign-in", async () => {
    const screen = signIn(undefined);
    await screen.open();
    screen.press(keys.escape);
    expect(written((await screen.until("Not signed in to")).lines).at(-1)).toContain("l sign in");
  });

  it("is closed when the browser came back while a question was on the screen", () => {
    const page: SignIn = { name: "sign_in", address: "a", url: "b", receive: () => true, cancel: () => {} };
    const servers: Screen = { name: "servers" };
    const confirm: Screen = { name: "confirm", text: "Sure?", action: () => {} };
    expect(navigate([{ name: "menu" }, servers, page, confirm], { type: "close", screen: page })).toEqual([
      { name: "menu" },
      servers,
      confirm,
    ]);
  });
});
