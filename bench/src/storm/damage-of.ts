import type { Store, TaskRecord } from "@resumable-mcp/core";
import { artifactsOf, type StoreAdmin } from "@resumable-mcp/core/store";
import { artifactText } from "./job.js";

/** What `resumable-mcp store check` fails for. */
export async function damageOf(admin: StoreAdmin): Promise<readonly string[]> {
  try {
    const { problems } = await admin.check();
    const damage = problems.filter(({ severity }) => severity === "damage");
    return damage.map(({ kind, path, message }) => `check: ${kind}  ${path}  ${message}`);
  } finally {
    await admin.close();
  }
}

/** The artifacts of a task whose bytes are others than those that its tool gave, one sentence each. */
export async function wrongArtifacts(reader: Store, record: TaskRecord): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, artifact } of artifactsOf(record)) {
    const chunks: Uint8Array[] = [];
    for (let chunk = await reader.readChunk(record.id, artifact, 0); chunk !== undefined; ) {
      chunks.push(chunk);
      chunk = await reader.readChunk(record.id, artifact, chunks.length);
    }
    if (!Buffer.concat(chunks).equals(Buffer.from(artifactText(record.id, name))))
      problems.push(`G1: The artifact ${name} of ${record.id} has other bytes.`);
  }
  return problems;
}
