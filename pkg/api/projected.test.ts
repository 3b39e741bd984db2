import { expect, expectTypeOf, test } from "vitest";
import { isPodReady, isPodTerminal } from "./pod.ts";
import type { ApiObject, PartialObject, Stored } from "./object.ts";
import type { PartOf, PathsOf, Projected } from "./projected.ts";
import type { Pod, Secret } from "./types/core-v1.gen.ts";

// Most of this is judged by the compiler: what follows "expect-error" must not compile.

const FIELDS = [
  "spec.nodeName",
  "spec.containers.name",
  "status.phase",
  "metadata.annotations[example.com/order]",
] as const;
type Seen = Stored<Projected<Pod, typeof FIELDS>>;

const pod: Pod & Seen = {
  metadata: {
    name: "a",
    namespace: "b",
    uid: "c",
    resourceVersion: "1",
    annotations: { "example.com/order": "1", "example.com/note": "x" },
  },
  spec: { nodeName: "n", containers: [{ name: "main", image: "main:1" }] },
  status: { phase: "Failed", reason: "Evicted" },
};
const seen: Seen = pod;

test("the fields that were declared have their types", () => {
  expectTypeOf(seen.spec?.nodeName).toEqualTypeOf<string | undefined>();
  expectTypeOf(seen.spec?.containers[0]?.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(seen.metadata.annotations?.["example.com/order"]).toEqualTypeOf<string | undefined>();
  expectTypeOf(seen.metadata.namespace).toEqualTypeOf<string>();
  expectTypeOf(seen.metadata.labels?.["app"]).toEqualTypeOf<string | undefined>();
  expect(isPodTerminal(seen)).toBe(true);
});

test("the others are unknown, wherever they are", () => {
  expectTypeOf(seen.status?.reason).toEqualTypeOf<unknown>();
  expectTypeOf(seen.spec?.containers[0]?.image).toEqualTypeOf<unknown>();
  expectTypeOf(seen.metadata.managedFields).toEqualTypeOf<unknown>();
  expectTypeOf<Projected<Secret, []>["data"]>().toEqualTypeOf<unknown>();
  // @ts-expect-error: this annotation was not declared.
  expect(seen.metadata.annotations?.["example.com/note"]).toBe("x");
});

test("what reads them does not take the object", () => {
  // @ts-expect-error: the conditions were not declared.
  expect(isPodReady(seen)).toBe(false);
  // @ts-expect-error: it is not a whole pod, and must not be written back.
  const whole: Pod = seen;
  // @ts-expect-error: nor has it all annotations.
  const object: ApiObject = seen;
  // @ts-expect-error: some entries of a map are not the map.
  const annotations: Readonly<Record<string, string>> | undefined = seen.metadata.annotations;
  expect([whole, object, annotations]).toHaveLength(3);
});

test("an object with more fields stands in for one with fewer, and a whole one for both", () => {
  const less: Projected<Pod, ["status.phase"]> = seen;
  const least: PartialObject = less;
  const part: PartOf<Pod, "status.phase" | "spec.nodeName"> = seen;
  expect([less, least, part]).toEqual([pod, pod, pod]);
});

test("of fields that only the run of the program tells nothing is known", () => {
  expectTypeOf<Projected<Pod, string[]>["spec"]>().toEqualTypeOf<unknown>();
});

test("a path must be one of the object", () => {
  type Checked = PathsOf<Pod, ["spec.nodeNam", "metadata.annotations[a.b/c]", "spec.volumes.name"]>;
  expectTypeOf<Checked[0]>().toEqualTypeOf<"spec.nodeNam is no path of the object">();
  expectTypeOf<Checked[1]>().toEqualTypeOf<"metadata.annotations[a.b/c]">();
  expectTypeOf<Checked[2]>().toEqualTypeOf<"spec.volumes.name">();
});
