import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandError } from "../command-error.js";
import { defineConfig } from "./define-config.js";
import { helpText } from "./help-text.js";
import { parseFlags, wordsOf } from "./parse-flags.js";
import { httpGroups, httpOptions, stdioGroups, stdioOptions } from "./server-options.js";
import { withSettings, withVariables } from "./settings.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The path of a tools module with this file next to it. */
async function nextTo(name: string, text: string): Promise<string> {
  const place = await mkdtemp(join(folder, "module-"));
  await writeFile(join(place, name), text);
  return join(place, "tools.ts");
}

const readHttp = (module: string, words: readonly string[] = [], env: Record<string, string> = {}) =>
  withSettings(httpOptions, module, parseFlags(words, httpOptions).values, env);

describe("a flag", () => {
  test.each([
    [["--prot", "1"], "Unknown option '--prot'. Did you mean --port? --help lists the options."],
    [["--port"], "Option '--port <value>' argument missing. --help lists the options."],
    [["--slot-turn=1m"], "--slot-turn is not a flag: set RESUMABLE_MCP_SLOT_TURN, or slotTurn in the settings file."],
    [["--no-panel"], "--no-panel is not a flag: set RESUMABLE_MCP_PANEL=false, or panel: false in the settings file."],
  ])("%j is refused with one sentence", (words, sentence) => {
    expect(() => parseFlags(words, httpOptions)).toThrow(new CommandError(sentence, 2));
  });

  test("that is on by itself is meant by what resembles its negative", () => {
    const sentence = "Unknown option '--no-supervice'. Did you mean --no-supervise? --help lists the options.";
    expect(() => parseFlags(["--no-supervice"], stdioOptions)).toThrow(new CommandError(sentence, 2));
  });

  test("becomes the words that say it again", () => {
    const words = ["--port", "0", "--handoff", "--no-mask-errors", "--max-running", "8", "--max-running", "render=2"];
    expect(wordsOf(parseFlags(words, httpOptions).values)).toEqual(words);
  });
});

describe("settings", () => {
  const file =
    'export default { port: 9000, host: "::1", maxRunning: [8, "render=2"], panel: false, slotTurn: "5m" };\n';

  test.each(["resumable.config.ts", "resumable.config.js", "resumable.config.mjs"])(
    "of %s next to the module count below variables, and these below flags",
    async (name) => {
      const module = await nextTo(
        name,
        name.endsWith(".js") ? file.replace("export default", "module.exports =") : file,
      );
      const env = { RESUMABLE_MCP_HOST: "0.0.0.0", RESUMABLE_MCP_PORT: "1", RESUMABLE_MCP_ALLOWED_HOST: "a, b" };
      expect(await readHttp(module, ["--port", "0"], { ...env, RESUMABLE_MCP_PANEL: "true" })).toEqual({
        port: "0",
        host: "0.0.0.0",
        "allowed-host": ["a", "b"],
        "max-running": ["8", "render=2"],
        panel: true,
        "slot-turn": "5m",
      });
    },
  );

  test("take a time as milliseconds, too", async () => {
    const text = "export default { slotTurn: 300_000, keepFinished: [2_592_000_000, 'render=1h'], port: 9000 };";
    expect(await readHttp(await nextTo("resumable.config.mjs", text))).toEqual({
      "slot-turn": "300000ms",
      "keep-finished": ["2592000000ms", "render=1h"],
      port: "9000",
    });
  });

  test("of the other server are for the other server", async () => {
    const module = await nextTo("resumable.config.mjs", file);
    const values = await withSettings(stdioOptions, module, {}, { RESUMABLE_MCP_PORT: "1" });
    expect(values).toEqual({ "max-running": ["8", "render=2"], panel: false, "slot-turn": "5m" });
  });

  test("are looked for neither above the module nor in the working directory", async () => {
    const module = await nextTo("resumable.config.mjs", file);
    await mkdir(join(module, "..", "inner"));
    expect(await readHttp(join(module, "..", "inner", "tools.ts"))).toEqual({});
  });

  test("of the file that --settings names replace those next to the module", async () => {
    const module = await nextTo("resumable.config.mjs", file);
    const other = join(module, "..", "other.mjs");
    await writeFile(other, "export default { port: 1 };\n");
    expect(await readHttp(module, ["--settings", other])).toEqual({ settings: other, port: "1" });
    await expect(readHttp(module, ["--settings", `${other}x`])).rejects.toThrow(
      /^Cannot find the settings file .*mjsx\./,
    );
  });

  test.each([
    ["export default { prot: 1 };", /there is no setting prot\. Did you mean port\?$/],
    ["export default { install: 'cursor' };", /there is no setting install\./],
    ["export default { port: true };", /: port must be a text or a number\.$/],
    ["export default { maxRunning: [{}] };", /: maxRunning must be a text or a number, or a list of them\.$/],
    ["export default { panel: 'no' };", /: panel must be true or false\.$/],
    ["export const port = 1;", /has no settings\. Export them: export default defineConfig\(\{ … \}\)\.$/],
    ["export default {", /^The settings file .* could not be loaded: /],
  ])("of %s are refused with a sentence", async (text, sentence) => {
    await expect(readHttp(await nextTo("resumable.config.mjs", text))).rejects.toThrow(sentence);
  });

  test("are known to the compiler by name and value", () => {
    // @ts-expect-error: misspelt
    defineConfig({ prot: 1 });
    // @ts-expect-error: a word that is not one of its values
    defineConfig({ controlTools: "some" });
    // @ts-expect-error: what is asked for once
    defineConfig({ install: "cursor" });
    expect(defineConfig({ port: 1, controlTools: "all", maxRunning: [8, "render=2"], handoff: true })).toBeTypeOf(
      "object",
    );
  });
});

test("a variable of an option without a value is true or false", () => {
  expect(withVariables(httpOptions, {}, { RESUMABLE_MCP_HANDOFF: "1", RESUMABLE_MCP_PANEL: "false" })).toEqual({
    handoff: true,
    panel: false,
  });
  const read = () => withVariables(httpOptions, {}, { RESUMABLE_MCP_HANDOFF: "maybe" });
  expect(read).toThrow(/^RESUMABLE_MCP_HANDOFF must be true or false, not "maybe"\.$/);
});

test.each([
  ["serve http", httpGroups],
  ["serve stdio", stdioGroups],
])("the help of %s has at most 40 lines, and with all every option", (_name, groups) => {
  const usage = "Usage:\n      ";
  expect(helpText({ usage, groups }, false).trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  const all = helpText({ usage, groups }, true);
  for (const [name, { place }] of Object.entries(Object.assign({}, ...Object.values(groups)) as typeof httpOptions))
    expect(all).toMatch(place === "settings" ? /RESUMABLE_MCP_/ : new RegExp(`--(no-)?${name}\\b`));
});
