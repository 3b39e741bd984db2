import { expect, test } from "vitest";
import type { Device, DeviceAttribute, ResourceSlice } from "../../api/types/resource-v1.gen.ts";
import { allocateDevices, type AskedDevices, type ClaimRequests } from "./allocate-devices.ts";
import { deviceFilter } from "./device-filter.ts";

const DRIVER = "gpu.example.com";

function device(name: string, attributes: Readonly<Record<string, DeviceAttribute>> = {}): Device {
  return { name, attributes };
}

function slice(devices: readonly Device[], pool = "pool", driver = DRIVER): ResourceSlice {
  return {
    metadata: { name: pool },
    spec: { driver, pool: { name: pool, generation: 1, resourceSliceCount: 1 }, devices },
  };
}

function asked(name: string, count: AskedDevices["count"] = 1, expression?: string): AskedDevices {
  const filter = deviceFilter(expression === undefined ? [] : [{ cel: { expression } }]);
  if (typeof filter === "string") throw new Error(filter);
  return { name, count, ...filter };
}

const only = (...all: readonly AskedDevices[]): ClaimRequests => ({
  requests: all.map((each) => ({ name: each.name, alternatives: [each] })),
  constraints: [],
});
const model = (text: string): string => `device.attributes["${DRIVER}"].model == "${text}"`;
const oneOf = (...names: readonly string[]): string =>
  `device.attributes["${DRIVER}"].id in ${JSON.stringify(names)}`;

interface Offer {
  readonly slices: readonly ResourceSlice[];
  readonly lacksSlices?: boolean;
  readonly taken?: readonly string[];
}

/** "request: device" for each. */
function given(claim: ClaimRequests, { slices, lacksSlices = false, taken = [] }: Offer) {
  const isTaken = (key: string): boolean => taken.includes(key);
  return allocateDevices(claim, { slices, lacksSlices }, isTaken)?.map(
    ({ request, device: name }) => `${request}: ${name}`,
  );
}

const numbered = (count: number): readonly Device[] =>
  Array.from({ length: count }, (_, index) => device(`d${index}`, { id: { string: `${index}` } }));
const three = { slices: [slice(numbered(3))] };

test.each<[string, ClaimRequests, Offer, readonly string[] | undefined]>([
  ["as many as are asked for, the first ones", only(asked("a", 2)), three, ["a: d0", "a: d1"]],
  ["none that are taken", only(asked("a")), { ...three, taken: [`${DRIVER}/pool/d0`] }, ["a: d1"]],
  ["no device to two requests", only(asked("a"), asked("b", 2)), three, ["a: d0", "b: d1", "b: d2"]],
  ["nothing when there are too few", only(asked("a", 4)), three, undefined],
  ["nothing when only one of two requests can be met", only(asked("a", 3), asked("b")), three, undefined],
  [
    "what only one can have to that one, though another comes first",
    only(asked("a"), asked("b", 1, oneOf("0"))),
    three,
    ["a: d1", "b: d0"],
  ],
  ["all devices of a sort", only(asked("a", "all", oneOf("0", "2"))), three, ["a: d0", "a: d2"]],
  [
    "of all pools",
    only(asked("a", "all")),
    { slices: [slice(numbered(1), "p"), slice(numbered(1), "q")] },
    ["a: d0", "a: d0"],
  ],
  ["not all when there are none", only(asked("a", "all", oneOf("9"))), three, undefined],
  [
    "not all when one is taken",
    only(asked("a", "all")),
    { ...three, taken: [`${DRIVER}/pool/d2`] },
    undefined,
  ],
  [
    "all when what is taken is of another sort",
    only(asked("a", "all", oneOf("0"))),
    { ...three, taken: [`${DRIVER}/pool/d2`] },
    ["a: d0"],
  ],
  [
    "not all while slices are yet to come",
    only(asked("a", "all")),
    { ...three, lacksSlices: true },
    undefined,
  ],
  ["some while slices are yet to come", only(asked("a")), { ...three, lacksSlices: true }, ["a: d0"]],
  [
    "32 to a claim",
    only(asked("a", 32)),
    { slices: [slice(numbered(40))] },
    numbered(32).map(({ name }) => `a: ${name}`),
  ],
  ["no more than 32 to a claim", only(asked("a", "all")), { slices: [slice(numbered(33))] }, undefined],
])("a claim gets %s", (_, claim, offer, expected) => {
  expect(given(claim, offer)).toEqual(expected);
});

