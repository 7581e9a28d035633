import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

const folder = new URL("../../.github/workflows/", import.meta.url);
const files = readdirSync(folder);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");

/** What GitHub's own parser says of a workflow. */
async function problemsOf(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

interface Job {
  readonly permissions?: Record<string, string>;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: Record<string, unknown> }[];
}

const jobsOf = (file: string) => Object.entries<Job>(parse(read(file)).jobs);

test("there is a workflow for each purpose", () => {
  expect(files.sort()).toEqual(["ci.yml", "codeql.yml", "dependency-review.yml", "release.yml", "scorecard.yml"]);
});

test.each(files)("%s is a workflow, by GitHub's own schema", async (file) => {
  expect(await problemsOf(file, read(file))).toEqual([]);
});

test("what is not a workflow is found", async () => {
  const text = read("ci.yml");
  expect(await problemsOf("ci.yml", text.replace("runs-on:", "run-on:"))).not.toEqual([]);
  expect(await problemsOf("ci.yml", text.replace("matrix.os", "matrices.os"))).not.toEqual([]);
  expect(await problemsOf("ci.yml", text.replace("contents: read", "contents: all"))).not.toEqual([]);
});

test.each(files)("%s: every action is pinned to a commit, which a comment names", (file) => {
  const uses = read(file).match(/uses: .*/g) ?? [];
  expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test.each(files)("%s may only read by default, and each of its jobs has an end", (file) => {
  expect(parse(read(file)).permissions).toEqual({ contents: "read" });
  expect(jobsOf(file).filter(([, job]) => job["timeout-minutes"] === undefined)).toEqual([]);
});

test("few jobs may write, those that push or publish run nothing of the repository and of its dependencies, and no secret is named anywhere", () => {
  const jobs = files.flatMap(jobsOf);
  const writing = jobs.filter(([, { permissions = {} }]) => Object.values(permissions).includes("write"));
  expect(writing.map(([name]) => name).sort()).toEqual(["analyze", "analyze", "announce", "propose", "publish"]);
  const steps = jobs
    .filter(([name]) => ["propose", "publish", "announce"].includes(name))
    .flatMap(([, job]) => job.steps);
  expect(steps.filter(({ run = "" }) => /npm (run|test|ci|install|exec)|npx|node .*\.js/.test(run))).toEqual([]);
  const checkedOut = jobs.filter(([, { steps }]) => steps.some(({ uses }) => uses?.startsWith("actions/checkout")));
  expect(checkedOut.filter(([name]) => ["publish", "announce"].includes(name))).toEqual([]);
  expect(files.filter((file) => read(file).includes("secrets."))).toEqual([]);
});

/** Packages by name, each with those that it needs. */
type Packed = Readonly<Record<string, readonly string[]>>;

/** Runs the step that publishes, as GitHub does, where some packages are published already: what it publishes, and under which tag. */
function publish(packages: Packed, there: readonly string[], version = "1.2.3"): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, needed] of Object.entries(packages)) {
    mkdirSync(join(folder, "package"), { recursive: true });
    const dependencies = Object.fromEntries(["zod", ...needed].map((other) => [other, `^${version}`]));
    writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name, version, dependencies }));
    mkdirSync(join(folder, "packages"), { recursive: true });
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    execFileSync("tar", ["-czf", `packages/${file}`, "package"], { cwd: folder });
  }
  // Of a version that is not there npm says nothing, or fails where the whole package is missing.
  const npm = `#!/bin/sh
if [ "$1" = publish ]; then echo "$2 $7" >> ../published; exit 0; fi
case "$2" in ${there.map((name) => `${name}@${version}`).join("|")}) echo ${version};; *) exit 1;; esac
`;
  runStep(folder, "publish", /npm publish/, { npm }, { GITHUB_REF_NAME: `v${version}` });
  return readFileSync(join(folder, "published"), "utf8").trim().split("\n");
}

