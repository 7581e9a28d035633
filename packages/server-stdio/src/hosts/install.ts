import { CommandError } from "@resumable-mcp/command-line";
import { createTwoFilesPatch } from "diff";
import { backUp, type ConfigFile, deleteConfig, findBackups, readConfig, writeConfig } from "./config-file.js";
import { editorFor } from "./editor-for.js";
import type { HostEntry } from "./host-config.js";

/** How a change is shown to the user, and how the user is asked to agree. */
export interface Dialogue {
  readonly show: (text: string) => void;
  /** False: not now. `undefined`: there is nobody to ask. */
  readonly confirm: () => Promise<boolean | undefined>;
}

/** What became of a file. */
export type Outcome = "changed" | "unchanged" | "declined";

/**
 * Writes a server into a host's configuration file, after the change was shown and agreed to. The old file is kept.
 *
 * @throws {@link CommandError} when the file cannot be changed safely; it is left as it is then.
 */
export async function installServer(file: string, server: HostEntry, dialogue: Dialogue): Promise<Outcome> {
  const config = await readConfig(file);
  const before = config.text ?? "";
  const after = editorFor(server.format).set(before, server, config.path);
  if (after === before) return unchanged(dialogue, `${config.path} already has this entry.`);
  if (!(await isAgreed(dialogue, config.path, before, after))) return "declined";
  if (config.text !== undefined) dialogue.show(`The old file is kept as ${await backUp(config)}.\n`);
  await writeConfig(config, after);
  dialogue.show(`Written to ${config.path}. Restart the host, if it is running.\n`);
  return "changed";
}

/**
 * Undoes `installServer`: the file becomes what it was before, byte for byte, or is removed when there was none. When
 * something else was changed since, only the server is taken out.
 *
 * @param instead what then takes the place of the server.
 */
export async function uninstallServer(
  file: string,
  place: Omit<HostEntry, "entry">,
  dialogue: Dialogue,
  instead?: object,
): Promise<Outcome> {
  const config = await readConfig(file);
  const before = config.text ?? "";
  const editor = editorFor(place.format);
  const { [place.name]: entry } = editor.servers(before, place, config.path);
  if (entry === undefined) return unchanged(dialogue, `${config.path} has no server ${place.name}.`);
  const earlier = await earlierText(config, { ...place, entry: Object(entry) });
  const changed = () =>
    instead === undefined
      ? editor.remove(before, place, config.path)
      : editor.set(before, { ...place, entry: instead }, config.path);
  const after = earlier === undefined ? changed() : earlier.text;
  if (!(await isAgreed(dialogue, config.path, before, after ?? ""))) return "declined";
  if (earlier === undefined) dialogue.show(`The old file is kept as ${await backUp(config)}.\n`);
  if (after === undefined) await deleteConfig(config);
  else await writeConfig(config, after);
  dialogue.show(`${after === undefined ? "Removed" : "Written to"} ${config.path}.\n`);
  return "changed";
}

/** The file of which the installation made the present one; its `text` is absent where there was none. */
async function earlierText(config: ConfigFile, server: HostEntry): Promise<Pick<ConfigFile, "text"> | undefined> {
  const makesPresent = ({ text = "", path }: Partial<ConfigFile>) => {
    try {
      return editorFor(server.format).set(text, server, path ?? config.path) === config.text;
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  };
  const backups = await findBackups(config);
  const found = backups.find((backup) => makesPresent(backup));
  if (found !== undefined) return found;
  return makesPresent({}) ? { text: undefined } : undefined;
}

async function isAgreed(dialogue: Dialogue, path: string, before: string, after: string): Promise<boolean> {
  dialogue.show(createTwoFilesPatch(path, path, before, after, "before", "after"));
  const agreed = await dialogue.confirm();
  if (agreed === undefined) throw new CommandError("Nothing was written. Add --yes to write this.");
  if (!agreed) dialogue.show("Nothing was written.\n");
  return agreed;
}

function unchanged({ show }: Dialogue, sentence: string): Outcome {
  show(`${sentence} Nothing to change.\n`);
  return "unchanged";
}
