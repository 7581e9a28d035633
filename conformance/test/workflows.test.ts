import { readdirSync, readFileSync } from "node:fs";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { expect, test } from "vitest";
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

test("only jobs that run nothing of the repository may publish, and no secret is named anywhere", () => {
  const jobs = files.flatMap(jobsOf);
  const writing = jobs.filter(([, { permissions = {} }]) => Object.values(permissions).includes("write"));
  expect(writing.map(([name]) => name).sort()).toEqual(["analyze", "analyze", "announce", "publish", "version"]);
  const [, publish] = jobs.find(([name]) => name === "publish") ?? [];
  expect(publish?.steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout"))).toEqual([]);
  expect(files.filter((file) => read(file).includes("secrets."))).toEqual([]);
});

test("a checkout leaves no token on the disk, except where the job pushes", () => {
  const keeping = files
    .flatMap(jobsOf)
    .flatMap(([name, { steps }]) =>
      steps.some((step) => step.uses?.startsWith("actions/checkout") && step.with?.["persist-credentials"] !== false)
        ? [name]
        : [],
    );
  expect(keeping).toEqual(["version"]);
});