/** Runs a step of a job of the release, where these programs are in the place of the real ones. */
function runStep(
  folder: string,
  job: string,
  script: RegExp,
  programs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): void {
  const bin = mkdtempSync(join(tmpdir(), "bin-"));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  const steps = jobsOf("release.yml").find(([name]) => name === job)?.[1].steps ?? [];
  const [step = "exit 1"] = steps.flatMap(({ run = "" }) => (script.test(run) ? [run] : []));
  const env = {
    ...process.env,
    GITHUB_REF_NAME: "v1.2.3",
    ...variables,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  };
  execFileSync("bash", ["-e", "-c", step], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
}

test.skipIf(process.platform === "win32")(
  "a release that was interrupted publishes the rest when it is run again",
  () => {
    expect(publish({ "@x/a": [], "@x/b": ["@x/a"], "@x/c": ["@x/b"] }, ["@x/a", "@x/b"])).toEqual([
      "./x-c-1.2.3.tgz latest",
    ]);
  },
);

test.skipIf(process.platform === "win32")(
  "a package is published after those that it needs, and what creates projects last",
  () => {
    const packages = { "@x/z": [], "@x/a": ["@x/z"], x: ["@x/m", "@x/a"], "create-x": [], "@x/m": ["@x/a"] };
    const names = publish(packages, ["none"]).map((line) => line.replace(/^\.\/(.*)-1\.2\.3\.tgz latest$/, "$1"));
    expect(names).toEqual(["x-z", "x-a", "x-m", "x", "create-x"]);
  },
);

test.skipIf(process.platform === "win32")(
  "a version before a release does not become the one that npm installs by default",
  () => {
    expect(publish({ "@x/a": [] }, ["none"], "1.2.3-rc.1")).toEqual(["./x-a-1.2.3-rc.1.tgz next"]);
  },
);

test.skipIf(process.platform === "win32")(
  "a release holds the demo's bundle under the name by which its registry entry finds it, and that entry",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "release-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "release", "sbom"), { recursive: true });
    writeFileSync(join(folder, "release", "sbom", "core.cdx.json"), "{}");
    const bundle = `#!/bin/sh
[ "$*" = "run bundle" ] && mkdir -p apps/demo/dist && echo > apps/demo/resumable-mcp-demo.mcpb && echo > apps/demo/dist/server.json
`;
    runStep(folder, "pack", /run bundle/, { npm: bundle });
    const released = join(folder, "release");
    runStep(released, "announce", /gh release create/, { gh: `#!/bin/sh\nprintf '%s\\n' "$@" > asked\n` });
    const asked = readFileSync(join(released, "asked"), "utf8").trim().split("\n");
    const added = asked.filter((word) => existsSync(join(released, word))).map((path) => basename(path));
    const { packages } = JSON.parse(readFileSync(new URL("../../apps/demo/server.json", import.meta.url), "utf8"));
    expect(added).toEqual(["core.cdx.json", basename(packages[0].identifier), "server.json"]);
  },
);

/** A repository, and what a release proposes to it where `changeset version` does this. */
function propose(version: string, open: string) {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: join(folder, "work"), encoding: "utf8" }).trim();
  for (const name of ["work", "temp"]) mkdirSync(join(folder, name));
  execFileSync("git", ["init", "--quiet", "--bare", join(folder, "origin")]);
  for (const args of [
    ["init", "--quiet"],
    ["remote", "add", "origin", join(folder, "origin")],
  ])
    git(...args);
  for (const name of ["package.json", "changeset.md"]) writeFileSync(join(folder, "work", name), "0.1.0\n");
  git("add", "--all");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "first");
  const env = { RUNNER_TEMP: join(folder, "temp") };
  runStep(join(folder, "work"), "version", /next-version/, { npm: `#!/bin/sh\n${version}\n` }, env);
  git("reset", "--quiet", "--hard");
  writeFileSync(join(folder, "work", "version.patch"), readFileSync(join(folder, "temp", "version.patch")));
  const gh = `#!/bin/sh\ncase "$*" in "pr list"*) echo "${open}";; *) echo "$1 $2" >> ../asked;; esac\n`;
  runStep(join(folder, "work"), "propose", /git push/, { gh });
  const asked = existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").trim() : "";
  const pushed = git("ls-remote", "--heads", "origin").split("refs/heads/")[1];
  const changed = pushed === undefined ? "" : git("diff", "--name-status", `HEAD~1`, `HEAD`);
  return { asked, pushed, changed };
}

test.skipIf(process.platform === "win32")("the next version is proposed once, and only where there is one", () => {
  const makes = 'echo 0.2.0 > package.json; echo new > CHANGELOG.md; rm changeset.md; echo "$@" > /dev/null';
  const changed = "A\tCHANGELOG.md\nD\tchangeset.md\nM\tpackage.json";
  expect(propose(makes, "")).toEqual({ asked: "pr create", pushed: "changeset-release", changed });
  expect(propose(makes, "7")).toEqual({ asked: "", pushed: "changeset-release", changed });
  expect(propose("exit 0", "")).toEqual({ asked: "", pushed: undefined, changed: "" });
});

test("a checkout leaves no token on the disk, except where the job pushes", () => {
  const keeping = files
    .flatMap(jobsOf)
    .flatMap(([name, { steps }]) =>
      steps.some((step) => step.uses?.startsWith("actions/checkout") && step.with?.["persist-credentials"] !== false)
        ? [name]
        : [],
    );
  expect(keeping).toEqual(["propose"]);
});
