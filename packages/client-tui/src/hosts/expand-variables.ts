/** The values of the variables in a host's file. */
export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingDirectory: string;
}

/** A text with its variables filled in, and the names of those without a value here. */
export interface Expanded {
  readonly text: string;
  readonly missing: readonly string[];
}

const variable = /\$\{([^}]*)\}/g;

/**
 * Fills in the variables that the four hosts know: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${userHome}`,
 * `${workspaceFolder}`. What a host asks its user for, as `${input:key}`, is missing.
 */
export function expandVariables(text: string, variables: Variables): Expanded {
  const missing: string[] = [];
  const expanded = text.replaceAll(variable, (whole, name: string) => {
    const value = lookUp(name, variables);
    if (value === undefined) missing.push(name);
    return value ?? whole;
  });
  return { text: expanded, missing };
}

function lookUp(name: string, { env, home, workingDirectory }: Variables): string | undefined {
  if (name === "userHome") return home;
  if (name === "workspaceFolder") return workingDirectory;
  if (name === "pathSeparator" || name === "/") return "/";
  const [, variableName, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(name) ?? [];
  return variableName === undefined ? undefined : (env[variableName] ?? fallback);
}
