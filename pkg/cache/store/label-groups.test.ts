import fc from "fast-check";
import { expect, test } from "vitest";
import { type Labels, type LabelSelector, selectorFromLabels } from "../../api/labels.ts";
import type { ApiObject } from "../../api/object.ts";
import { LabelGroups } from "./label-groups.ts";

const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), { noNullPrototype: true });
const key = fc.nat({ max: 79 }).map(String);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("set"), key, labels, own: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("unlabel"), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("delete"), key }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("select"), labels }) },
  ),
  { maxLength: 400, size: "max" },
);

test("whatever is selected, and however often, is what a look at every object finds, in its order, after every change", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const shared = new Map<string, Labels>();
      /** Some share their labels, as in the caches, and some have equal ones of their own. */
      const sharedWith = (own: Labels): Labels => {
        const text = JSON.stringify(own);
        const known = shared.get(text) ?? own;
        shared.set(text, known);
        return known;
      };
      const items = new Map<string, ApiObject>();
      const groups = new LabelGroups(items);
      const change = (name: string, after: ApiObject | undefined): void => {
        const before = items.get(name);
        if (after === undefined) items.delete(name);
        else items.set(name, after);
        groups.changed(name, before, after);
      };
      const given: { readonly now: readonly ApiObject[]; readonly atFirst: readonly ApiObject[] }[] = [];
      for (const step of all) {
        if ("own" in step) {
          const held = step.own ? { ...step.labels } : sharedWith(step.labels);
          change(step.key, { metadata: { name: step.key, labels: held } });
        } else if ("labels" in step) {
          const selector = selectorFromLabels(sharedWith(step.labels));
          const expected = [...items.values()].filter(({ metadata }) => selector.matches(metadata.labels));
          for (let time = 1; time <= 5; time++) {
            const found = groups.matching(selector);
            expect(found).toEqual(expected);
            given.push({ now: found, atFirst: [...found] });
          }
        } else change(step.key, step.do === "delete" ? undefined : { metadata: { name: step.key } });
      }
      for (const { now, atFirst } of given) expect(now).toEqual(atFirst);
    }),
  );
});

/** That tells how often it looked at labels. */
function counting(labels: Labels): { readonly selector: () => LabelSelector; readonly looks: () => number } {
  const selector = selectorFromLabels(labels);
  let looks = 0;
  return {
    selector: () => ({
      ...selector,
      empty: false,
      matches: (asked: Labels | undefined) => (looks++, selector.matches(asked)),
    }),
    looks: () => looks,
  };
}

test("a selection looks once at labels that many share, and the same one not at all until there is a change", () => {
  const [one, other] = [{ app: "one" }, { app: "other" }];
  const pod = (index: number): [string, ApiObject] => [
    String(index),
    { metadata: { name: String(index), labels: index % 2 === 0 ? one : other } },
  ];
  const items = new Map(Array.from({ length: 100 }, (_, index) => pod(index)));
  const groups = new LabelGroups(items);
  const { selector, looks } = counting(other);
  for (let selection = 1; selection <= 6; selection++) {
    expect(groups.matching(selector())).toHaveLength(50);
    expect(looks()).toBe(2 * selection);
  }
  const same = selector();
  const found = groups.matching(same);
  expect(looks()).toBe(14);
  expect(groups.matching(same)).toBe(found);
  expect(looks()).toBe(14);
  const [name, changed] = pod(1);
  const before = items.get(name);
  items.set(name, changed);
  groups.changed(name, before, changed);
  expect(groups.matching(same)).toContain(changed);
  expect(looks()).toBe(16);
});

test("nothing is kept by labels that each object has of its own, until many share theirs", () => {
  const items = new Map<string, ApiObject>();
  const groups = new LabelGroups(items);
  const set = (name: string, labels: Labels): void => {
    const before = items.get(name);
    const after = { metadata: { name, labels } };
    items.set(name, after);
    groups.changed(name, before, after);
  };
  const { selector, looks } = counting({ app: "web" });
  const looksOfOne = (asked = selector()): number => {
    const before = looks();
    expect(groups.matching(asked)).toHaveLength(items.size);
    return looks() - before;
  };
  for (let index = 0; index < 100; index++) set(String(index), { app: "web", index: String(index) });
  for (let selection = 1; selection <= 10; selection++) expect(looksOfOne()).toBe(100);
  const shared = { app: "web" };
  for (let index = 0; index < 100; index++) set(String(index), shared);
  for (let selection = 1; selection <= 1_010; selection++) expect(looksOfOne()).toBe(1);
  const same = selector();
  expect([looksOfOne(same), looksOfOne(same)]).toEqual([1, 0]);
  for (let index = 0; index < 70; index++) set(String(index), { app: "web", index: String(index) });
  expect([looksOfOne(same), looksOfOne(same)]).toEqual([71, 71]);
});
