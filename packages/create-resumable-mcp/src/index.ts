export { createProject } from "./create-project.js";
