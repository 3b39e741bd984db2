import { expect, test } from "vitest";
import { generatedName } from "./claim-of-template.ts";

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
