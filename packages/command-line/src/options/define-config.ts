import type { Option, Options } from "./option.js";
import type { httpOptions, notSettings, stdioOptions } from "./server-options.js";

type SettingName<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<SettingName<Rest>>}`
  : Name;

/** The words that a value can be, where it is written so, as in `auto|session`. */
type Words<Value> = Value extends `${infer First}|${infer Rest}` ? First | Words<Rest> : Value;

type SettingValue<Entry extends Option> = Entry extends { readonly type: "boolean" }
  ? boolean
  : Entry extends { readonly multiple: true }
    ? string | number | readonly (string | number)[]
    : Entry extends { readonly value: infer Value extends string }
      ? Value extends Lowercase<Value>
        ? Words<Value>
        : string | number
      : string | number;

type SettingsOf<Table extends Options> = {
  readonly [Name in keyof Table as SettingName<Name>]?: SettingValue<Table[Name]>;
};

/** The settings of a server: options by their names in one word, such as `maxRunning` for `--max-running`. */
type Settings = SettingsOf<Omit<typeof httpOptions & typeof stdioOptions, (typeof notSettings)[number]>>;

/** The settings of a server, for the default export of `resumable.config.ts` next to its tools module. It gives them back: an editor then knows their names. */
export function defineConfig(settings: Settings): Settings {
  return settings;
}
