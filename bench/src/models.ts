import { startPostgres } from "@resumable-mcp/store-postgres/testing";
import { checkStoreModel, folderStores, memoryStores, type OpenStore, postgresStores } from "./models/run-model.js";
import { count, oneOf, readOptions, seed } from "./options.js";
import { temporaryFolder } from "./stores/stored-tasks.js";

const purpose = "Compares a store with a plain model in random sequences of calls, and shortens what it finds.";
const options = readOptions("npm run proof -- models", purpose, {
  store: oneOf("the store", ["folder", "memory", "postgres"]),
  runs: count("sequences", 1_000),
  seed,
});

console.log(`seed ${options.seed}, ${options.runs} sequences, ${options.store}`);
const ends: (() => Promise<unknown>)[] = [];
const stores: Record<typeof options.store, () => Promise<OpenStore>> = {
  memory: async () => memoryStores(),
  async folder() {
    const { directory, remove } = await temporaryFolder();
    ends.push(remove);
    return folderStores(directory);
  },
  async postgres() {
    const server = await startPostgres();
    ends.push(() => server.stop());
    return postgresStores(server.url);
  },
};
try {
  await checkStoreModel(await stores[options.store](), options);
  console.log("The store does what the model does.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const end of ends) await end();
}
