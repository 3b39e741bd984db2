import { describe, expect, test } from "vitest";
import { decidePoolStatus, devicesOf, type PoolsView } from "./pool-status.ts";
import type { CachedSlice } from "./fields.ts";

const DRIVER = "test.example.com";
const NOW_MS = Date.UTC(2026, 0, 1);

interface SliceFacts {
  readonly pool?: string;
  /** Null: it is of no node. */
  readonly node?: string | null;
  readonly devices?: number;
  readonly generation?: number | bigint;
  readonly expected?: number | bigint;
}

function slice(facts: SliceFacts = {}): CachedSlice {
  const { pool = "pool-1", node = "node-1", devices = 4, generation = 1, expected = 1 } = facts;
  return {
    metadata: { name: "slice" },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: expected },
      devices: Array.from({ length: devices }, (_, index) => ({ name: `device-${index}` })),
      ...(node !== null && { nodeName: node }),
    },
  };
}

function decided(
  slices: readonly SliceFacts[],
  spec: { readonly poolName?: string; readonly limit?: number } = {},
  allocated: PoolsView["allocated"] = () => 0,
) {
  return decidePoolStatus(
    { spec: { driver: DRIVER, ...spec } },
    { slices: slices.map(slice), allocated },
    NOW_MS,
  );
}

/** Of a complete pool with four devices. */
const whole = {
  driver: DRIVER,
  poolName: "pool-1",
  generation: 1,
  nodeName: "node-1",
  resourceSliceCount: 1,
  totalDevices: 4,
  allocatedDevices: 0,
  availableDevices: 4,
  unavailableDevices: 0,
};
const second = { ...whole, poolName: "pool-2", nodeName: "node-2" };
const { nodeName: _node, ...nowhere } = whole;
const eight = { resourceSliceCount: 2, totalDevices: 8, availableDevices: 8 };

// upstream: pkg/controller/resourcepoolstatusrequest/controller_test.go#TestCalculatePoolStatus
describe("the status of pools", () => {
  type Case = [
    name: string,
    slices: readonly SliceFacts[],
    spec: { readonly poolName?: string; readonly limit?: number },
    pools: readonly object[],
    poolCount?: number,
  ];
  const two = [{}, { pool: "pool-2", node: "node-2", devices: 8 }];
  const bigger = { ...second, totalDevices: 8, availableDevices: 8 };
  test.each<Case>([
    ["of one", [{}], {}, [whole]],
    ["of several is in order", two.toReversed(), {}, [whole, bigger]],
    ["of one by its name", two, { poolName: "pool-1" }, [whole]],
    ["of a pool that is not there", two, { poolName: "pool-3" }, []],
    ["of a name that is empty is of all", two, { poolName: "" }, [whole, bigger]],
    ["of several slices is one", [{ expected: 2 }, { expected: 2 }], {}, [{ ...whole, ...eight }]],
    ["counts more slices than there should be", [{}, {}], {}, [{ ...whole, ...eight }]],
    ["is cut", two, { limit: 1 }, [whole], 2],
    [
      "is cut at a hundred",
      Array.from({ length: 101 }, (_, at) => ({ pool: `p-${100 + at}` })),
      {},
      Array.from({ length: 100 }, (_, at) => ({ ...whole, poolName: `p-${100 + at}` })),
      101,
    ],
    ["of none", [], {}, []],
    [
      "is that of the newest generation",
      [
        { devices: 8 },
        { generation: 2, expected: 2 },
        { generation: 2, expected: 2, node: "node-1" },
        { devices: 3 },
      ],
      {},
      [{ ...whole, ...eight, generation: 2 }],
    ],
    [
      "knows generations beyond doubles",
      [
        { generation: 9_007_199_254_740_992n, devices: 2 },
        { generation: 9_007_199_254_740_993n, devices: 1 },
      ],
      {},
      [{ ...whole, generation: 9_007_199_254_740_993n, totalDevices: 1, availableDevices: 1 }],
    ],
    ["of different nodes has none", [{}, { node: "node-2" }], {}, [{ ...nowhere, ...eight }]],
    ["of a node, and of none, has none", [{}, { node: null }], {}, [{ ...nowhere, ...eight }]],
    ["of no node has none", [{ node: null }, { node: null }], {}, [{ ...nowhere, ...eight }]],
    [
      "of an older generation does not say which node",
      [{ node: "old" }, { generation: 2 }],
      {},
      [{ ...whole, generation: 2 }],
    ],
    ["without devices is empty", [{ devices: 0 }], {}, [{ ...whole, totalDevices: 0, availableDevices: 0 }]],
  ])("%s", (...[, slices, spec, pools, poolCount = pools.length]) => {
    expect(decided(slices, spec)).toEqual({
      status: {
        poolCount,
        ...(pools.length > 0 && { pools }),
        conditions: [
          {
            type: "Complete",
            status: "True",
            reason: "CalculationComplete",
            message: `Calculated status for ${pools.length} pools`,
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    });
  });

  test.each([
    ["some are taken", 3, { allocatedDevices: 3, availableDevices: 1 }],
    ["more are taken than there are", 5, { allocatedDevices: 5, availableDevices: 0 }],
  ])("tells that %s", (_, taken, counted) => {
    const asked: unknown[] = [];
    const answer = decided([{}], {}, (pool) => {
      asked.push(pool);
      return taken;
    });
    expect(answer).toMatchObject({ status: { pools: [{ ...whole, ...counted }] } });
    expect(asked).toEqual([{ driver: DRIVER, pool: "pool-1" }]);
  });

  test.each<[string, readonly SliceFacts[], { readonly limit?: number }, string]>([
    [
      "a slice is missing",
      Array.from({ length: 3 }, () => ({ expected: 5 })),
      {},
      `pool ${DRIVER}/pool-1 is incomplete: observed 3/5 slices at generation 1`,
    ],
    [
      "one of several is not complete",
      [{}, { pool: "pool-2", expected: 3 }],
      {},
      `pool ${DRIVER}/pool-2 is incomplete: observed 1/3 slices at generation 1`,
    ],
    [
      "only the older generation is complete",
      [{ expected: 2 }, { expected: 2 }, { expected: 2, generation: 2 }],
      {},
      `pool ${DRIVER}/pool-1 is incomplete: observed 1/2 slices at generation 2`,
    ],
  ])("waits when %s", (_, slices, spec, incomplete) => {
    expect(decided(slices, spec)).toEqual({ incomplete });
  });

  test("does not wait for pools that are not shown", () => {
    expect(decided([{}, { pool: "pool-2", expected: 3 }], { limit: 1 })).toMatchObject({
      status: { poolCount: 2, pools: [whole] },
    });
  });

  test("says what is missing in 256 characters", () => {
    const answer = decided([{ pool: "p".repeat(253), expected: 2 }]);
    expect("incomplete" in answer && answer.incomplete).toHaveLength(256);
  });
});

test("devices of a claim are those of the pool and the driver", () => {
  const device = { request: "r", driver: DRIVER, pool: "a", device: "x" };
  const results = [
    device,
    { ...device, device: "y" },
    { ...device, pool: "b" },
    { ...device, driver: "other.example.com" },
  ];
  const claim = { metadata: { name: "c" }, spec: {}, status: { allocation: { devices: { results } } } };
  expect(devicesOf(claim, { driver: DRIVER, pool: "a" })).toBe(2);
  expect(devicesOf({ metadata: { name: "c" }, spec: {} }, { driver: DRIVER, pool: "a" })).toBe(0);
});
