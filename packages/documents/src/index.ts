export type { DocumentDisk } from "./document-disk.js";
export type { DocumentDamage, DocumentOptions } from "./document-file.js";
export { DocumentFile } from "./document-file.js";
export { parseDocument } from "./document-text.js";
export type { FirstDocumentOptions } from "./first-document-file.js";
export { FirstDocumentFile } from "./first-document-file.js";
export { openDocument } from "./open-document.js";
export { writeFirstDocument } from "./write-first-document.js";
