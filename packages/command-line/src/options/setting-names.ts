/** The name of an option as a variable of the environment: `max-running` is `RESUMABLE_MCP_MAX_RUNNING`. */
export const variableOf = (option: string): string => `RESUMABLE_MCP_${option.replaceAll("-", "_").toUpperCase()}`;

/** Its name in the settings file: `maxRunning`. */
export const settingOf = (option: string): string =>
  option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
