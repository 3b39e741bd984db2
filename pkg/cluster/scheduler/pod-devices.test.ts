import { describe, expect, test } from "vitest";
import { listerOf } from "../../../test/harness/lister-of.ts";
import { stored } from "../../../test/harness/stored.ts";
import type { Node, Pod, PodResourceClaim } from "../../api/types/core-v1.gen.ts";
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimStatus,
  ResourceSlice,
} from "../../api/types/resource-v1.gen.ts";
import { EvaluationError } from "../../cel/values.ts";
import { devicesOfNode } from "./node-devices.ts";
import {
  CLAIMS_OF_DEVICE,
  type DeviceListers,
  devicesOfClaim,
  devicesOnNode,
  orProblem,
  podDevices,
} from "./pod-devices.ts";

const DRIVER = "gpu.example.com";
const node: Node = { metadata: { name: "node" } };

function claim(name: string, more: Partial<ResourceClaim> = {}): ResourceClaim {
  return {
    metadata: { namespace: "default", name, uid: name },
    spec: specOf({ deviceClassName: "gpu" }),
    ...more,
  };
}

function specOf(exactly: object, more: object = {}): ResourceClaimSpec {
  const request = { name: "r", exactly } as NonNullable<
    NonNullable<ResourceClaimSpec["devices"]>["requests"]
  >[number];
  return { devices: { requests: [request], ...more } };
}

function pod(...resourceClaims: readonly PodResourceClaim[]) {
  return stored<Pod>({
    metadata: { namespace: "default", name: "web", uid: "web" },
    spec: { containers: [], resourceClaims },
  });
}

const named = (resourceClaimName: string): PodResourceClaim => ({
  name: resourceClaimName,
  resourceClaimName,
});

function slice(
  name: string,
  {
    pool = "pool",
    devices = 1,
    ...spec
  }: Partial<Omit<ResourceSlice["spec"], "pool" | "devices">> & {
    readonly pool?: string;
    readonly devices?: number;
    readonly generation?: number;
    readonly of?: number;
  },
): ResourceSlice {
  const { generation = 1, of = 1, ...rest } = spec;
  return {
    metadata: { name },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: of },
      devices: Array.from({ length: devices }, (_, index) => ({ name: `${name}-${index}` })),
      ...rest,
    },
  };
}

function listers(claims: readonly ResourceClaim[], slices: readonly ResourceSlice[] = []): DeviceListers {
  const gpu: DeviceClass = { metadata: { name: "gpu" }, spec: {} };
  const wrong: DeviceClass = {
    metadata: { name: "wrong" },
    spec: { selectors: [{ cel: { expression: "device.what" } }] },
  };
  return {
    deviceClaims: listerOf(claims, { [CLAIMS_OF_DEVICE]: devicesOfClaim }),
    slices: listerOf(slices),
    deviceClasses: listerOf([gpu, wrong]),
  };
}

