import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import { newWorld } from "../../harness/controller-world.ts";
import { PolicyChecker } from "./policy-checker.ts";

interface Recorded {
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly answer: readonly ExpressionWarning[];
}

test("policies are warned of what the Go program has warned of", async () => {
  const text = brotliDecompressSync(readFileSync(new URL("policies.json.br", import.meta.url))).toString();
  const recorded = JSON.parse(text) as readonly Recorded[];
  expect(recorded.length).toBeGreaterThan(500 - 1);
  const world = await newWorld();
  const checker = new PolicyChecker(world.client);
  const differing: unknown[] = [];
  for (const { spec, answer } of recorded) {
    const ours = await checker.warningsOf(spec);
    if (JSON.stringify(ours) !== JSON.stringify(answer)) differing.push({ spec, answer, ours });
  }
  await world.stop();
  expect(differing.slice(0, 3)).toEqual([]);
  expect(recorded.filter(({ answer }) => answer.length > 0).length).toBeGreaterThan(200);
});
