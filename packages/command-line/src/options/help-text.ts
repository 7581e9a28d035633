import type { Option, OptionGroups } from "./option.js";
import { settingOf, variableOf } from "./setting-names.js";

const column = 26;
const width = 119;

/** What `--help` of a program says. */
export interface Help {
  /** The lines above its options. */
  readonly usage: string;
  readonly groups: OptionGroups;
  /** What stands below them. */
  readonly after?: string;
}

/** The text of `--help`; with `all` also what is seldom needed. */
export function helpText({ usage, groups, after }: Help, all: boolean): string {
  const titled = Object.entries(groups).flatMap(([title, options]) => {
    const shown = Object.entries(options).filter(([, { place }]) => place === undefined || (all && place === "rest"));
    return shown.length === 0 ? [] : [`${title}\n${shown.map(flagRow).join("\n")}`];
  });
  const others = Object.values(groups).flatMap((options) => Object.entries(options));
  const settings = others.filter(([, { place }]) => place === "settings");
  const rest = others.some(([, { place }]) => place !== undefined);
  const inFile = others.some(([name]) => name === "settings");
  const title = inFile ? "variables, and lines of the settings file" : "variables";
  const rows = settings.map((setting) => settingRow(setting, inFile));
  const only = all && rows.length > 0 ? [`${title}\n${rows.join("\n")}`] : [];
  const more =
    rest && !all ? ["--help all lists more options, and what only variables and the settings file say."] : [];
  return `${[usage, ...titled, ...only, ...(after === undefined ? [] : [after]), ...more].join("\n\n")}\n`;
}

function flagRow([name, { value, short, negative, multiple, summary }]: readonly [string, Option]): string {
  const left = `--${negative === true ? "no-" : ""}${name}${value === undefined ? "" : ` ${value}`}`;
  return row(left + (multiple === true ? " …" : "") + (short === undefined ? "" : `, -${short}`), summary);
}

function settingRow([name, option]: readonly [string, Option], inFile: boolean): string {
  const value = option.value ?? option.negative !== true;
  const names = inFile ? `${variableOf(name)}, ${settingOf(name)}: ` : `${variableOf(name)}=`;
  return row(`${names}${value}`, option.summary);
}

/** Two columns, the right one wrapped at spaces. */
export function row(left: string, summary: string): string {
  const indent = " ".repeat(column);
  const lines: string[] = left.length + 3 > column ? [`  ${left}`, indent] : [`  ${left}`.padEnd(column)];
  for (const word of summary.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 1 > width && last.length > column) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = last.length === column ? last + word : `${last} ${word}`;
  }
  return lines.join("\n");
}
