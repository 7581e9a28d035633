import type { StoreAdmin } from "@resumable-mcp/core/store";

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
