import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../command-error.js";
import { didYouMean } from "../did-you-mean.js";
import { importModule } from "../import-module.js";
import type { Option, Options, ValuesOf } from "./option.js";
import { httpOptions, notSettings, stdioOptions } from "./server-options.js";
import { settingOf, variableOf } from "./setting-names.js";

const once: readonly string[] = notSettings;

type Environment = Readonly<Record<string, string | undefined>>;

/** What options say: their flags, else the variables of the environment. */
export function withVariables<Table extends Options>(
  table: Table,
  given: ValuesOf<Table>,
  env: Environment,
): ValuesOf<Table> {
  const variables = Object.entries(table).flatMap(([name, option]) => {
    const value = once.includes(name) ? undefined : env[variableOf(name)];
    return value === undefined ? [] : [[name, ofVariable(name, option, value)]];
  });
  return { ...Object.fromEntries(variables), ...given };
}

function ofVariable(name: string, { type, multiple }: Option, value: string): string | boolean | readonly string[] {
  if (type === "boolean") {
    if (/^(true|false|1|0)$/.test(value)) return value === "true" || value === "1";
    throw new CommandError(`${variableOf(name)} must be true or false, not ${JSON.stringify(value)}.`, 2);
  }
  return multiple === true ? value.split(",").map((entry) => entry.trim()) : value;
}

/**
 * What options say of a server: their flags, else the variables of the environment, else the settings file, which is the one that
 * `--settings` names or lies next to the tools module. It is looked for nowhere else.
 *
 * @throws {@link CommandError} that names the file, and the line that is wrong in it.
 */
export async function withSettings<Table extends Options>(
  table: Table,
  module: string | undefined,
  given: ValuesOf<Table> & { readonly settings?: string | undefined },
  env: Environment,
): Promise<ValuesOf<Table>> {
  const values = withVariables(table, given, env);
  const file = given.settings ?? (module === undefined ? undefined : fileNextTo(module));
  return file === undefined ? values : { ...valuesIn(file, table, await settingsIn(file)), ...values };
}

function fileNextTo(module: string): string | undefined {
  const files = ["ts", "js", "mjs"].map((extension) => join(dirname(module), `resumable.config.${extension}`));
  return files.find((file) => existsSync(file));
}

async function settingsIn(file: string): Promise<object> {
  if (!existsSync(file)) throw new CommandError(`Cannot find the settings file ${file}. Check the path.`, 2);
  const { default: settings } = await importModule(file, resolve(file), "settings file");
  if (typeof settings === "object" && settings !== null) return settings;
  throw new CommandError(`${file} has no settings. Export them: export default defineConfig({ … }).`, 2);
}

/** Of both servers: one file may be for both. */
const known = new Map(
  Object.entries({ ...httpOptions, ...stdioOptions })
    .filter(([name]) => !once.includes(name))
    .map(([name, option]) => [settingOf(name), { name, option }] as const),
);

function valuesIn<Table extends Options>(file: string, table: Table, settings: object): Partial<ValuesOf<Table>> {
  const read = Object.entries(settings).flatMap(([key, value]) => {
    const { name, option } = known.get(key) ?? {};
    if (name === undefined || option === undefined)
      throw new CommandError(`${file}: there is no setting ${key}.${didYouMean(key, [...known.keys()])}`, 2);
    return value === undefined || !(name in table) ? [] : [[name, ofSetting(`${file}: ${key}`, option, value)]];
  });
  return Object.fromEntries(read);
}

function ofSetting(place: string, { type, multiple, value: written = "" }: Option, value: unknown): unknown {
  const isTime = /^(TIME|AGE)/.test(written);
  const toText = (each: unknown) => (isTime && typeof each === "number" ? `${each}ms` : String(each));
  const isText = (each: unknown) => typeof each === "string" || typeof each === "number";
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "string" && multiple !== true && isText(value)) return toText(value);
  if (multiple === true && [value].flat().every(isText)) return [value].flat().map(toText);
  const kind =
    type === "boolean" ? "true or false" : `a text or a number${multiple === true ? ", or a list of them" : ""}`;
  throw new CommandError(`${place} must be ${kind}.`, 2);
}