describe("a pod waits wherever there is room", () => {
  const unknown = 'resourceclaim "c" asks for devices in a way that this scheduler does not know';
  const first = (firstAvailable: readonly object[]): ResourceClaimSpec =>
    ({ devices: { requests: [{ name: "r", firstAvailable }] } }) as ResourceClaimSpec;
  test.each<[string, ResourceClaim | undefined, string | RegExp]>([
    ["whose claim is not there", undefined, 'resourceclaim "c" not found'],
    [
      "whose claim goes",
      claim("c", {
        metadata: { namespace: "default", name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" },
      }),
      'resourceclaim "c" is being deleted',
    ],
    [
      "whose class is not there",
      claim("c", { spec: specOf({ deviceClassName: "no" }) }),
      'could not find device class "no"',
    ],
    ["whose class cannot be read", claim("c", { spec: specOf({ deviceClassName: "wrong" }) }), /what/],
    [
      "that wants to look over others' shoulders",
      claim("c", { spec: specOf({ deviceClassName: "gpu", adminAccess: true }) }),
      unknown,
    ],
    [
      "that wants a part of a device",
      claim("c", { spec: specOf({ deviceClassName: "gpu", capacity: {} }) }),
      unknown,
    ],
    [
      "that wants what is not known yet",
      claim("c", { spec: specOf({ deviceClassName: "gpu", allocationMode: "Most" }) }),
      unknown,
    ],
    [
      "whose devices are to differ",
      claim("c", {
        spec: specOf({ deviceClassName: "gpu" }, { constraints: [{ distinctAttribute: "a/b" }] }),
      }),
      unknown,
    ],
    [
      "one of whose alternatives is not known",
      claim("c", {
        spec: first([
          { name: "a", deviceClassName: "gpu" },
          { name: "b", deviceClassName: "gpu", capacity: {} },
        ]),
      }),
      unknown,
    ],
  ])("%s", (_, found, why) => {
    expect(podDevices(pod(named("c")), listers(found ? [found] : []))).toEqual(
      typeof why === "string" ? why : expect.stringMatching(why),
    );
  });

  test("whose claim is yet to be made of a template, or was made for another", () => {
    const made = { name: "gpu", resourceClaimTemplateName: "template" };
    expect(podDevices(pod(made), listers([]))).toBe('resource claim "gpu" was not made yet');
    const told = (resourceClaimName?: string) => ({
      ...pod(made),
      status: { resourceClaimStatuses: [{ name: "gpu", ...(resourceClaimName && { resourceClaimName }) }] },
    });
    expect(podDevices(told("c"), listers([claim("c")]))).toBe('resourceclaim "c" not found');
    expect(podDevices(told(), listers([]))).toEqual({ allocated: [], unallocated: [] });
  });
});

describe("claims of a pod on a node", () => {
  const placed = (
    claims: readonly ResourceClaim[],
    slices: readonly ResourceSlice[],
    taken: readonly string[] = [],
  ) => {
    const user = pod(...claims.map(({ metadata }) => named(metadata.name ?? "")));
    const devices = podDevices(user, listers(claims, slices));
    if (typeof devices === "string") throw new Error(devices);
    const offered = devicesOfNode(slices, node);
    return devicesOnNode(user, devices, { node, offered, isTaken: (key) => taken.includes(key) });
  };
  const onNode = {
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node"] }] }],
  };
  const consumer = { resource: "pods", name: "web", uid: "web" };
  const result = (device: string, request = "r") => ({ request, driver: DRIVER, pool: "pool", device });

  test("become allocated there, and reserved for the pod", () => {
    expect(placed([claim("c")], [slice("s", { nodeName: "node" })])).toMatchObject([
      {
        claim: { metadata: { name: "c" } },
        status: {
          allocation: { devices: { results: [result("s-0")] }, nodeSelector: onNode },
          reservedFor: [consumer],
        },
      },
    ]);
  });

  test("can be used on every node if the devices can", () => {
    const [write] = placed([claim("c")], [slice("s", { allNodes: true })]);
    expect(write).toMatchObject({ status: { allocation: { devices: { results: [result("s-0")] } } } });
    expect(write).not.toHaveProperty("status.allocation.nodeSelector");
  });

  test("do not get one device twice", () => {
    const both = [claim("a"), claim("b")];
    expect(placed(both, [slice("s", { nodeName: "node", devices: 2 })])).toMatchObject([
      { status: { allocation: { devices: { results: [result("s-0")] } } } },
      { status: { allocation: { devices: { results: [result("s-1")] } } } },
    ]);
    expect(placed(both, [slice("s", { nodeName: "node" })])).toBe("cannot allocate all claims");
    expect(placed([claim("a")], [slice("s", { nodeName: "node" })], [`${DRIVER}/pool/s-0`])).toBe(
      "cannot allocate all claims",
    );
  });

  test("get what they ask for: all, one of several sorts, and devices that are alike", () => {
    const slices = [slice("s", { nodeName: "node", devices: 2 })];
    const all = claim("c", { spec: specOf({ deviceClassName: "gpu", allocationMode: "All" }) });
    expect(placed([all], slices)).toMatchObject([
      { status: { allocation: { devices: { results: [result("s-0"), result("s-1")] } } } },
    ]);
    const firstAvailable = [
      { name: "many", deviceClassName: "gpu", count: 3 },
      { name: "one", deviceClassName: "gpu" },
    ];
    const sorts = claim("c", { spec: { devices: { requests: [{ name: "r", firstAvailable }] } } });
    expect(placed([sorts], slices)).toMatchObject([
      { status: { allocation: { devices: { results: [result("s-0", "r/one")] } } } },
    ]);
    const constraints = [{ matchAttribute: "example.com/numa" }];
    const alike = claim("c", { spec: specOf({ deviceClassName: "gpu" }, { constraints }) });
    expect(placed([alike], slices)).toBe("cannot allocate all claims");
    const elsewhere = [{ matchAttribute: "example.com/numa", requests: ["other"] }];
    const free = claim("c", { spec: specOf({ deviceClassName: "gpu" }, { constraints: elsewhere }) });
    expect(placed([free], slices)).toHaveLength(1);
  });

  const allocated = (more: ResourceClaimStatus = {}) =>
    claim("c", { status: { allocation: { devices: { results: [result("s-0")] } }, ...more } });
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ resource: "pods", name: `${index}`, uid: `${index}` }));

  test("that are allocated are only reserved, unless they are", () => {
    expect(placed([allocated({ reservedFor: others(1) })], [])).toMatchObject([
      {
        status: {
          allocation: { devices: { results: [result("s-0")] } },
          reservedFor: [...others(1), consumer],
        },
      },
    ]);
    expect(placed([allocated({ reservedFor: [consumer] })], [])).toEqual([]);
  });

  test("that are allocated elsewhere, or have users enough, are not for the pod", () => {
    const values = ["other"];
    const nodeSelector = {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values }] }],
    };
    expect(placed([allocated({ allocation: { nodeSelector } })], [])).toBe(
      "resourceclaim not available on the node",
    );
    expect(placed([allocated({ allocation: { nodeSelector: onNode } })], [])).toHaveLength(1);
    expect(placed([allocated({ reservedFor: others(256) })], [])).toBe("resourceclaim in use");
    expect(placed([allocated({ reservedFor: others(255) })], [])).toHaveLength(1);
  });
});

