import { describe, expect, expectTypeOf, test } from "vitest";
import type { ApiObject } from "./object.ts";
import type { TypedResource } from "./resource.ts";
import { apiVersionOf } from "./resource.ts";
import { allResources, findResource, isServedByDefault, resourceOfKind, resources } from "./resources.ts";
import type { Pod } from "./types/core-v1.gen.ts";

describe("the built-in resources", () => {
  test("remember the type of their objects", () => {
    expectTypeOf(resources.pods).toExtend<TypedResource<Pod>>();
    expectTypeOf<Pod>().toExtend<ApiObject>();
  });

  test("carry what discovery says", () => {
    expect(resources.deployments).toMatchObject({
      group: "apps",
      version: "v1",
      plural: "deployments",
      singular: "deployment",
      kind: "Deployment",
      namespaced: true,
      shortNames: ["deploy"],
      categories: ["all"],
    });
    expect(resources.deployments.subresources.find(({ name }) => name === "scale")).toEqual({
      name: "scale",
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: ["get", "patch", "update"],
    });
    expect(resources.nodes.namespaced).toBe(false);
    expect(resources.pods.subresources.map(({ name }) => name)).toContain("eviction");
    expect(resources.tokenReviews.verbs).toEqual(["create"]);
  });

  test.each([
    ["", "v1", "pods", resources.pods],
    ["apps", "v1", "replicasets", resources.replicaSets],
    ["events.k8s.io", "v1", "events", resources.eventsEvents],
    ["autoscaling", "v2", "horizontalpodautoscalers", resources.horizontalPodAutoscalers],
    ["coordination.k8s.io", "v1alpha2", "leasecandidates", resources.leaseCandidatesV1alpha2],
    ["", "v1", "deployments", undefined],
    ["apps", "v1beta1", "deployments", undefined],
  ])("findResource(%j, %j, %j)", (group, version, plural, expected) => {
    expect(findResource(group, version, plural)).toBe(expected);
  });

  test("every resource is found by its plural and by its kind", () => {
    for (const resource of allResources()) {
      expect(findResource(resource.group, resource.version, resource.plural)).toBe(resource);
      expect(resourceOfKind(apiVersionOf(resource), resource.kind)).toBe(resource);
    }
    expect(resourceOfKind("v1", "Nothing")).toBeUndefined();
  });

  test("only stable versions are served by default", () => {
    expect(isServedByDefault(resources.leases)).toBe(true);
    expect(isServedByDefault(resources.leaseCandidates)).toBe(false);
  });
});
