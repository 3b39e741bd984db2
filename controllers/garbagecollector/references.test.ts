import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../../pkg/api/object.ts";
import type { ObjectIdentity } from "./identity.ts";
import { alternateIdentity, partitionDependents, referenceChanges } from "./references.ts";

interface Child {
  readonly identity: ObjectIdentity;
  readonly owners: readonly OwnerReference[];
}

const namespaced = id("v1 NSParent ns1 parent");
const cluster = id("v1 ClusterParent - parent");
const ordered = ["v1", "v2", "v3", "v4", "v5"];
const many = (namespace: string): readonly string[] =>
  ordered.map((version) => `${version} kind ${namespace} name`);

// upstream: pkg/controller/garbagecollector/graph_builder_test.go#TestGetAlternateOwnerIdentity
describe("who else could be meant when an owner does not exist", () => {
  test.each<[string, readonly Child[], ObjectIdentity, string | undefined]>([
    [
      "another version",
      [child("ns1", "v1 NSParent - parent"), child("ns1", "xx NSParent - parent")],
      namespaced,
      "xx NSParent ns1 parent",
    ],
    [
      "another kind",
      [child("ns1", "v1 NSParent - parent"), child("ns1", "v1 xxxxxxxx - parent")],
      namespaced,
      "v1 xxxxxxxx ns1 parent",
    ],
    [
      "another namespace",
      [child("ns1", "v1 NSParent - parent"), child("ns2", "v1 NSParent - parent")],
      namespaced,
      "v1 NSParent ns2 parent",
    ],
    [
      "another name",
      [child("ns1", "v1 NSParent - parent"), child("ns1", "v1 NSParent - xxxxxx")],
      namespaced,
      "v1 NSParent ns1 xxxxxx",
    ],
    [
      "cluster-scoped, another version: it may have namespaces",
      [child("ns1", "v1 ClusterParent - parent"), child("ns1", "xx ClusterParent - parent")],
      cluster,
      "xx ClusterParent ns1 parent",
    ],
    [
      "cluster-scoped, another kind: it may have namespaces",
      [child("ns1", "v1 ClusterParent - parent"), child("ns1", "v1 xxxxxxxx - parent")],
      cluster,
      "v1 xxxxxxxx ns1 parent",
    ],
    [
      "cluster-scoped, another namespace: the same",
      [child("ns1", "v1 ClusterParent - parent"), child("ns2", "v1 ClusterParent - parent")],
      cluster,
      undefined,
    ],
    [
      "cluster-scoped, another name: no namespace",
      [child("ns1", "v1 ClusterParent - parent"), child("ns1", "v1 ClusterParent - xxxxxx")],
      cluster,
      "v1 ClusterParent - xxxxxx",
    ],
    ["the first after the last", [child("ns1", ...many("-"))], id("v5 kind ns1 name"), "v1 kind ns1 name"],
    ["the next one", [child("ns1", ...many("-"))], id("v4 kind ns1 name"), "v5 kind ns1 name"],
    [
      "cluster-scoped: the first after the last",
      [child("-", ...many("-"))],
      id("v5 kind - name"),
      "v1 kind - name",
    ],
    ["cluster-scoped: the next one", [child("-", ...many("-"))], id("v4 kind - name"), "v5 kind - name"],
    [
      "nobody by another uid",
      [
        {
          ...child("ns1", "v1 ClusterParent - parent"),
          owners: [ref("v1 ClusterParent - parent"), { ...ref("v1 Parent - name"), uid: "another" }],
        },
      ],
      cluster,
      undefined,
    ],
    [
      "nobody by the same words",
      [child("ns1", "v1 ClusterParent - parent", "v1 ClusterParent - parent")],
      cluster,
      undefined,
    ],
    [
      "the same one, named twice",
      [child("-", "v1 ClusterParent - parent", "v1 xxxxxxxx - parent", "v1 xxxxxxxx - parent")],
      cluster,
      "v1 xxxxxxxx - parent",
    ],
  ])("%s", (_, children, absent, expected) => {
    expect(alternateIdentity(children, absent)).toEqual(expected === undefined ? undefined : id(expected));
  });
});

test("dependents that name the owner in two ways both match and do not", () => {
  const right = child("ns1", "v1 NSParent - parent");
  const wrong = child("ns1", "v1 Other - parent");
  const both = child("ns1", "v1 NSParent - parent", "v1 Other - parent");
  const elsewhere = child("ns2", "v1 NSParent - parent");
  expect(partitionDependents([right, wrong, both, elsewhere], namespaced)).toEqual({
    matching: [right, both],
    nonmatching: [wrong, both, elsewhere],
  });
  expect(partitionDependents([child("ns2", "v1 ClusterParent - parent")], cluster).nonmatching).toEqual([]);
});

const a = { apiVersion: "v1", kind: "Kind", name: "a", uid: "a" };
const b = { ...a, name: "b", uid: "b" };
const blocking = { ...a, blockOwnerDeletion: true };

test.for<[string, OwnerReference[], OwnerReference[], OwnerReference[], OwnerReference[], OwnerReference[]]>([
  ["the same", [a, b], [b, a], [], [], []],
  ["one more, one less", [a], [b], [b], [a], []],
  [
    "no longer blocking",
    [blocking],
    [{ ...a, blockOwnerDeletion: false }],
    [],
    [],
    [{ ...a, blockOwnerDeletion: false }],
  ],
  ["silent on blocking", [blocking], [a], [], [], [a]],
  ["blocking from now on", [a], [blocking], [], [], []],
  ["one uid twice", [a], [a, { ...a, kind: "Other" }], [{ ...a, kind: "Other" }], [], []],
])("owners before and after: %s", ([, before, after, added, removed, unblocked]) => {
  expect(referenceChanges(before, after)).toEqual({ added, removed, unblocked });
});

/** "apiVersion kind namespace name", with "-" for no namespace; the uid is always the same. */
function id(text: string): ObjectIdentity {
  const [apiVersion = "", kind = "", namespace = "", name = ""] = text.split(" ");
  return { apiVersion, kind, namespace: namespace === "-" ? "" : namespace, name, uid: "uid" };
}

function ref(text: string): OwnerReference {
  const { namespace: _, ...reference } = id(text);
  return reference;
}

function child(namespace: string, ...owners: readonly string[]): Child {
  const identity = { ...id(`v1 Child ${namespace} child`), uid: "child" };
  return { identity, owners: owners.map(ref) };
}
