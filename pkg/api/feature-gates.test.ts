import { describe, expect, test } from "vitest";
import { featureGates, knownGates, parseFeatureGates } from "./feature-gates.ts";

test("the table has every gate once, 150 of them settable", () => {
  const gates = [...knownGates.values()];
  expect(gates.length).toBe(242);
  expect(gates.filter((gate) => !gate.locked).length).toBe(150);
  for (const gate of gates) expect(["ALPHA", "BETA", "GA", "DEPRECATED"]).toContain(gate.stage);
});

describe("parsing", () => {
  test.each<[string, Record<string, boolean>]>([
    ["", {}],
    ["HPAScaleToZero=true", { HPAScaleToZero: true }],
    ["kube:HPAScaleToZero=true, APIServerIdentity=F", { HPAScaleToZero: true, APIServerIdentity: false }],
    ["HPAScaleToZero=true,HPAScaleToZero=false", { HPAScaleToZero: false }],
    ["DynamicResourceAllocation=true", { DynamicResourceAllocation: true }],
  ])("%j", (text, expected) => {
    expect(parseFeatureGates(text)).toEqual(expected);
  });

  test.each([
    ["HPAScaleToZero", "missing bool value for HPAScaleToZero"],
    ["HPAScaleToZero=maybe", "invalid value of HPAScaleToZero=maybe: want true or false"],
    ["NoSuchThing=true", "unrecognized feature gate: NoSuchThing"],
    ["wardle:Some=true", "component not registered: wardle"],
    [
      "DynamicResourceAllocation=false",
      "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true",
    ],
  ])("%s is refused", (text, message) => {
    expect(() => parseFeatureGates(text)).toThrow(message);
  });
});

describe("effect", () => {
  test("defaults hold where nothing is set", () => {
    const gates = featureGates();
    expect(gates.enabled("HPAScaleToZero")).toBe(false);
    expect(gates.enabled("PodDeletionCost")).toBe(true);
  });

  test("AllAlpha switches every alpha gate but those named", () => {
    const gates = featureGates({ AllAlpha: true, HPAScaleToZero: false });
    expect(gates.enabled("HPAScaleToZero")).toBe(false);
    expect(gates.enabled("GenericWorkload")).toBe(true);
    expect(gates.enabled("ClusterTrustBundle")).toBe(false);
  });

  test("AllBeta=false switches beta gates off and leaves GA alone", () => {
    const gates = featureGates({ AllBeta: false });
    expect(gates.enabled("PodDeletionCost")).toBe(false);
    expect(gates.enabled("DynamicResourceAllocation")).toBe(true);
  });

  test("a gate that does not exist is a mistake in the program", () => {
    expect(() => featureGates().enabled("NoSuchThing")).toThrow('feature "NoSuchThing" is not registered');
  });
});
