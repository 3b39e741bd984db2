import { expect, test } from "vitest";
import { knownFields } from "./known-fields.ts";

const TEMPLATE = "core.v1.PodTemplateSpec";
const known = {
  metadata: { labels: { app: "web", "any.thing/else": "" }, creationTimestamp: null },
  spec: {
    containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1", "example.com/gpu": "2" } } }],
    volumes: [{ name: "v", emptyDir: {} }],
    nodeSelector: { disk: "ssd" },
    tolerations: [{ operator: "Exists", tolerationSeconds: 3 }],
  },
};

test("what this version knows stays as it is, keys of maps included", () => {
  expect(knownFields(known, TEMPLATE)).toEqual(known);
});

test("what a newer API server has is left out, wherever it is", () => {
  const [container] = known.spec.containers;
  const newer = {
    ...known,
    ofLater: 1,
    metadata: { ...known.metadata, ofLater: {} },
    spec: {
      ...known.spec,
      ofLater: [{ name: "x" }],
      containers: [{ ...container, ofLater: { a: 1 } }],
      volumes: [{ name: "v", emptyDir: { ofLater: true } }],
    },
  };
  expect(knownFields(newer, TEMPLATE)).toEqual(known);
});

test.each([undefined, null, "text", [1]])("%j is not looked into", (value) => {
  expect(knownFields(value, TEMPLATE)).toEqual(value);
});
