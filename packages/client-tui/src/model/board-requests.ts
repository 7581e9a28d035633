/** How many tasks resume now, and how many servers have not listed theirs yet. */
export interface ResumeAll {
  readonly tasks: number;
  readonly awaitedServers: number;
}

/** Where a tool is called, and whether the task runs without a caller. */
export interface CallPlace {
  readonly server: string;
  readonly detached: boolean;
}
