export { openFsAdmin } from "./admin/fs-admin.js";
export { decodeWhole, encodeLine } from "./disk/checked-line.js";
export { measureHeadroom } from "./index/store-usage.js";
export { recordShape } from "./journal/journal-line.js";
export { plainKinds } from "./journal/task-folder.js";
