import { V1Lease, V1MicroTime, V1NetworkPolicy, V1Pod } from "@kubernetes/client-node";
import { expect, expectTypeOf, test } from "vitest";
import type { Lease } from "../api/types/coordination-v1.gen.ts";
import type { Deployment } from "../api/types/apps-v1.gen.ts";
import type { CustomResourceDefinition } from "../api/types/apiextensions-v1.gen.ts";
import type { ConfigMap, Pod } from "../api/types/core-v1.gen.ts";
import type { NetworkPolicy } from "../api/types/networking-v1.gen.ts";
import type * as Models from "@kubernetes/client-node";
import { modelOf } from "./model.ts";
import { type Wire, wireOf } from "./wire.ts";

test("a model can be used where an object of the same kind is wanted", () => {
  expectTypeOf<Wire<V1Pod>>().toExtend<Pod>();
  expectTypeOf<Wire<Models.V1Deployment>>().toExtend<Deployment>();
  expectTypeOf<Wire<V1Lease>>().toExtend<Lease>();
  expectTypeOf<Wire<V1NetworkPolicy>>().toExtend<NetworkPolicy>();
  expectTypeOf<Wire<Models.V1ConfigMap>>().toExtend<ConfigMap>();
  expectTypeOf<Wire<Models.V1CustomResourceDefinition>>().toExtend<CustomResourceDefinition>();
});

test("times become text, and fields have their names on the wire", () => {
  const lease: V1Lease = {
    metadata: { name: "l", creationTimestamp: new Date("2026-11-19T08:00:00Z") },
    spec: { renewTime: new V1MicroTime("2026-11-19T08:00:00.123Z") },
  };
  expect(wireOf(lease)).toEqual({
    metadata: { name: "l", creationTimestamp: "2026-11-19T08:00:00.000Z" },
    spec: { renewTime: "2026-11-19T08:00:00.123000Z" },
  });
  const policy: V1NetworkPolicy = { spec: { podSelector: {}, ingress: [{ _from: [{ podSelector: {} }] }] } };
  expect(wireOf(policy)).toEqual({ spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] } });
  const schema: Models.V1JSONSchemaProps = {
    _default: { a: 1 },
    x_kubernetes_int_or_string: true,
    properties: { _default: { type: "string" }, x_kubernetes_a: {} },
  };
  expect(wireOf(schema)).toEqual({
    default: { a: 1 },
    "x-kubernetes-int-or-string": true,
    properties: { _default: { type: "string" }, x_kubernetes_a: {} },
  });
});

test("names that people have chosen are kept, and the model stays as it is", () => {
  const model: Models.V1ConfigMap = { metadata: { name: "c" }, data: { _from: "x" } };
  const frozen = JSON.stringify(model);
  expect(wireOf(model).data).toEqual({ _from: "x" });
  expect(JSON.stringify(model)).toBe(frozen);
});

test("an object becomes a model, and that the object", () => {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", creationTimestamp: "2026-11-19T08:00:00.000Z", labels: { from: "x" } },
    status: {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-19T08:00:01.000Z" }],
    },
  };
  const model = modelOf(V1Pod, pod);
  expect(model.metadata?.creationTimestamp).toEqual(new Date("2026-11-19T08:00:00Z"));
  expect(model).toBeInstanceOf(V1Pod);
  expect(model.metadata?.labels).toEqual({ from: "x" });
  expect(wireOf(model)).toEqual(pod);
  const lease: Lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "l" },
    spec: { renewTime: "2026-11-19T08:00:00.123456Z" },
  };
  expect(wireOf(modelOf(V1Lease, lease))).toEqual(lease);
  const policy: NetworkPolicy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "n" },
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
  };
  expect(modelOf(V1NetworkPolicy, policy).spec?.ingress?.[0]?._from).toEqual([{ podSelector: {} }]);
  expect(() => modelOf(V1Pod, { apiVersion: "example.com/v1", kind: "Pod", metadata: {} })).toThrow(
    "there is no kind Pod in example.com/v1",
  );
});
