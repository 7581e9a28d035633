import { describe, expect, it } from "vitest";
import { drawPart, least, usual } from "../../../test/draw.js";
import { nestedShape, plainShape } from "../../../test/form-shapes.js";
import { hostile } from "../../../test/odd-texts.js";
import { keys } from "../../../test/open-screens.js";
import { Form } from "./form.js";
import type { FormShape } from "./form-state.js";

const title =
  "ask asks: May all data of last year be deleted, with every copy of it that is kept elsewhere, without recovery?";

function open(shape: FormShape, size = usual, look: { readonly colors?: boolean; readonly title?: string } = {}) {
  const form = <Form title={look.title ?? title} shape={shape} {...size} rows={size.rows - 4} onOutcome={() => {}} />;
  return drawPart(form, size, look);
}

const oneField = (field: object, name = "field"): FormShape => ({
  schema: { type: "object", properties: { [name]: { ...field } }, required: [name] },
  buttons: [{ id: "run", label: "Run", sends: true }],
});

describe("a form", () => {
  it("has a line for each field, its buttons, and what is said of the field at the cursor", () => {
    expect(open(plainShape).frame()).toMatchInlineSnapshot(`
      80×24
      │ask asks: May all data of last year be deleted, with every copy of it that is
      │kept elsewhere, without recovery?
      │▸ n   * 5_
      │  Name
      │  sure* ‹ none ›
      │  kind  ‹ a ›
      │  list
      │  [Run]  No
      │typing replaces it
    `);
  });

  it("shows the whole question as far as that leaves room for an answer, and that there are more fields", async () => {
    const form = open(plainShape, least);
    expect(form.frame()).toMatchInlineSnapshot(`
      40×10
      │ask asks: May all data of last year be
      │deleted, with every copy of it that is …
      │▸ n   * 5_
      │↓ Name
      │  [Run]  No
      │typing replaces it
    `);
    for (const _ of "123") form.press(keys.down);
    expect(await form.until("▸ kind")).toMatchInlineSnapshot(`
      40×10
      │ask asks: May all data of last year be
      │deleted, with every copy of it that is …
      │↑ sure* ‹ none ›  ! is required
      │▸ kind  ‹ a ›
      │  [Run]  No
      │←→ chooses
    `);
  });

  it("says what is wrong next to the field, and marks it by colour too", async () => {
    const form = open(plainShape, usual, { colors: true });
    form.press(keys.enter);
    await form.until("! is required");
    expect(form.colored().split("\n")[4]).toBe("{red}▸ sure* ‹ none ›  ! is required{/}");
  });

  it("says what is wrong below, where there is no room next to the field", async () => {
    const pattern = "^[a-z]+(-[a-z]+)*$";
    const form = open(oneField({ type: "string", pattern }, "name_of_the_release"), least);
    form.press("A");
    expect(await form.until("! must")).toMatchInlineSnapshot(`
      40×10
      │ask asks: May all data of last year be
      │deleted, with every copy of it that is
      │kept elsewhere, without recovery?
      │▸ name_of_the_…* A_  ! must match ^[a-z…
      │  [Run]
      │! must match ^[a-z]+(-[a-z]+)*$
    `);
  });

  it("shows the end of what is typed, where one looks", async () => {
    const form = open(oneField({ type: "string" }), least, { title: "title" });
    form.press("日本語 and the words that come behind it ");
    expect((await form.until("it _")).lines[1]).toBe("▸ field* …he words that come behind it _");
  });

  it("keeps its columns in line with wide names, and draws nothing that could repaint the terminal", () => {
    const properties = {
      数える: { type: "string", default: hostile, description: hostile },
      [hostile]: { type: "string", title: hostile },
      plain: { type: "string", default: "value" },
    };
    const shape = { ...plainShape, schema: { type: "object", properties } };
    expect(open(shape, usual, { title: hostile }).frame()).toMatchInlineSnapshot(`
      80×24
      │evil next line
      │▸ 数える          evil  next  line_
      │  evil next line
      │  plain           value
      │  [Run]  No
      │evil next line · typing replaces it
    `);
  });

  it("stands in what is held by something else", async () => {
    const form = open(nestedShape, usual, { title: "title" });
    for (const key of [keys.down, keys.down, "+"]) form.press(key);
    expect(await form.until("1 entry")).toMatchInlineSnapshot(`
      80×24
      │title
      │  source
      │    url   *
      │    depth
      │▸ people    ‹ 1 entry ›
      │    1     *
      │      name*
      │  level     ‹ none ›
      │  [Run]
      │→ adds an entry, ← takes the last away
    `);
  });

  it("says so where there is nothing to fill in", () => {
    const shape = { schema: { type: "object" }, buttons: [{ id: "run", label: "Run", sends: true }] };
    expect(open(shape, least, { title: "count_words" }).frame().lines).toEqual([
      "count_words",
      "Nothing to fill in.",
      "▸ [Run]",
      "←→ chooses what Enter does",
    ]);
  });
});
