import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { deepFreeze } from "../../api/freeze.ts";
import { Interner } from "./interner.ts";
import type { Fields } from "./projection.ts";
import { Projection } from "./projection.ts";

const PODS: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

function projection(...fields: Fields[]): Projection {
  const made = new Projection(PODS, new Interner());
  for (const each of fields) made.add(each);
  return made;
}

const metadata = {
  name: "web-1",
  namespace: "shop",
  uid: "1-2-3",
  resourceVersion: "7",
  labels: { app: "web" },
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "9" }],
};
const pod = deepFreeze({
  metadata: {
    ...metadata,
    annotations: { "example.com/order": "1", "example.com/note": "a long story" },
    managedFields: [{ manager: "kubelet", fieldsV1: {} }],
  },
  spec: {
    nodeName: "n1",
    containers: [
      { name: "main", image: "web:1", ports: [{ containerPort: 80 }] },
      { name: "side", image: "side:1" },
    ],
  },
  status: { phase: "Running", podIP: "10.0.0.1" },
});
const head = { apiVersion: "v1", kind: "Pod" };

test.each<{ what: string; fields: Fields[]; expected: object }>([
  { what: "nothing but the metadata when nothing is asked for", fields: [[]], expected: { metadata } },
  {
    what: "the fields that any consumer asks for",
    fields: [["spec.nodeName"], ["status.phase", "status.reason"]],
    expected: { metadata, spec: { nodeName: "n1" }, status: { phase: "Running" } },
  },
  {
    what: "fields within lists",
    fields: [["spec.containers.name", "spec.containers.ports"]],
    expected: {
      metadata,
      spec: { containers: [{ name: "main", ports: [{ containerPort: 80 }] }, { name: "side" }] },
    },
  },
  {
    what: "a whole field where another consumer wants only a part of it",
    fields: [["spec.containers.name"], ["spec"], ["spec.nodeName"]],
    expected: { metadata, spec: pod.spec },
  },
  {
    what: "one annotation",
    fields: [["metadata.annotations[example.com/order]"]],
    expected: { metadata: { ...metadata, annotations: { "example.com/order": "1" } } },
  },
  {
    what: "all metadata",
    fields: [["metadata"]],
    expected: { metadata: { ...metadata, annotations: pod.metadata.annotations } },
  },
  {
    what: "everything but managedFields when one consumer needs it whole",
    fields: [["spec.nodeName"], "whole"],
    expected: { ...pod, metadata: { ...metadata, annotations: pod.metadata.annotations } },
  },
])("a projection keeps $what", ({ fields, expected }) => {
  expect(projection(...fields).apply<ApiObject>(pod)).toEqual({ ...head, ...expected });
});

test("objects from a list and from a watch come out alike", () => {
  const made = projection("whole");
  expect(made.apply<ApiObject>(pod)).toEqual(
    made.apply<ApiObject>({ apiVersion: "v1", kind: "Pod", ...pod }),
  );
});

test("equal parts of different objects share their memory", () => {
  const made = projection(["spec.containers"]);
  const one = made.apply<ApiObject>(pod);
  const other = made.apply<ApiObject>(structuredClone(pod));
  expect(other).not.toBe(one);
  expect(other.metadata.labels).toBe(one.metadata.labels);
  expect(other.metadata.ownerReferences).toBe(one.metadata.ownerReferences);
});

test("a whole object is a copy that equals the original, whatever is in it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (spec) => {
      const object = { metadata: { name: "x" }, spec };
      expect(projection("whole").apply<ApiObject>(object)).toEqual({ ...head, ...object });
    }),
  );
});

test("after the start, only what is there can be asked for", () => {
  const made = projection(["spec.containers.name", "status"]);
  made.seal();
  made.add(["spec.containers.name", "status.phase", "metadata.labels"]);
  expect(() => made.add(["spec.nodeName"])).toThrow(
    /pods runs already and was not asked for the fields spec.nodeName/,
  );
  expect(() => made.add("whole")).toThrow("was not asked for whole objects");
});

test("with a trap, reading what was left out springs it, and nothing else notices it", () => {
  const made = new Projection(PODS, new Interner(), (field) => {
    throw new Error(`${field} was left out`);
  });
  made.add(["spec.containers.name", "metadata.annotations[example.com/order]"]);
  const out = deepFreeze(made.apply<typeof pod>(pod));
  expect(out.spec.containers[0]?.name).toBe("main");
  expect(out.metadata.annotations["example.com/order"]).toBe("1");
  for (const [read, field] of [
    [() => out.status, "status"],
    [() => out.spec.nodeName, "spec.nodeName"],
    [() => out.spec.containers[0]?.image, "spec.containers.image"],
    [() => out.metadata.annotations["example.com/note"], "metadata.annotations[example.com/note]"],
  ] as const) {
    expect(read).toThrow(`${field} was left out`);
  }
  expect((out.spec as { readonly neverThere?: string }).neverThere).toBeUndefined();
  expect(structuredClone(out)).toEqual(
    projection(["spec.containers.name", "metadata.annotations[example.com/order]"]).apply(pod),
  );
  made.add("whole");
  expect(made.apply<typeof pod>(pod).status.phase).toBe("Running");
});

test("a path must name something", () => {
  expect(() => projection([""])).toThrow("path of a field is empty");
});
