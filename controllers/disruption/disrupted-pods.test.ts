import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import { decideDisrupted } from "./disrupted-pods.ts";
import { pod } from "./samples.test-data.ts";

const NOW = 1_000_000_000;
const ago = (minutes: number): string => formatTime(NOW - minutes * 60_000);

// upstream: pkg/controller/disruption/disruption_test.go#TestUpdateDisruptedPods
test("of pods whose eviction was allowed those stay on the list that may yet be deleted", () => {
  const pods = [pod("p1", { deleting: true }), pod("p2"), pod("p3")];
  const before = { p1: ago(0), p2: ago(3), p3: ago(1), notthere: ago(0) };
  const plan = decideDisrupted(pods, before, NOW);
  expect(plan.disrupted).toEqual({ p3: ago(1) });
  expect(plan.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["p2"]);
  expect(plan.healthy).toBe(1);
  expect(plan.recheckAfterMs).toBe(60_001);
});

describe("a pod is healthy", () => {
  test.each([
    ["when it is ready", pod("p"), undefined, 1],
    ["not when it is not ready", pod("p", { ready: false }), undefined, 0],
    ["not when it is going", pod("p", { deleting: true }), undefined, 0],
    ["not when it was evicted, and may yet go", pod("p"), { p: ago(1) }, 0],
    ["when it should have gone by now", pod("p"), { p: ago(2) }, 1],
    ["when another was evicted", pod("p"), { other: ago(1) }, 1],
    ["whatever its name", pod("constructor"), {}, 1],
  ])("%s", (_, one, disrupted, expected) => {
    expect(decideDisrupted([one], disrupted, NOW).healthy).toBe(expected);
  });
});

test("without evictions there is nothing to look at again", () => {
  const plan = decideDisrupted([pod("p")], {}, NOW);
  expect(plan).toMatchObject({ disrupted: {}, notDeleted: [], recheckAfterMs: undefined });
});
