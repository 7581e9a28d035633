export { type CreatedProject, createProject } from "./create-project.js";
