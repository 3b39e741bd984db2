import { cases } from "./corpus-case.ts";

const api = "resource.k8s.io/v1";
const exactly = { deviceClassName: "gpu.example.com" };
const devices = { requests: [{ name: "gpu", exactly }] };
const opaque = { driver: "gpu.example.com", parameters: { a: 1 } };

const goodClaims = {
  "with all": {
    requests: [
      {
        name: "a",
        exactly: {
          ...exactly,
          allocationMode: "All",
          tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }],
        },
      },
      { name: "b", firstAvailable: [{ name: "x", ...exactly, count: 2 }] },
    ],
    constraints: [
      { requests: ["a", "b/x"], matchAttribute: "gpu.example.com/model" },
      { distinctAttribute: "gpu.example.com/model" },
    ],
    config: [{ requests: ["a", "b"], opaque }],
  },
};

const badClaims = {
  "neither nor": {
    requests: [{ name: "A" }, { name: "b", exactly, firstAvailable: [{ name: "x", ...exactly }] }],
  },
  "bad requests": {
    requests: [
      { name: "a", exactly: { deviceClassName: "A_", allocationMode: "Some" } },
      { name: "b", exactly: { ...exactly, allocationMode: "All", count: 1 } },
      { name: "c", exactly: { ...exactly, count: -1, selectors: [{}] } },
      {
        name: "d",
        firstAvailable: [
          {
            name: "A",
            ...exactly,
            tolerations: [
              { operator: "Exists", value: "x" },
              { key: "a b", operator: "Near", effect: "Never" },
              { key: "a", operator: "Equal", value: "a b" },
              {},
            ],
          },
        ],
      },
    ],
  },
  "bad constraints": {
    ...devices,
    constraints: [
      {},
      { matchAttribute: "model" },
      { requests: ["gpu/x", "a/b/c", "A"], distinctAttribute: "A_/b-c" },
      { matchAttribute: "/a" },
      { matchAttribute: `a.b/${"c".repeat(33)}` },
    ],
  },
  "bad configurations": {
    ...devices,
    config: [
      {},
      { requests: ["my.name"], opaque: { driver: "a/b" } },
      { opaque: { driver: "a", parameters: [] } },
    ],
  },
};

const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
const slice = (fields: object) => ({
  spec: { driver: "gpu.example.com", nodeName: "n", pool, devices: [{ name: "d" }], ...fields },
});
const withDevices = (...list: readonly object[]) =>
  slice({ devices: list.map((one, index) => ({ name: `d${index}`, ...one })) });

const valuesUpTo = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
/** A domain and a name, whose letters tell where they stand. */
const longName = (length: number) => `example.com/${"abcdefghijklmnopqrstuvwxyz".repeat(5)}`.slice(0, length);

export const deviceCases = [
  ...cases(
    api,
    "ResourceClaim",
    Object.fromEntries(Object.entries(goodClaims).map(([name, one]) => [name, { spec: { devices: one } }])),
    Object.fromEntries(Object.entries(badClaims).map(([name, one]) => [name, { spec: { devices: one } }])),
  ),
  ...cases(
    api,
    "ResourceClaimTemplate",
    {},
    Object.fromEntries(
      Object.entries(badClaims).map(([name, one]) => [name, { spec: { spec: { devices: one } } }]),
    ),
  ),
  ...cases(
    api,
    "DeviceClass",
    { configured: { spec: { config: [{ opaque }], extendedResourceName: "example.com/gpu" } } },
    {
      "bad configurations": { spec: { config: [{}, { opaque: { driver: "", parameters: "x" } }] } },
      "a resource of Kubernetes": { spec: { extendedResourceName: "cpu" } },
      "a selector that says nothing": { spec: { selectors: [{ cel: { expression: "" } }] } },
    },
  ),
  ...cases(
    api,
    "ResourceSlice",
    {
      "of one node": withDevices({
        attributes: { model: { string: "m" }, "a.example.com/v": { version: "1.2.3-a.1+b" } },
        capacity: { memory: { value: "1Gi" } },
        bindingConditions: ["a"],
        bindingFailureConditions: ["b"],
      }),
      "whose devices choose": slice({
        nodeName: null,
        perDeviceNodeSelection: true,
        devices: [{ name: "a", allNodes: true }],
      }),
      "with as many values as a policy may have": withDevices({
        allowMultipleAllocations: true,
        capacity: { a: { value: "10", requestPolicy: { default: "10", validValues: valuesUpTo(10) } } },
      }),
      "with a policy": withDevices({
        allowMultipleAllocations: true,
        capacity: {
          a: { value: "8", requestPolicy: { default: "2", validValues: ["1", "2", "4"] } },
          b: { value: "8", requestPolicy: { default: "4", validRange: { min: "2", max: "8", step: "2" } } },
        },
      }),
    },
    {
      empty: { spec: {} },
      "in two places": slice({ allNodes: true, perDeviceNodeSelection: false }),
      "of no place": slice({ nodeName: "", nodeSelector: { nodeSelectorTerms: [] } }),
      "bad devices": withDevices({ name: "A" }, { name: "A" }, { nodeName: "n" }),
      "bad attributes": withDevices({
        attributes: {
          none: {},
          two: { bool: true, int: 1 },
          version: { version: "1" },
          long: { string: "x".repeat(65) },
          "a-b": { bool: true },
          "/a": { bool: true },
          "a/": { bool: true },
        },
      }),
      "attributes of names that are cut": withDevices({
        attributes: Object.fromEntries(
          [96, 97, 98, 120].map((length) => [longName(length), { version: "1" }]),
        ),
      }),
      "more values than a policy may have": withDevices({
        allowMultipleAllocations: true,
        capacity: { a: { value: "11", requestPolicy: { default: "11", validValues: valuesUpTo(11) } } },
      }),
      "bad counters": withDevices({ consumesCounters: [{ counterSet: "A", counters: {} }, {}] }),
      "bad taints": withDevices({ taints: [{}, { key: "a b", value: "a b", effect: "Never" }] }),
      "bad binding conditions": withDevices(
        { bindingConditions: ["a", "a", "a b"] },
        { bindingFailureConditions: ["a"] },
        { bindingConditions: ["a"], bindingFailureConditions: ["a"] },
      ),
      "bad policies": withDevices(
        { capacity: { a: { value: "1", requestPolicy: {} } } },
        {
          allowMultipleAllocations: true,
          capacity: {
            a: { value: "8", requestPolicy: { default: "3", validValues: ["4", "2", "2", "9"] } },
            b: { value: "8", requestPolicy: { validValues: ["1"] } },
            c: { value: "8", requestPolicy: { default: "1", validRange: { min: "2", max: "9", step: "3" } } },
            d: { value: "8", requestPolicy: { default: "1", validValues: ["1"], validRange: { min: "1" } } },
            e: { value: "8", requestPolicy: { default: "1", validRange: {} } },
          },
        },
      ),
      "which does not let devices choose": slice({
        nodeName: null,
        perDeviceNodeSelection: true,
        devices: [{ name: "a" }, { name: "b", allNodes: true, nodeName: "n" }, { name: "c", nodeName: "" }],
      }),
      "bad counter sets": slice({
        devices: null,
        sharedCounters: [{}, { name: "A", counters: { "a b": { value: "1" } } }],
      }),
    },
  ),
];
