import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Json } from "../json.js";
import { defineTool } from "./define-tool.js";
import type { Checkpoint, TypedTool } from "./tool.js";

const facts = { name: "x", description: "X." };
const none = z.object({});

describe("defineTool", () => {
  it("fills in what the author leaves out, and tells tools with checkpoints from others", () => {
    const generator = defineTool({
      ...facts,
      input: none,
      async *run() {
        yield {};
        return 1;
      },
    });
    const plain = defineTool({ ...facts, input: none, output: z.string(), durable: true, run: async () => "done" });
    expect(generator).toMatchObject({ kind: "generator", version: "1" });
    expect(plain).toMatchObject({ kind: "function", durable: true, outputJsonSchema: { type: "string" } });
    expect([generator.content({ n: 1 }), generator.content("text")]).toEqual([
      [{ type: "text", text: '{"n":1}' }],
      [{ type: "text", text: "text" }],
    ]);
  });

  it("refuses names that no protocol can carry, a first state that is not JSON, and schemas without JSON Schema", () => {
    const define = (name: string, state: { readonly seen: number }) => () =>
      defineTool({
        ...facts,
        name,
        input: none,
        state,
        async *run() {
          yield {};
          return 1;
        },
      });
    for (const name of ["", "two words", "x".repeat(65), "a/b"]) {
      expect(define(name, { seen: 1 })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
    expect(define("x", { seen: new Set() } as never)).toThrow(expect.objectContaining({ code: "NOT_JSON" }));
    expect(() => defineTool({ ...facts, input: z.object({ at: z.date() }), run: async () => 1 })).toThrow();
  });

  it("refuses scopes that no token can carry", () => {
    const define = (...requiredScopes: string[]) =>
      defineTool({ ...facts, input: none, requiredScopes, run: async () => 1 });
    expect(define("pay", "https://scopes.example/write").requiredScopes).toEqual([
      "pay",
      "https://scopes.example/write",
    ]);
    for (const scope of ["", "two words", 'a"b', "back\\slash"]) {
      expect(() => define("pay", scope)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    }
  });

  it("infers input, state, items and output from the definition", () => {
    defineTool({
      ...facts,
      input: z.object({ path: z.string(), batch: z.number().default(3) }),
      output: z.object({ words: z.number() }),
      state: { line: 0, label: "none", done: false },
      item: z.object({ word: z.string() }),
      content: ({ words }) => [{ type: "text", text: `${words.toFixed()} words` }],
      key: ({ path }) => path,
      async *run(input, task) {
        expectTypeOf(input).toEqualTypeOf<{ path: string; batch: number }>();
        expectTypeOf(task.state).toEqualTypeOf<{ line: number; label: string; done: boolean }>();
        for await (const item of task.items()) expectTypeOf(item).toEqualTypeOf<{ word: string }>();
        const answer = await task.ask("sure", { message: "Sure?", schema: z.object({ yes: z.boolean() }) });
        if (answer.action === "accept") expectTypeOf(answer.content).toEqualTypeOf<{ yes: boolean }>();
        const stepped = await task.step("one", () => ({ rows: [1] }));
        expectTypeOf(stepped).toEqualTypeOf<{ rows: number[] }>();
        yield { progress: 1, state: { line: 1, label: "some", done: true }, append: [{ word: "a" }] };
        return { words: 1 };
      },
    });
  });

  it("keeps the declared types of a first state: unions, empty lists, interfaces", () => {
    interface Crawl {
      readonly cursor: string | null;
      readonly urls: readonly string[];
      phase: "reading" | "done";
      next?: Crawl;
    }
    const first: Crawl = { cursor: null, urls: [], phase: "reading" };
    defineTool({
      ...facts,
      input: none,
      state: { cursor: null as string | null, urls: [] as string[], phase: "reading" as Crawl["phase"], done: false },
      async *run(_input, task) {
        expectTypeOf(task.state).toEqualTypeOf<{
          cursor: string | null;
          urls: string[];
          phase: "reading" | "done";
          done: boolean;
        }>();
        yield { state: { ...task.state, cursor: "next", urls: ["a"], phase: "done", done: true } };
        return 1;
      },
    });
    defineTool({
      ...facts,
      input: none,
      state: first,
      async *run(_input, task) {
        expectTypeOf(task.state).toEqualTypeOf<Crawl>();
        yield { state: { ...task.state, next: first, cursor: "next" } };
        return 1;
      },
    });
  });

  it("keeps literals where a schema or a declared type expects them", () => {
    const kind = z.enum(["page", "image"]);
    defineTool({
      ...facts,
      input: none,
      output: z.object({ status: z.literal("done"), whole: z.literal(true), kinds: z.array(kind) }),
      state: { phase: "reading" as "reading" | "done" },
      item: z.object({ kind }),
      async *run() {
        yield { state: { phase: "done" }, append: [{ kind: "page" }, { kind: "image" }] };
        return { status: "done", whole: true, kinds: ["page"] };
      },
    });
    defineTool({ ...facts, input: none, output: z.object({ kind }), run: async () => ({ kind: "image" }) });
    // @ts-expect-error a kind that the schema does not know
    defineTool({ ...facts, input: none, output: z.object({ kind }), run: async () => ({ kind: "sound" }) });
  });

  it("takes values whose types are interfaces wherever it takes JSON", async () => {
    interface Page {
      readonly url: string;
      readonly links: readonly Page[];
      readonly title?: string | null;
    }
    interface Form {
      readonly type: "object";
      readonly properties: { readonly name: { readonly type: "string" } };
    }
    const page: Page = { url: "a", links: [] };
    const form: Form = { type: "object", properties: { name: { type: "string" } } };
    defineTool({
      ...facts,
      input: form,
      async *run(input, task) {
        expectTypeOf(input).toEqualTypeOf<Json>();
        expectTypeOf(await task.step("page", async () => page)).toEqualTypeOf<Page>();
        expectTypeOf(await task.step("pages", () => [page])).toEqualTypeOf<Page[]>();
        expectTypeOf(await task.step("nothing", async () => {})).toEqualTypeOf<void>();
        expectTypeOf(await task.step("found", (): Page | null => page)).toEqualTypeOf<Page | null>();
        const answer = await task.ask("name", { message: "Whose?", schema: form });
        if (answer.action === "accept") expectTypeOf(answer.content).toEqualTypeOf<Json>();
        task.log("info", page);
        yield { state: page, append: [page] };
        return page;
      },
    });
  });

  it("takes checkpoints of any type, none at all, and a generator that is passed on", () => {
    const untyped: () => ReturnType<typeof JSON.parse> = () => ({ progress: 1 });
    async function* one(_input: object, task: { readonly state: { readonly at: number } }) {
      yield { state: { at: task.state.at + 1 } };
      return "done";
    }
    const shared = { ...facts, input: none, state: { at: 0 } };
    const tools = [
      defineTool({
        ...shared,
        async *run() {
          yield untyped();
          return "done";
        },
      }),
      defineTool({
        ...shared,
        // biome-ignore lint/correctness/useYield: a tool need not make a checkpoint.
        async *run(_input, task) {
          return String(task.state.at);
        },
      }),
      defineTool({ ...shared, run: one }),
      defineTool({
        ...shared,
        async *run(input, task) {
          return yield* one(input, task);
        },
      }),
    ];
    expect(tools.map(({ kind }) => kind)).toEqual(["generator", "generator", "generator", "generator"]);
    expectTypeOf(tools).items.toEqualTypeOf<TypedTool<Record<string, never>, string>>();
  });

  it("gives a state that begins empty room to grow", () => {
    defineTool({
      ...facts,
      input: none,
      state: { seen: [], cursor: null },
      async *run(_input, task) {
        expectTypeOf(task.state).toEqualTypeOf<{ seen: Json[]; cursor: Json }>();
        yield { state: { seen: ["a", 1], cursor: "next" } };
        yield { state: { seen: [], cursor: null } };
        return 1;
      },
    });
  });

  it("takes a state that is absent as JSON, and one from a schema as that schema says", () => {
    defineTool({
      ...facts,
      input: none,
      async *run(_input, task) {
        expectTypeOf(task.state).toEqualTypeOf<Json>();
        yield { state: { anything: [1] } };
        return { anything: true };
      },
    });
    defineTool({
      ...facts,
      input: none,
      state: z.object({ at: z.number() }).default({ at: 0 }),
      async *run(_input, task) {
        expectTypeOf(task.state).toEqualTypeOf<{ at: number }>();
        yield { state: { at: task.state.at + 1 } };
        return 1;
      },
    });
  });

  it("gives plain functions input and verbs, and checks what they return", () => {
    defineTool({
      ...facts,
      input: z.object({ path: z.string() }),
      output: z.object({ n: z.number() }),
      async run(input, task) {
        expectTypeOf(input).toEqualTypeOf<{ path: string }>();
        const n = await task.step("n", async () => 1);
        return { n };
      },
    });
    // @ts-expect-error the output is not what the schema says
    defineTool({ ...facts, input: none, output: z.object({ n: z.number() }), run: async () => ({ n: "one" }) });
  });

  it("refuses options that do not exist or do not fit, also from JavaScript", () => {
    const define = (options: object) => () => defineTool({ ...facts, input: none, run: async () => 1, ...options });
    const withCheckpoints = {
      async *run() {
        yield {};
      },
    };
    const refused: readonly (readonly [object, string])[] = [
      [{ sate: { at: 0 } }, '"sate" is not a key of a tool (did you mean "state"?).'],
      [{ items: none }, '"items" is not a key of a tool (did you mean "item"?).'],
      [{ onCalerCancel: "stop" }, '"onCalerCancel" is not a key of a tool (did you mean "onCallerCancel"?).'],
      [{ somethingElse: 1 }, '"somethingElse" is not a key of a tool.'],
      [{ input: undefined }, "input must be a schema: z.object({ … }), or plain JSON Schema."],
      [{ input: 5 }, "input must be a schema: z.object({ … }), or plain JSON Schema."],
      [{ output: "text" }, "output must be a schema: z.object({ … }), or plain JSON Schema."],
      [{ ...withCheckpoints, item: null }, "item must be a schema: z.object({ … }), or plain JSON Schema."],
      [{ run: undefined }, "run must be a function."],
      [{ input: { n: z.number() } }, "input is one schema: write z.object({ … }) around the properties."],
      [
        { state: { at: 0 } },
        "a tool without checkpoints has no state: make run an async generator (async *run, compiled for ES2018 or later), and yield.",
      ],
      [
        { onVersionChange: "fail" },
        'onVersionChange is for tasks of other versions: name these in accepts: ["1"], or all with "*".',
      ],
      [
        { ...withCheckpoints, durable: true },
        "durable is for tools without checkpoints: one with checkpoints continues after a crash.",
      ],
    ];
    for (const [options, sentence] of refused) {
      const message = `tool "x": ${sentence}`;
      expect(define(options)).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message }));
    }
    expect(define({ state: undefined, item: undefined, durable: true })).not.toThrow();
  });

  it("refuses what does not fit the types", () => {
    defineTool({
      ...facts,
      input: none,
      state: { a: 1 },
      // @ts-expect-error the state is of another type
      async *run() {
        yield { state: { a: "no" } };
        return 1;
      },
    });
    defineTool({
      ...facts,
      input: none,
      item: z.number(),
      // @ts-expect-error the items are of another type
      async *run() {
        yield { append: ["no"] };
        return 1;
      },
    });
    defineTool({
      ...facts,
      input: none,
      output: z.object({ n: z.number() }),
      // @ts-expect-error the output is of another type
      async *run() {
        yield {};
        return { n: "no" };
      },
    });
    defineTool({
      ...facts,
      input: none,
      state: { at: 0 },
      async *run() {
        // @ts-expect-error marked where it is, since the type is named there
        yield { progress: 1, sate: { at: 1 } } satisfies Checkpoint<{ at: number }>;
        // @ts-expect-error marked where it is, since the type is named there
        yield { state: { at: "no" } } satisfies Checkpoint<{ at: number }>;
        return 1;
      },
    } as never);
    defineTool({
      ...facts,
      input: none,
      async *run(_input, task) {
        // @ts-expect-error a date is not JSON, and would not survive
        await task.step("now", () => new Date());
        yield {};
        return 1;
      },
    });
  });
});
