import { defineConfig, type Plugin } from "vite";
import { releaseVersion } from "../../scripts/release-version.js";
import { thirdPartyLicenses } from "../../scripts/third-party-licenses.js";

/** Puts the script and the style into the page itself, so that it is one file. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("The build has no index.html.");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page || name === "THIRD_PARTY_LICENSES") continue;
        const isScript = file.type === "chunk";
        const text = isScript ? file.code : String(file.source);
        // What would end the element stands only in strings and comments, where a backslash changes nothing.
        const inline = text
          .trim()
          .replaceAll(/<\/(script|style)/gi, "<\\/$1")
          .replaceAll("<!--", "<\\!--");
        const element = isScript ? `<script type="module">${inline}</script>` : `<style>${inline}</style>`;
        const before = html;
        html = html.replace(isScript ? scriptOf(name) : linkOf(name), () => element);
        if (html === before) throw new Error(`index.html does not name ${name}.`);
        delete bundle[name];
      }
      page.source = html;
      page.fileName = "panel.html";
    },
  };
}

const scriptOf = (name: string) => new RegExp(`<script [^>]*src="[^"]*${name}"[^>]*></script>`);
const linkOf = (name: string) => new RegExp(`<link [^>]*href="[^"]*${name}"[^>]*>`);

/** Names what was bundled, as its licences require. */
function licenses(): Plugin {
  return {
    name: "third-party-licenses",
    async generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
      const source = await thirdPartyLicenses(files.map((file) => file.replace(/^\0/, "").replace(/\?.*$/, "")));
      this.emitFile({ type: "asset", fileName: "THIRD_PARTY_LICENSES", source });
    },
  };
}

export default defineConfig({
  define: { RESUMABLE_MCP_VERSION: JSON.stringify(releaseVersion()) },
  // Naming conditions replaces Vite's defaults, so they are repeated here.
  resolve: { conditions: ["@resumable-mcp/source", "module", "browser", "development|production"] },
  plugins: [licenses(), oneFile()],
  build: {
    target: ["chrome123", "firefox128", "safari18"],
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
