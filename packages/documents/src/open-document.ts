import { Low } from "lowdb";
import { DocumentFile, type DocumentOptions } from "./document-file.js";

/**
 * Opens a document and reads it: `data` is what the file holds, or `initial` where there is none.
 *
 * @example
 * ```ts
 * const settings = await openDocument({ path, schema, onDamage }, { theme: "dark" });
 * await settings.update((data) => { data.theme = "light"; });
 * ```
 */
export async function openDocument<Document>(
  options: DocumentOptions<Document>,
  initial: Document,
): Promise<Low<Document>> {
  const document = new Low(new DocumentFile(options), initial);
  await document.read();
  return document;
}
