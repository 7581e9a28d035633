import { expect, test } from "vitest";
import { cacheFolder, dataFolder } from "./data-folder.js";

test("tasks are kept where the platform keeps a user's data, by the server's name", () => {
  const home = "/home/ada";
  expect(dataFolder("words", { platform: "linux", env: {}, home })).toBe("/home/ada/.local/share/resumable-mcp/words");
  const env = { XDG_DATA_HOME: "/data" };
  expect(dataFolder("words", { platform: "linux", env, home })).toBe("/data/resumable-mcp/words");
  expect(dataFolder("words", { platform: "linux", env: { XDG_DATA_HOME: "data" }, home })).toContain("/home/ada/");
  expect(dataFolder("words", { platform: "darwin", env: {}, home })).toContain("Library/Application Support");
});

test("a server's name never leads out of the folder", () => {
  const at = { platform: "linux", env: {}, home: "/home/ada" } as const;
  expect(dataFolder("../../etc", at)).toBe("/home/ada/.local/share/resumable-mcp/__.._etc");
  expect(dataFolder("", at)).toBe("/home/ada/.local/share/resumable-mcp/server");
});

test("what can be made again is kept where the platform keeps a user's caches", () => {
  const home = "/home/ada";
  expect(cacheFolder({ platform: "linux", env: {}, home })).toBe("/home/ada/.cache/resumable-mcp");
  expect(cacheFolder({ platform: "linux", env: { XDG_CACHE_HOME: "/cache" }, home })).toBe("/cache/resumable-mcp");
  expect(cacheFolder({ platform: "linux", env: { XDG_CACHE_HOME: "cache" }, home })).toContain("/home/ada/");
  expect(cacheFolder({ platform: "darwin", env: {}, home })).toBe("/home/ada/Library/Caches/resumable-mcp");
});
