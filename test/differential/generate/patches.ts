import type { Json } from "../../../pkg/api/json.ts";
import type { Chance } from "./chance.ts";

/** For strategic merge patches. */
export function directives(chance: Chance): Json {
  return chance.one<Json>([
    { spec: { $patch: "replace" } },
    { spec: { $patch: "delete" } },
    { metadata: { labels: { $patch: "replace", z: "z" } } },
    { metadata: { labels: { $retainKeys: ["a"] } } },
    { spec: { template: { spec: { containers: [{ name: "app", image: "y:2" }] } } } },
    { spec: { containers: [{ name: "app", image: "y:2" }] } },
    { spec: { containers: [{ name: "app", $patch: "delete" }] } },
    { spec: { containers: [{ image: "x" }] } },
    { spec: { ports: [{ port: 80, name: "p" }] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/f"] } },
    { metadata: { "$setElementOrder/finalizers": ["example.com/f"], finalizers: ["example.com/f"] } },
    { spec: null },
    { metadata: null },
    { $patch: "x" },
  ]);
}

/** A JSON patch. */
export function operations(chance: Chance): unknown {
  const paths = [
    "/metadata/labels/b",
    "/metadata/labels/fuzz",
    "/metadata/annotations",
    "/metadata/annotations/a~1b",
    "/spec",
    "/spec/replicas",
    "/data/a",
    "/spec/containers/0/image",
    "/spec/containers/-",
    "/spec/containers/9",
    "/x",
    "",
    "metadata",
    "/metadata/name",
    "/metadata/finalizers",
    "/status",
  ];
  const one = (): unknown => ({
    op: chance.one(["add", "add", "replace", "remove", "test", "copy", "move", "x"]),
    path: chance.one(paths),
    ...(chance.percent(20) ? { from: chance.one(paths) } : {}),
    ...(chance.percent(85)
      ? { value: chance.one<unknown>(["x", 1, null, {}, [], { a: "b" }, ["example.com/f"]]) }
      : {}),
  });
  return chance.percent(3)
    ? chance.one<unknown>([{}, "x", [], [1], null])
    : Array.from({ length: 1 + chance.below(2) }, one);
}
