import { describe, expect, test } from "vitest";
import { type Recommendations, stabilizeBoth, stabilizeDown } from "./recommendations.ts";

const NOW = 10_000_000;
const MINUTE = 60_000;
type Past = readonly (readonly [replicas: number, minutesAgo: number])[];

function recommended(past: Past): Recommendations {
  return past.map(([replicas, minutesAgo]) => ({ replicas, timeMs: NOW - minutesAgo * MINUTE }));
}

// upstream: pkg/controller/podautoscaler/horizontal_test.go#TestNormalizeDesiredReplicas
describe("the highest recommendation of late", () => {
  test.for<[string, Past, number, number, number]>([
    ["is the first one", [], 5, 5, 1],
    [
      "is an earlier one",
      [
        [4, 2],
        [5, 1],
      ],
      3,
      5,
      3,
    ],
    [
      "is the new one",
      [
        [1, 2],
        [2, 1],
      ],
      3,
      3,
      3,
    ],
    [
      "is none of those that are too old",
      [
        [10, 10],
        [9, 9],
      ],
      3,
      3,
      2,
    ],
    [
      "is one of those that are not too old",
      [
        [10, 10],
        [4, 1],
        [5, 2],
        [9, 9],
      ],
      3,
      5,
      4,
    ],
    ["is one that is just not too old", [[9, 5]], 3, 9, 2],
  ])("%s", ([, past, wanted, expected, kept]) => {
    const stabilized = stabilizeDown(recommended(past), wanted, 5 * MINUTE, NOW);
    expect(stabilized.replicas).toBe(expected);
    expect(stabilized.recommendations).toHaveLength(kept);
  });
});

// upstream: #TestNormalizeDesiredReplicasWithBehavior
describe("between the windows", () => {
  test.for<[string, Past, [current: number, wanted: number], [up: number, down: number], number, number[]?]>([
    ["down, without a past", [], [100, 5], [0, 0], 5, [5]],
    [
      "down, held by an earlier one",
      [
        [4, 2],
        [5, 1],
      ],
      [100, 3],
      [0, 3],
      5,
      [4, 5, 3],
    ],
    [
      "up, held by an earlier one",
      [
        [4, 2],
        [5, 1],
      ],
      [1, 7],
      [5, 0],
      4,
      [4, 5, 7],
    ],
    [
      "down, held by nobody",
      [
        [1, 2],
        [2, 1],
      ],
      [100, 3],
      [5, 0],
      3,
      [1, 2, 3],
    ],
    [
      "up, held by nobody",
      [
        [4, 2],
        [5, 1],
      ],
      [1, 3],
      [0, 5],
      3,
      [4, 5, 3],
    ],
    [
      "down, all are too old",
      [
        [10, 10],
        [9, 9],
      ],
      [100, 3],
      [0, 0],
      3,
      [10, 3],
    ],
    [
      "up, all are too old",
      [
        [10, 10],
        [9, 9],
      ],
      [1, 100],
      [0, 0],
      100,
      [10, 100],
    ],
    [
      "down, some are too old",
      [
        [10, 10],
        [4, 1],
        [5, 2],
        [9, 9],
      ],
      [100, 3],
      [0, 3],
      5,
      [10, 4, 5, 3],
    ],
    [
      "up, one is too old",
      [
        [10, 100],
        [6, 1],
        [5, 2],
        [9, 3],
      ],
      [1, 100],
      [5, 0],
      5,
      [100, 6, 5, 9],
    ],
    [
      "not up, when fewer are wanted",
      [
        [2, 100],
        [3, 3],
      ],
      [2, 1],
      [5, 5],
      2,
    ],
    [
      "not down, when more are wanted",
      [
        [2, 100],
        [1, 3],
      ],
      [2, 3],
      [5, 5],
      2,
    ],
  ])("%s", ([, past, [current, wanted], [up, down], expected, kept]) => {
    const windows = { upMs: up * MINUTE, downMs: down * MINUTE };
    const stabilized = stabilizeBoth(recommended(past), { wanted, current }, windows, NOW);
    expect(stabilized.replicas).toBe(expected);
    if (kept !== undefined) expect(stabilized.recommendations.map(({ replicas }) => replicas)).toEqual(kept);
  });
});