test("devices are named by driver and pool, and keep the tolerations of who has asked", () => {
  const tolerations = [{ key: "broken", operator: "Exists" }];
  const taints = [{ key: "broken", effect: "NoSchedule" }];
  const slices = [slice([{ name: "d0", taints }], "here", "other.example.com")];
  const offer = { slices, lacksSlices: false };
  expect(allocateDevices(only({ ...asked("a"), tolerations }), offer, () => false)).toEqual([
    { request: "a", driver: "other.example.com", pool: "here", device: "d0", tolerations },
  ]);
  expect(allocateDevices(only(asked("a")), offer, () => false)).toBeUndefined();
  // A device that keeps out is one of all nevertheless.
  expect(allocateDevices(only(asked("a", "all")), offer, () => false)).toBeUndefined();
});

test.each<[string, readonly string[], readonly string[] | undefined]>([
  ["the best there is", ["a100", "t4"], ["r/best: d0"]],
  ["the next when there is none", ["t4"], ["r/next: d0", "r/next: d1"]],
  ["nothing when no sort can be had", ["k80"], undefined],
])("of several sorts a request gets %s", (_, models, expected) => {
  const alternatives = [asked("r/best", 1, model("a100")), asked("r/next", 2, model("t4"))];
  const devices = models.flatMap((text) => [0, 1].map((at) => device(`d${at}`, { model: { string: text } })));
  const slices = models.map((text, at) => slice(devices.slice(2 * at, 2 * at + 2), text));
  expect(given({ requests: [{ name: "r", alternatives }], constraints: [] }, { slices })).toEqual(expected);
});

const NUMA = "example.com/numa";
const numa = (name: string, int: number): Device => device(name, { [NUMA]: { int } });
const same = (claim: ClaimRequests, attribute = NUMA, ...requests: readonly string[]): ClaimRequests => ({
  ...claim,
  constraints: [{ attribute, requests }],
});

test.each<[string, ClaimRequests, readonly Device[], readonly string[] | undefined]>([
  [
    "have it alike, though others come first",
    same(only(asked("a", 2))),
    [numa("d0", 0), numa("d1", 1), numa("d2", 1)],
    ["a: d1", "a: d2"],
  ],
  [
    "have it alike in all requests",
    same(only(asked("a"), asked("b", 1, `device.attributes["example.com"].numa == 1`))),
    [numa("d0", 0), numa("d1", 1), numa("d2", 1)],
    ["a: d1", "b: d2"],
  ],
  ["are not given when none are alike", same(only(asked("a", 2))), [numa("d0", 0), numa("d1", 1)], undefined],
  ["are not given when they do not have it", same(only(asked("a"))), [device("d0")], undefined],
  [
    "may differ in requests that are not named",
    same(only(asked("a"), asked("b")), NUMA, "a"),
    [numa("d0", 0), device("d1")],
    ["a: d0", "b: d1"],
  ],
  [
    "may be named by the alternative",
    {
      requests: [{ name: "r", alternatives: [asked("r/one", 2), asked("r/two")] }],
      constraints: [{ attribute: NUMA, requests: ["r/one"] }],
    },
    [numa("d0", 0), numa("d1", 1)],
    ["r/two: d0"],
  ],
  [
    "may be named by the request of the alternative",
    {
      requests: [{ name: "r", alternatives: [asked("r/one", 2)] }],
      constraints: [{ attribute: NUMA, requests: ["r"] }],
    },
    [numa("d0", 0), numa("d1", 1)],
    undefined,
  ],
  [
    "have it without a domain, if that is their driver's",
    same(only(asked("a")), `${DRIVER}/numa`),
    [device("d0", { numa: { int: 1 } })],
    ["a: d0"],
  ],
  [
    "do not have it without a domain if that is not",
    same(only(asked("a"))),
    [device("d0", { numa: { int: 1 } })],
    undefined,
  ],
])("devices of one attribute %s", (_, claim, devices, expected) => {
  expect(given(claim, { slices: [slice(devices)] })).toEqual(expected);
});

test("who asks for what is hard to find is told so soon", () => {
  const devices = Array.from({ length: 64 }, (_, index) => numa(`d${index}`, index % 8));
  let looks = 0;
  const claim = same(only(asked("a", 9)));
  const isTaken = (): boolean => ++looks < 0;
  expect(allocateDevices(claim, { slices: [slice(devices)], lacksSlices: false }, isTaken)).toBeUndefined();
  expect(looks).toBeLessThanOrEqual(10_000);
});
