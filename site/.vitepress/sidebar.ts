import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DefaultTheme } from "vitepress";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

const group = (text: string, pages: Readonly<Record<string, string>>, collapsed = false): DefaultTheme.SidebarItem => ({
  text,
  collapsed,
  items: Object.entries(pages).map(([title, link]) => ({ text: title, link })),
});

/** The pages in the order in which a newcomer needs them. Those that are not named here follow under "More". */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const items = namedPages();
  const links = new Set(items.flatMap(({ items: pages = [] }) => pages.map(({ link }) => link)));
  const more = readdirSync(docs)
    .filter((file) => file.endsWith(".md") && file !== "index.md" && !links.has(`/${file.slice(0, -".md".length)}`))
    .map((file) => [titleOf(file), `/${file.slice(0, -".md".length)}`] as const);
  return more.length === 0 ? items : [...items, group("More", Object.fromEntries(more))];
}

const titleOf = (file: string): string => /^# (.*)$/m.exec(readFileSync(join(docs, file), "utf8"))?.[1] ?? file;

const recipes = {
  "All recipes": "/cookbook/",
  "Crawl a site": "/cookbook/crawl",
  "Work through a batch": "/cookbook/batch",
  "Make ten thousand calls": "/cookbook/many-calls",
  "Call a flaky API": "/cookbook/flaky-api",
  "Spare a service": "/cookbook/limited-service",
  "Ask the user": "/cookbook/ask",
  "Call another tool": "/cookbook/call",
  "Make a file": "/cookbook/files",
  "Wake up at intervals": "/cookbook/sleep",
  "Tasks in a web app": "/cookbook/web-app",
  "Checkpoints in any language": "/cookbook/checkpoints",
  "Go, Rust, C#, Java": "/checkpoint-snippets",
};

function namedPages(): DefaultTheme.SidebarItem[] {
  return [
    group("Begin", {
      Tutorial: "/tutorial",
      Concepts: "/concepts",
      "Difference to Temporal, DBOS …": "/comparison",
      "From registerTool": "/migrating",
      "In your own server": "/adopting",
      "Wrap a server": "/wrap",
      Hosts: "/hosts",
      "Agent frameworks": "/frameworks",
      "Types that do not compile": "/type-errors",
    }),
    group("Cookbook", recipes),
    group("Coming from", {
      FastMCP: "/coming-from/fastmcp",
      DBOS: "/coming-from/dbos",
      Inngest: "/coming-from/inngest",
      Temporal: "/coming-from/temporal",
    }),
    group("Run it", {
      Deploy: "/deploy",
      Options: "/options",
      "PostgreSQL and replicas": "/postgres",
      "Upgrade tools": "/upgrading",
      "Sign-in and owners": "/auth",
      "Security and encryption": "/security",
      "Limits, quotas, retention": "/limits",
      "Logs, metrics, alerts": "/observe",
      "Store commands": "/store-commands",
      "The panel": "/panel",
      Troubleshooting: "/troubleshooting",
      Errors: "/errors",
      Performance: "/performance",
    }),
    group("Reference", {
      Guarantees: "/guarantees",
      "Control tools": "/control-tools",
      "Protocol eras": "/protocol",
      "Checkpoint extension": "/checkpoint-extension",
      "Which clients work": "/clients",
      "Store contract": "/store-contract",
      "Writing a store": "/writing-a-store",
    }),
    { text: "API", collapsed: true, link: "/api/", items: apiPages() },
    group(
      "The project",
      {
        Architecture: "/architecture",
        Names: "/naming",
        "What the tests prove": "/testing",
        "The tests of each promise": "/proofs",
        Releasing: "/releasing",
        Decisions: "/decisions/",
      },
      true,
    ),
  ];
}

/** The pages that TypeDoc wrote. */
function apiPages(): DefaultTheme.SidebarItem[] {
  const folder = join(docs, "api");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  return files
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => file.slice(0, -".md".length).replace(/\/index$/, ""))
    .sort()
    .map((page) => ({
      text: page.replace(/-\d$/, ""),
      link: files.includes(`${page}/index.md`) ? `/api/${page}/` : `/api/${page}`,
    }));
}
