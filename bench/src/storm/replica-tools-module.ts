import { tellNote } from "../kills/in-life.js";
import { jobTools } from "./job.js";

/** What the replicas serve. Their standard output is free, so it tells what the tools do. */
export default jobTools(tellNote);
