import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { published, read, root } from "../src/repository.js";

const { homepage: address } = JSON.parse(read("package.json"));

describe.each(published)("%s", (folder) => {
  test("says where its sources, its page and its issues are", () => {
    expect(JSON.parse(read(join(folder, "package.json")))).toMatchObject({
      homepage: `${address}/blob/main/${folder}/README.md`,
      bugs: `${address}/issues`,
      repository: { type: "git", url: `git+${address}.git`, directory: folder },
    });
  });

  test("links in its README lead somewhere from a registry's page too, and to files that there are", () => {
    const links = [...read(`${folder}/README.md`).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^(?:https:\/\/|#)/.test(link))).toEqual([]);
    const own = links.filter((link) => link.startsWith(`${address}/`)).map((link) => link.slice(address.length));
    const missing = own.filter((link) => {
      const [, path = ""] = /^\/(?:blob|tree)\/main\/([^#]+)/.exec(link) ?? [];
      return !/^\/issues/.test(link) && !existsSync(join(root, path));
    });
    expect(missing).toEqual([]);
  });
});
