import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiObject } from "../../api/object.ts";
import { keyOf } from "../../api/object.ts";
import { type Labels, selectorFromLabels } from "../../api/labels.ts";
import { Store } from "./store.ts";

interface Tagged extends ApiObject {
  readonly tags: readonly string[];
}

const tagged = (name: string, ...tags: string[]): Tagged => ({ metadata: { name }, tags });
const byTag = (object: Tagged): readonly string[] => object.tags;

function storeOf(...objects: Tagged[]): Store<Tagged> {
  const store = new Store<Tagged>();
  store.addIndex("tag", byTag);
  for (const object of objects) store.set(keyOf(object), object);
  return store;
}

function replace(
  store: Store<Tagged>,
  objects: readonly Tagged[],
  resourceVersion: string,
  meanwhile?: () => void,
): void {
  exchange(store, new Map(objects.map((object) => [keyOf(object), object])), resourceVersion, meanwhile);
}

function exchange<T extends ApiObject>(
  store: Store<T>,
  objects: Map<string, T>,
  resourceVersion: string,
  meanwhile?: () => void,
): void {
  const steps = store.prepareReplace(objects, resourceVersion);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  meanwhile?.();
  step.value();
}

const names = (objects: readonly ApiObject[]): unknown => objects.map((object) => object.metadata.name);

test("a value that nothing has any more leaves the index, one that something still has stays", () => {
  const store = storeOf(tagged("a", "red"), tagged("b", "red"));
  store.delete("a");
  expect(store.indexValues("tag")).toEqual(["red"]);
  store.delete("b");
  expect(store.indexValues("tag")).toEqual([]);
});

test.each([
  { before: ["a", "b"], after: ["b", "c"], values: ["b", "c"] },
  { before: ["a", "a"], after: ["a"], values: ["a"] },
  { before: ["a"], after: [], values: [] },
  { before: [], after: ["a", "b"], values: ["a", "b"] },
  { before: ["a"], after: ["a"], values: ["a"] },
])(
  "an object that moves from $before to $after is found under the new values only",
  ({ before, after, values }) => {
    const store = storeOf(tagged("x", ...before));
    const moved = tagged("x", ...after);
    store.set("x", moved);
    expect(store.indexValues("tag").toSorted()).toEqual(values);
    for (const value of values) expect(store.byIndex("tag", value)).toEqual([moved]);
  },
);

test("objects are found by several values of one index", () => {
  const store = storeOf(tagged("e1", "ernie", "bert"), tagged("b1", "bert", "oscar"), tagged("o1", "oscar"));
  expect(names(store.byIndex("tag", "bert"))).toEqual(["e1", "b1"]);
  expect(names(store.byIndex("tag", "nobody"))).toEqual([]);
  expect(names(store.byIndex("tag", "oscar"))).toEqual(["b1", "o1"]);
});

test("an index may come late, but not twice under one name", () => {
  const store = storeOf(tagged("a", "red"));
  store.addIndex("first letter", (object) => [object.metadata.name?.slice(0, 1) ?? ""]);
  expect(names(store.byIndex("first letter", "a"))).toEqual(["a"]);
  expect(() => store.addIndex("tag", () => [])).toThrow("already another index named tag");
  expect(() => store.byIndex("colour", "red")).toThrow("no index named colour");
});

test("an array that was handed out never changes and is shared until something does", () => {
  const store = storeOf(tagged("a", "red"), tagged("b", "blue"));
  const red = store.byIndex("tag", "red");
  const all = store.list();
  store.set("b", tagged("b", "green"));
  expect(store.byIndex("tag", "red")).toBe(red);
  store.set("c", tagged("c", "red"));
  expect(names(red)).toEqual(["a"]);
  expect(names(all)).toEqual(["a", "b"]);
  expect(names(store.list())).toEqual(["a", "b", "c"]);
});

test("readers see the old content until a replacement is complete", () => {
  const store = storeOf(tagged("a", "red"));
  replace(store, [tagged("b", "red"), tagged("c", "blue")], "7", () => {
    expect(names(store.byIndex("tag", "red"))).toEqual(["a"]);
    expect(store.resourceVersion).toBe("");
    store.addIndex("late", (object) => [object.metadata.name ?? ""]);
  });
  expect(names(store.list())).toEqual(["b", "c"]);
  expect(names(store.byIndex("tag", "red"))).toEqual(["b"]);
  expect(names(store.byIndex("late", "c"))).toEqual(["c"]);
  expect(store.resourceVersion).toBe("7");
  store.advance("9");
  store.advance("");
  expect(store.resourceVersion).toBe("9");
});

