import { describe, expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import type { OwnerReference } from "./object.ts";
import { controllerOf, isControlledBy, newControllerRef, parseApiVersion } from "./owner-references.ts";
import { resources } from "./resources.ts";

const owner = stored({ metadata: { name: "web", uid: "uid-1" } });
const other: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "uid-2" };

describe("controllers", () => {
  test("the new reference makes the owner the controller and blocks its deletion", () => {
    expect(newControllerRef(owner, resources.replicaSets)).toEqual({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web",
      uid: "uid-1",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test("only the reference that says so is the controller", () => {
    const reference = newControllerRef(owner, resources.pods);
    const object = { metadata: { ownerReferences: [other, { ...other, controller: false }, reference] } };
    expect(controllerOf(object)).toBe(reference);
    expect(isControlledBy(object, owner)).toBe(true);
    expect(isControlledBy(object, stored({ metadata: { name: "web", uid: "uid-3" } }))).toBe(false);
  });

  test("plain owners do not control", () => {
    const object = { metadata: { ownerReferences: [other] } };
    expect(controllerOf(object)).toBeUndefined();
    expect(isControlledBy(object, stored({ metadata: { uid: "uid-2" } }))).toBe(false);
    expect(isControlledBy({ metadata: {} }, stored({ metadata: {} }))).toBe(false);
  });
});

test.each([
  ["v1", { group: "", version: "v1" }],
  ["apps/v1", { group: "apps", version: "v1" }],
  ["", { group: "", version: "" }],
])("parseApiVersion(%j)", (text, parsed) => {
  expect(parseApiVersion(text)).toEqual(parsed);
});

test("an apiVersion with two slashes is refused", () => {
  expect(() => parseApiVersion("a/b/c")).toThrow("unexpected GroupVersion string: a/b/c");
});
