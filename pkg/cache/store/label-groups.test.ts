import fc from "fast-check";
import { expect, test } from "vitest";
import { type Labels, type LabelSelector, selectorFromLabels } from "../../api/labels.ts";
import type { ApiObject } from "../../api/object.ts";
import { LabelGroups } from "./label-groups.ts";

test("whatever is selected, and however often, is what a look at every object finds, in its order", () => {
  const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(fc.array(labels), fc.array(fc.option(labels, { nil: undefined })), (selectors, all) => {
      const shared = new Map<string, Labels>();
      const objects = all.map((own, index): ApiObject => {
        const metadata = { name: String(index) };
        if (own === undefined) return { metadata };
        // Some share their labels, as in the caches, and some have equal ones of their own.
        const text = JSON.stringify(own);
        if (index % 3 > 0) shared.set(text, shared.get(text) ?? own);
        return { metadata: { ...metadata, labels: shared.get(text) ?? own } };
      });
      const groups = new LabelGroups(objects);
      for (const selected of selectors) {
        const selector = selectorFromLabels(selected);
        const expected = objects.filter(({ metadata }) => selector.matches(metadata.labels));
        expect(groups.matching(selector)).toEqual(expected);
        expect(groups.matching(selector)).toEqual(expected);
      }
    }),
  );
});

test("only the first of several selections looks at labels more often than there are different ones", () => {
  const [one, other] = [{ app: "one" }, { app: "other" }];
  const objects = Array.from({ length: 100 }, (_, index): ApiObject => ({
    metadata: { name: String(index), labels: index % 2 === 0 ? one : other },
  }));
  let looks = 0;
  const selector = selectorFromLabels({ app: "other" });
  const counting = (): LabelSelector => ({
    ...selector,
    empty: false,
    matches: (labels: Labels | undefined) => (looks++, selector.matches(labels)),
  });
  const groups = new LabelGroups(objects);
  for (let selection = 1; selection <= 6; selection++) {
    expect(groups.matching(counting())).toHaveLength(50);
    expect(looks).toBe(2 * selection);
  }
  const same = counting();
  const found = groups.matching(same);
  expect(looks).toBe(14);
  expect(groups.matching(same)).toEqual(found);
  expect(looks).toBe(14);
});