test("what a draft holds is found once it is the content, and not before", () => {
  const store = storeOf(tagged("a", "red"));
  const draft = store.draft();
  draft.set("gone", tagged("gone", "red"));
  draft.clear();
  draft.set("b", tagged("b", "red"));
  draft.set("c", tagged("c", "red"));
  draft.set("c", tagged("c", "blue"));
  draft.set("d", tagged("d", "red"));
  draft.delete("d");
  draft.delete("never there");
  store.addIndex("first letter", (object) => [object.metadata.name?.slice(0, 1) ?? ""]);
  expect(names(store.byIndex("tag", "red"))).toEqual(["a"]);
  exchange(store, draft.objects, "7", () => expect(names(store.byIndex("tag", "red"))).toEqual(["a"]));
  expect(names(store.list())).toEqual(["b", "c"]);
  expect(names(store.byIndex("tag", "red"))).toEqual(["b"]);
  expect(names(store.byIndex("tag", "blue"))).toEqual(["c"]);
  expect(names(store.byIndex("first letter", "c"))).toEqual(["c"]);
  store.set("c", tagged("c", "red"));
  expect(store.indexValues("tag")).toEqual(["red"]);
  expect(names(store.byIndex("tag", "red"))).toEqual(["b", "c"]);
});

test("an object is looked at once for each index, as it comes", () => {
  const store = new Store<Tagged>();
  const seen: string[] = [];
  store.addIndex("tag", (object) => {
    seen.push(object.metadata.name ?? "");
    return object.tags;
  });
  const draft = store.draft();
  for (const name of ["a", "b"]) draft.set(name, tagged(name, "red"));
  expect(seen).toEqual(["a", "b"]);
  exchange(store, draft.objects, "7");
  expect(seen).toEqual(["a", "b"]);
});

test("an index that grew with the changes equals one that is built at the end", () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const tags = fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 3 });
  const step = fc.oneof(
    fc.tuple(fc.constant("set" as const), name, tags),
    fc.tuple(fc.constant("delete" as const), name, tags),
    fc.tuple(fc.constant("replace" as const), name, tags),
  );
  fc.assert(
    fc.property(fc.array(step, { size: "max", maxLength: 60 }), (steps) => {
      const store = storeOf();
      const model = new Map<string, Tagged>();
      for (const [what, key, values] of steps) {
        const object = tagged(key, ...values);
        if (what !== "set") model.delete(key);
        if (what === "replace") model.clear();
        if (what !== "delete") model.set(key, object);
        if (what === "set") store.set(key, object);
        else if (what === "delete") store.delete(key);
        else replace(store, [object], "1");
      }
      expect(store.list()).toEqual([...model.values()]);
      for (const tag of ["x", "y", "z"]) {
        const expected = [...model.values()].filter((object) => object.tags.includes(tag));
        expect(new Set(store.byIndex("tag", tag))).toEqual(new Set(expected));
        expect(store.indexValues("tag").includes(tag)).toBe(expected.length > 0);
      }
    }),
  );
});

test("a selection finds what is in the store, under the value of an index or at all, after each change", () => {
  interface Labelled extends ApiObject {
    readonly place: string;
  }
  const [web, db] = [{ app: "web" }, { app: "db" }];
  const labelled = (name: string, labels: Labels, place = "here"): Labelled => ({
    metadata: { name, labels },
    place,
  });
  const store = new Store<Labelled>();
  store.addIndex("place", ({ place }) => [place]);
  const selector = selectorFromLabels(web);
  const selected = (): unknown => {
    // The first few are looked for one by one, the later ones by what is shared.
    for (let time = 1; time <= 5; time++) store.list(selector);
    for (let time = 1; time <= 5; time++) store.byIndex("place", "here", selector);
    return [names(store.list(selector)), names(store.byIndex("place", "here", selector))];
  };
  store.set("a", labelled("a", web));
  store.set("b", labelled("b", db));
  store.set("c", labelled("c", web));
  expect(selected()).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
  store.set("b", labelled("b", web));
  store.set("c", labelled("c", web, "there"));
  expect(selected()).toEqual([
    ["a", "b", "c"],
    ["a", "b"],
  ]);
  store.delete("a");
  store.set("c", labelled("c", web));
  expect(selected()).toEqual([
    ["b", "c"],
    ["b", "c"],
  ]);
  exchange(store, new Map([["d", labelled("d", web)]]), "2");
  expect(selected()).toEqual([["d"], ["d"]]);
  expect(store.byIndex("place", "nowhere", selector)).toEqual([]);
});