describe("a node offers", () => {
  const names = (...slices: readonly ResourceSlice[]) => {
    const { slices: offered, lacksSlices } = devicesOfNode(slices, {
      metadata: { name: "node", labels: { zone: "a" } },
    });
    return [offered.map(({ metadata }) => metadata.name), lacksSlices];
  };
  const zone = (value: string) => ({
    nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [value] }] }],
  });

  test("what is on it, in its zone, or everywhere", () => {
    const slices = [
      slice("here", { nodeName: "node", pool: "1" }),
      slice("there", { nodeName: "other", pool: "2" }),
      slice("zone", { nodeSelector: zone("a"), pool: "3" }),
      slice("far", { nodeSelector: zone("b"), pool: "4" }),
      slice("all", { allNodes: true, pool: "5" }),
      slice("none", { pool: "6" }),
    ];
    expect(names(...slices)).toEqual([["here", "zone", "all"], false]);
  });

  test("pools as they are now, and whole ones", () => {
    const old = slice("old", { nodeName: "node" });
    const now = slice("now", { nodeName: "node", generation: 2 });
    expect(names(old, now)).toEqual([["now"], false]);
    expect(names(now, old)).toEqual([["now"], false]);
    expect(names(old, slice("half", { nodeName: "node", generation: 2, of: 2 }))).toEqual([[], true]);
    expect(names(slice("half", { nodeName: "other", of: 2 }))).toEqual([[], false]);
    expect(
      names(slice("one", { nodeName: "node", of: 2 }), slice("two", { nodeName: "other", of: 2 })),
    ).toEqual([["one"], false]);
  });
});

test("a selector that fails is said of the pod, and other errors are not", () => {
  const fails = (error: Error) => () => {
    throw error;
  };
  expect(orProblem(() => 1)).toBe(1);
  expect(orProblem(fails(new EvaluationError("no such key: b")))).toBe(
    "a selector of devices failed: no such key: b",
  );
  expect(() => orProblem(fails(new TypeError("other")))).toThrow("other");
});

test.each<[string, ResourceClaimStatus | undefined]>([
  ["once", undefined],
  ["not again", { allocation: {}, reservedFor: [{ resource: "pods", name: "other", uid: "other" }] }],
])("a claim that a pod uses under two names is allocated %s, and reserved once", (_what, status) => {
  const offers = [slice("node", { nodeName: "node", devices: 2 })];
  const known = listers([claim("c", status && { status })], offers);
  const user = pod(named("c"), { name: "other-name", resourceClaimName: "c" });
  const devices = podDevices(user, known);
  if (typeof devices === "string") throw new Error(devices);
  const offer = { node, offered: devicesOfNode(offers, node), isTaken: () => false };
  expect(devicesOnNode(user, devices, offer)).toHaveLength(1);
});
