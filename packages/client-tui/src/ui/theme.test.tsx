import { expect, it } from "vitest";
import { fakeTask } from "../../test/fake-client.js";
import { openScreens } from "../../test/open-screens.js";

it.each([
  ["dark", "{cyan}"],
  ["light", "{blue}"],
] as const)("a running task can be read on a %s background", async (background, color) => {
  const screen = openScreens([fakeTask("a"), fakeTask("b", { status: "paused" })], { colors: true, background });
  await screen.until("2 of your tasks");
  const colored = screen.colored();
  expect([colored.includes(color), colored.includes("{yellow}")]).toEqual([true, background === "dark"]);
});
