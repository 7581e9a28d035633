import { open, rm } from "node:fs/promises";
import type { TaskHandle } from "@resumable-mcp/client";
import type { TaskArtifact } from "@resumable-mcp/protocol";
import type { Command } from "../command.js";
import { exitCodes, UsageError } from "../exit-code.js";

/** `save ID [NAME …]`: writes the files of a task into the present folder. No file that is there is written over. */
export const save: Command = async ({ client, line, output }) => {
  const [id, ...names] = line.words;
  if (id === undefined) throw new UsageError("save needs the id of a task. `tasks` lists yours.");
  const task = client.task(id);
  const { artifacts = [] } = await task.info();
  const has = artifacts.map(({ name }) => JSON.stringify(name)).join(", ") || "none";
  const chosen =
    names.length === 0 ? artifacts : names.flatMap((name) => artifacts.find((one) => one.name === name) ?? []);
  if (chosen.length < Math.max(names.length, 1))
    throw new UsageError(`Task ${id} has no such file. Its files: ${has}.`);
  for (const artifact of chosen) {
    const file = safeName(artifact.name);
    await writeFile(task, artifact, file);
    output.result({ task_id: id, name: artifact.name, file, bytes: artifact.bytes }, [
      `${file}  ${artifact.bytes} bytes`,
    ]);
  }
  return exitCodes.ok;
};

async function writeFile(task: TaskHandle, artifact: TaskArtifact, file: string): Promise<void> {
  const opened = await open(file, "wx").catch((error: unknown) => {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new UsageError(`There is a file ${file} here already. Move it, or save in another folder.`) : error;
  });
  let isWhole = false;
  try {
    for await (const part of task.artifact(artifact)) await opened.writeFile(part);
    isWhole = true;
  } finally {
    await opened.close();
    if (!isWhole) await rm(file, { force: true });
  }
}

/** Servers choose names: one that leads elsewhere, hides, poses as an option, or is a device of Windows becomes another. */
export function safeName(name: string): string {
  const plain = name
    .replace(/[/\\:*?"<>|\p{C}\p{Zl}\p{Zp}]/gu, "_")
    .replace(/^[.\-~ ]+|[. ]+$/g, (marks) => "_".repeat(marks.length))
    .slice(0, 128);
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(plain) ? `_${plain}` : plain || "_";
}
