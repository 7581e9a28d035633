import { LowSync } from "lowdb";
import { FirstDocumentFile, type FirstDocumentOptions } from "./first-document-file.js";

/**
 * Writes a document that is written once.
 *
 * @returns false when there is a file of that name: another process was faster.
 */
export function writeFirstDocument<Document>(options: FirstDocumentOptions<Document>, document: Document): boolean {
  try {
    new LowSync(new FirstDocumentFile(options), document).write();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
