import { describe, expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import { deepFreeze } from "./freeze.ts";
import { newControllerRef } from "./owner-references.ts";
import { podFromTemplate, podNamePrefix } from "./pod-template.ts";
import { resources } from "./resources.ts";
import type { PodTemplateSpec } from "./types/core-v1.gen.ts";

const owner = stored({ metadata: { name: "web", namespace: "shop", uid: "owner-uid" } });
const controller = newControllerRef(owner, resources.replicaSets);
const template: PodTemplateSpec = deepFreeze({
  metadata: { labels: { app: "web" }, annotations: { note: "x" }, finalizers: ["f"], name: "ignored" },
  spec: { containers: [{ name: "c", image: "i" }] },
});

describe("a pod from a template", () => {
  test("has the template's labels, annotations, finalizers and spec, its owner, and a generated name", () => {
    expect(podFromTemplate(template, owner, controller)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: "web-",
        namespace: "shop",
        labels: { app: "web" },
        annotations: { note: "x" },
        finalizers: ["f"],
        ownerReferences: [controller],
      },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
  });

  test.each([
    { name: "web", prefix: "web-" },
    { name: "a", prefix: "a-" },
    { name: "a.b", prefix: "a.b-" },
    { name: "x".repeat(253), prefix: `${"x".repeat(253)}-` },
    { name: "x".repeat(254), prefix: "x".repeat(254) },
    { name: "Not-A-Name", prefix: "Not-A-Name" },
  ])("the prefix of names is $prefix", ({ name, prefix }) => {
    expect(podNamePrefix(name)).toBe(prefix);
  });
});
