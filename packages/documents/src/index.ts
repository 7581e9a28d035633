export type { DocumentDisk } from "./document-disk.js";
export { nodeDocumentDisk } from "./document-disk.js";
export type { DocumentDamage, DocumentOptions } from "./document-file.js";
export { DocumentFile, openDocument } from "./document-file.js";
export { parseDocument } from "./document-text.js";
export { makeFolder } from "./make-folder.js";
