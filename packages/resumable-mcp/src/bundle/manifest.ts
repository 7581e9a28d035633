import { CommandError } from "@resumable-mcp/command-line";
import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";

/** What a manifest is made of. */
export interface ManifestParts {
  readonly definition: Pick<ServerDefinition, "name" | "version" | "tools">;
  /** What its author wrote for the manifest, in the manifest's own words. */
  readonly own: JsonObject;
  /** The `package.json` of the project, which serves where the author says nothing. */
  readonly project: JsonObject;
  /** Whether there is an icon. */
  readonly hasIcon: boolean;
  /** Options with which the server starts. */
  readonly serverFlags: readonly string[];
}

/** A bundle runs on all of them, unless its author says otherwise. Source: MCPB manifest specification, "Compatibility". */
const bundlePlatforms = ["darwin", "win32", "linux"] as const;

/**
 * Makes the manifest of a bundle. Each setting that the host asks its user for is passed on as an environment variable, whose name is
 * the setting's in capitals, unless the author passes it on in another way. Pure.
 *
 * @throws {@link CommandError} when a setting would take the place of a variable such as PATH.
 *
 * Source: MCPB manifest specification, version 0.3.
 */
export function makeManifest({ definition, own, project, hasIcon, serverFlags }: ManifestParts): JsonObject {
  const { name, version, tools } = definition;
  const { server: _server, compatibility, user_config: settings = {}, ...facts } = own;
  const author = authorOf(project.author);
  const ofProject = { description: project.description, license: project.license, homepage: project.homepage, author };
  const known = Object.entries(ofProject).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const env = { ...settingsAsVariables(settings), ...givenVariables(own) };
  return {
    manifest_version: "0.3",
    name,
    version,
    ...Object.fromEntries(known),
    ...facts,
    ...(hasIcon ? { icon: "icon.png" } : {}),
    server: {
      type: "node",
      entry_point: "server/cli.js",
      mcp_config: {
        command: "node",
        args: [
          `${folderOfBundle}/server/cli.js`,
          `${folderOfBundle}/server/tools.js`,
          ...["--name", name, "--handoff", ...serverFlags],
        ],
        env,
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
    // And those that control tasks.
    tools_generated: true,
    ...(isJsonObject(settings) && Object.keys(settings).length > 0 ? { user_config: settings } : {}),
    compatibility: {
      platforms: [...bundlePlatforms],
      runtimes: { node: ">=20.19" },
      ...(isJsonObject(compatibility) ? compatibility : {}),
    },
  };
}

/** What the host puts the folder of the installed bundle in for. */
const folderOfBundle = `\${__dirname}`;

function settingsAsVariables(settings: Json): JsonObject {
  const keys = isJsonObject(settings) ? Object.keys(settings) : [];
  const variables = keys.map((key) => [key.toUpperCase().replace(/\W/g, "_"), `\${user_config.${key}}`] as const);
  const taken = variables.find(([name]) => ownVariables.test(name));
  if (taken !== undefined)
    throw new CommandError(
      `The setting that becomes the variable ${taken[0]} would change how the server itself starts. Choose another name in user_config.`,
    );
  return Object.fromEntries(variables);
}

/** What the system, Node and the dynamic linker read. */
const ownVariables =
  /^(PATH|PATHEXT|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|TEMP|TMP|TMPDIR|SHELL|USER|LANG|TZ|NODE_.*|LD_.*|DYLD_.*|XDG_.*)$/;

/** The variables that the author sets. */
function givenVariables({ server }: JsonObject): JsonObject {
  const config = isJsonObject(server) ? server.mcp_config : undefined;
  const env = isJsonObject(config) ? config.env : undefined;
  return isJsonObject(env) ? env : {};
}

/** npm's authors are objects, or text such as `Ada <ada@example.com>`. */
function authorOf(author: Json | undefined): JsonObject | undefined {
  if (isJsonObject(author)) return author;
  const name = typeof author === "string" ? author.replace(/\s*[<(].*$/s, "") : "";
  return name === "" ? undefined : { name };
}
