import { describe, expect, test } from "vitest";
import { apiVersionOf } from "./resource.ts";
import { allResources } from "./resources.ts";
import { type FieldType, definition, definitionNames, definitionOf, openApiName } from "./schema.ts";

function field(definitionName: string, name: string): unknown {
  return definition(definitionName).fields.get(name);
}

function references(type: FieldType): string[] {
  if (type.kind === "ref") return [type.definition];
  if (type.kind === "list") return references(type.items);
  return type.kind === "map" ? references(type.values) : [];
}

describe("fields", () => {
  test.each<[string, string, object]>([
    ["apps.v1.DeploymentSpec", "replicas", { type: { kind: "int32" }, required: false }],
    [
      "apps.v1.DeploymentSpec",
      "selector",
      { type: { kind: "ref", definition: "meta.v1.LabelSelector" }, required: true },
    ],
    ["apps.v1.DeploymentSpec", "strategy", { patchStrategies: ["retainKeys"], default: {} }],
    ["apps.v1.RollingUpdateDeployment", "maxSurge", { type: { kind: "intOrString" } }],
    ["core.v1.ResourceRequirements", "limits", { type: { kind: "map", values: { kind: "quantity" } } }],
    ["core.v1.Secret", "data", { type: { kind: "map", values: { kind: "bytes" } } }],
    [
      "core.v1.PodSpec",
      "volumes",
      {
        listType: "map",
        listMapKeys: ["name"],
        patchStrategies: ["merge", "retainKeys"],
        patchMergeKey: "name",
      },
    ],
    ["core.v1.PodSpec", "nodeSelector", { mapType: "atomic" }],
    [
      "core.v1.ContainerPort",
      "protocol",
      { type: { kind: "enum", values: ["SCTP", "TCP", "UDP"] }, default: "TCP" },
    ],
    [
      "core.v1.ServiceSpec",
      "ports",
      { listType: "map", listMapKeys: ["port", "protocol"], patchMergeKey: "port" },
    ],
    ["core.v1.PersistentVolumeSpec", "claimRef", { mapType: "granular" }],
    ["coordination.v1.LeaseSpec", "renewTime", { type: { kind: "microTime" } }],
    ["meta.v1.ObjectMeta", "creationTimestamp", { type: { kind: "time" } }],
    ["meta.v1.ObjectMeta", "finalizers", { listType: "set", patchStrategies: ["merge"] }],
    ["meta.v1.ManagedFieldsEntry", "fieldsV1", { type: { kind: "object" } }],
    ["apps.v1.ControllerRevision", "data", { type: { kind: "object" } }],
  ])("%s.%s", (name, fieldName, facts) => {
    expect(field(name, fieldName)).toMatchObject(facts);
  });

  test("a field without facts has none", () => {
    const plain = {
      name: "paused",
      type: { kind: "boolean" },
      required: false,
      listMapKeys: [],
      patchStrategies: [],
    };
    expect(field("apps.v1.DeploymentSpec", "paused")).toEqual(plain);
  });
});

describe("definitions", () => {
  test("atomic objects say so", () => {
    expect(definition("meta.v1.LabelSelector").mapType).toBe("atomic");
    expect(definition("core.v1.PodSpec").mapType).toBeUndefined();
  });

  test("every definition parses, and refers only to definitions there are", () => {
    for (const name of definitionNames()) {
      for (const { type } of definition(name).fields.values()) references(type).forEach(definition);
      expect(openApiName(name)).toMatch(/^io\.k8s\./);
    }
  });

  test("every resource's kind has one", () => {
    for (const resource of allResources()) {
      expect(definitionOf(apiVersionOf(resource), resource.kind)?.fields.has("metadata")).toBe(true);
    }
  });

  test("kinds that belong to no resource have one too", () => {
    expect(definitionOf("v1", "DeleteOptions")?.name).toBe("meta.v1.DeleteOptions");
    expect(definitionOf("apps/v1", "DeploymentList")?.name).toBe("apps.v1.DeploymentList");
    expect(definitionOf("apps/v1", "Pod")).toBeUndefined();
    expect(definitionOf("constructor", "toString")).toBeUndefined();
  });

  test("OpenAPI knows them by their full names", () => {
    expect(openApiName("apps.v1.Deployment")).toBe("io.k8s.api.apps.v1.Deployment");
    expect(openApiName("meta.v1.ObjectMeta")).toBe("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    expect(() => openApiName("nothing.v1.Nothing")).toThrow("nothing.v1.Nothing");
  });
});
