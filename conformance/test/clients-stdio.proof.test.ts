import { showRows } from "./shown-rows.js";

showRows("stdio");
