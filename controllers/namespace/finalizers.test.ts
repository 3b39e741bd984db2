import { expect, test } from "vitest";
import { isFinalized, withoutFinalizer } from "./finalizers.ts";

const metadata = { name: "test", resourceVersion: "1" };

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestFinalized
test.each([
  ["with finalizers", ["a", "b"], false],
  ["without finalizers", [], true],
  ["that never had any", undefined, true],
])("a namespace %s", (_, finalizers, expected) => {
  expect(isFinalized({ metadata, spec: { ...(finalizers && { finalizers }) } })).toBe(expected);
});

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestFinalizeNamespaceFunc
test("the own finalizer goes, those of others stay, and so does the version that was read", () => {
  const namespace = {
    metadata,
    spec: { finalizers: ["kubernetes", "other"] },
    status: { phase: "Terminating" },
  };
  expect(withoutFinalizer(namespace)).toEqual({ metadata, spec: { finalizers: ["other"] } });
});
