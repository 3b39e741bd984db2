import { describe, expect, test } from "vitest";
import type { EndpointAddress, EndpointSubset } from "../../pkg/api/types/core-v1.gen.ts";
import { truncate } from "./capacity.ts";

type Counts = readonly number[];
const even: Counts = [100, 100, 100, 100, 100];

// upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestTruncateEndpoints
describe("addresses are cut to a thousand", () => {
  test.for<[string, Counts, Counts, Counts, Counts, boolean]>([
    ["not when there are none", [], [], [], [], false],
    [
      "not when there are fewer",
      [50, 100, 100, 100, 100],
      [50, 100, 100, 100, 100],
      [50, 100, 100, 100, 100],
      [50, 100, 100, 100, 100],
      false,
    ],
    ["not when there are as many", even, even, even, even, false],
    [
      "those that are not ready, when there are fewer ready ones",
      [90, 110, 50, 10, 20],
      [101, 200, 200, 201, 298],
      [90, 110, 50, 10, 20],
      [73, 144, 144, 145, 214],
      true,
    ],
    [
      "those that are ready, when there are more of them",
      [205, 400, 402, 400, 693],
      [100, 200, 200, 200, 300],
      [98, 191, 192, 191, 328],
      [0, 0, 0, 0, 0],
      true,
    ],
  ])("%s", ([, ready, notReady, keptReady, keptNotReady, expected]) => {
    const addresses = (count: number): readonly EndpointAddress[] =>
      Array.from({ length: count }, (_address, index) => ({ ip: String(index) }));
    const subsets = ready.map((count, index): EndpointSubset => ({
      addresses: addresses(count),
      notReadyAddresses: addresses(notReady[index] ?? 0),
      ports: [{ port: index + 1 }],
    }));
    const { subsets: cut, truncated } = truncate(subsets);
    expect(cut.map((subset) => (subset.addresses ?? []).length)).toEqual(keptReady);
    expect(cut.map((subset) => (subset.notReadyAddresses ?? []).length)).toEqual(keptNotReady);
    expect(cut.map(({ ports }) => ports)).toEqual(subsets.map(({ ports }) => ports));
    expect(truncated).toBe(expected);
  });
});
