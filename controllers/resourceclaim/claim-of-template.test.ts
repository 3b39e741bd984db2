import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { type ClaimToMake, claimOfTemplate, generatedName } from "./claim-of-template.ts";

test.each([
  ["web", "gpu", "web-gpu-"],
  ["a".repeat(40), "b".repeat(15), `${"a".repeat(40)}-${"b".repeat(15)}-`],
  ["a".repeat(41), "b".repeat(15), `${"a".repeat(40)}-${"b".repeat(14)}`],
  ["a".repeat(253), "b".repeat(63), `${"a".repeat(45)}-${"b".repeat(11)}`],
  [`${"a".repeat(44)}.${"c".repeat(208)}`, "b".repeat(63), `${"a".repeat(44)}-${"b".repeat(11)}`],
])("the claim %#: names of pods and claims have their share", (pod, claim, expected) => {
  expect(generatedName(pod, claim)).toBe(expected);
  expect(generatedName(pod, claim).length).toBeLessThanOrEqual(58);
});

const wanted: ClaimToMake = {
  owner: { metadata: { namespace: "default", name: "web", uid: "1", resourceVersion: "1" } },
  kind: resources.pods,
  claimName: "gpu",
  template: { metadata: { name: "gpus" }, spec: { spec: {} } },
  taken: 0,
};

test("the name of a claim is always the same for its owner, and looks like one that the server makes", () => {
  const { name, generateName } = claimOfTemplate(wanted).metadata;
  expect(generateName).toBe("web-gpu-");
  expect(name).toMatch(/^web-gpu-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(claimOfTemplate({ ...wanted }).metadata.name).toBe(name);
});

const { metadata } = wanted.owner;
test.each<readonly [what: string, other: Partial<ClaimToMake>]>([
  ["an owner that took the name of another", { owner: { metadata: { ...metadata, uid: "2" } } }],
  ["another claim", { claimName: "gpv" }],
  ["the next try", { taken: 1 }],
])("%s has another name", (_what, other) => {
  const suffix = (claim: ClaimToMake) => claimOfTemplate(claim).metadata.name.slice(-5);
  expect(suffix({ ...wanted, ...other })).not.toBe(suffix(wanted));
});
