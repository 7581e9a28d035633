import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { drawDiagrams } from "../src/draw-diagrams.js";
import { linkRepository, repositoryUrl } from "../src/link-repository.js";
import { keepPagesPlain } from "../src/plain-pages.js";
import { sidebar } from "./sidebar.js";

export default defineConfig({
  title: "resumable-mcp",
  description: "Long-running MCP tools that survive crashes, restarts and broken connections.",
  lang: "en",
  // The pages are read on a git host too: they stay where they are, and are not copied.
  srcDir: "../docs",
  rewrites: { "decisions/README.md": "decisions/index.md" },
  // Titles are the pages' own first lines.
  titleTemplate: ":title · resumable-mcp",
  lastUpdated: false,
  // GitHub gives a heading such an anchor, and so do the links of the pages.
  markdown: {
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(/\s/g, "-"),
    },
    config: (markdown) => {
      linkRepository(markdown);
      drawDiagrams(markdown);
      keepPagesPlain(markdown);
    },
  },
  // The pages lie outside this package, so what VitePress adds to them is found here.
  vite: {
    // The search index of all pages is one file, which is loaded when a reader searches.
    build: { chunkSizeWarningLimit: 4_000 },
    resolve: {
      alias: [
        { find: "vue/server-renderer", replacement: fileURLToPath(import.meta.resolve("vue/server-renderer")) },
        { find: /^vue$/, replacement: fileURLToPath(new URL("../node_modules/vue", import.meta.url)) },
      ],
    },
  },
  transformPageData: ({ relativePath, frontmatter }) => {
    // The reference is edited in the sources.
    if (relativePath.startsWith("api/")) frontmatter.editLink = false;
  },
  themeConfig: {
    // The pages come before the reference, whose names hold every word.
    search: {
      provider: "local",
      options: {
        miniSearch: { searchOptions: { boostDocument: (id: string) => (id.includes("/api/") ? 0.2 : 1) } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Cookbook", link: "/cookbook/" },
      { text: "Reference", link: "/api/" },
    ],
    sidebar: sidebar(),
    socialLinks: [{ icon: "github", link: repositoryUrl }],
    editLink: { pattern: `${repositoryUrl}/edit/main/docs/:path`, text: "Edit this page" },
  },
});
