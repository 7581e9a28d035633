import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkValue, toJsonSchema } from "./schema.js";

const bare = { "~standard": { version: 1, vendor: "bare", validate: (value: unknown) => ({ value }) } } as const;

/** A Standard Schema checks by itself. */
const unused = () => expect.unreachable("No validator is needed.");

describe("checkValue", () => {
  it("gives the value with its defaults, or the problems with their places", async () => {
    const schema = z.object({ n: z.number().default(3), deep: z.object({ list: z.array(z.string()) }).optional() });
    expect(await checkValue(schema, {}, unused)).toEqual({ value: { n: 3 } });
    const { problems } = await checkValue(schema, { deep: { list: [1] } }, unused);
    expect(problems).toEqual([expect.stringMatching(/^deep\.list\.0: /)]);
  });

  it("asks the validator about plain JSON Schema, which may answer later", async () => {
    const schema = { type: "object", required: ["a"] };
    expect(await checkValue(schema, {}, () => ["no"])).toEqual({ problems: ["no"] });
    expect(await checkValue(schema, {}, async () => ["no"])).toEqual({ problems: ["no"] });
    expect(await checkValue(schema, { a: 1 }, async () => [])).toEqual({ value: { a: 1 } });
  });
});

describe("toJsonSchema", () => {
  it("tells the side of the input from that of the output, and names no dialect", () => {
    const schema = z.object({ n: z.number().default(3) });
    expect(toJsonSchema(schema, "input", "x")).not.toHaveProperty("required");
    expect(toJsonSchema(schema, "output", "x")).toMatchObject({ required: ["n"] });
    expect(toJsonSchema(schema, "input", "x")).not.toHaveProperty("$schema");
  });

  it("passes plain JSON Schema on, and refuses a schema that gives none", () => {
    const plain = { type: "object" };
    expect(toJsonSchema(plain, "input", "x")).toBe(plain);
    expect(() => toJsonSchema(bare, "input", "tool x's input")).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining("tool x's input (bare)") }),
    );
  });
});
