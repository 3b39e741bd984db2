import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Labels } from "../../pkg/api/labels.ts";
import { deepFreeze } from "../../pkg/api/freeze.ts";
import type { Endpoints, EndpointSubset } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointPort, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Family } from "./mirrored-endpoints.ts";
import { decideMirror, type MirrorPlan } from "./plan.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const OWN = {
  "kubernetes.io/service-name": "test-ep",
  "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
};

/** "10.0.0.1 !10.0.0.2 : http/80 https/443": the second is not ready; every address has a node and a hostname. */
type Sketch = string;

function endpoints(subsets: readonly Sketch[], metadata: Endpoints["metadata"] = {}): Stored<Endpoints> {
  return asStored({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "test-ep", namespace: "test", uid: "uid", ...metadata },
    subsets: subsets.map(subsetOf),
  });
}

function subsetOf(sketch: Sketch): EndpointSubset {
  const [addresses = "", ports = ""] = sketch.split(" : ");
  const words = addresses.split(" ").filter((word) => word !== "");
  const address = (ip: string): NonNullable<EndpointSubset["addresses"]>[number] => ({
    ip,
    hostname: `pod-${ip.slice(-1)}`,
    nodeName: `node-${ip.slice(-1)}`,
  });
  return {
    addresses: words.filter((word) => !word.startsWith("!")).map(address),
    notReadyAddresses: words.filter((word) => word.startsWith("!")).map((word) => address(word.slice(1))),
    ports: portsOf(ports).map(({ name = "", port = 0, protocol = "" }) => ({ name, port, protocol })),
  };
}

function portsOf(sketch: string): readonly EndpointPort[] {
  return sketch.split(" ").map((word) => {
    const [name = "", port] = word.split("/");
    return { name, port: Number(port), protocol: name === "https" ? "UDP" : "TCP" };
  });
}

/** As it would have been made for the sketch. */
function slice(
  name: string,
  sketch: Sketch,
  metadata: Partial<EndpointSlice["metadata"]> = {},
  family: Family = "IPv4",
): EndpointSlice {
  const [made] = decideMirror({ endpoints: endpoints([sketch]), slices: [], maxPerSubset: 1_000 }).create;
  const empty = { addressType: family, ports: portsOf(sketch.split(" : ")[1] ?? ""), endpoints: null };
  const base =
    made ?? ({ ...empty, metadata: { labels: OWN, namespace: "test" } } as unknown as EndpointSlice);
  return { ...base, metadata: { ...base.metadata, name, ...metadata } };
}

function outcome({ create, update, remove, counts, skipped }: MirrorPlan): string {
  const { added, updated, removed } = counts;
  return `+${create.length} ~${update.length} -${remove.length} (${added} ${updated} ${removed}, ${skipped})`;
}

const two = "10.0.0.1 10.0.0.2 : http/80 https/443";
const three = "10.0.1.1 10.0.1.2 10.0.1.3 : http/3000 https/3001";
const v6 = (part: string): string => `2001:db8:${part}:3333:4444:5555:6666:7777`;

// upstream: pkg/controller/endpointslicemirroring/reconciler_test.go#TestReconcile
describe("Endpoints with", () => {
  interface Case {
    readonly subsets: readonly Sketch[];
    readonly slices?: readonly EndpointSlice[];
    readonly metadata?: Endpoints["metadata"];
    readonly max?: number;
    /** Written, then endpoints added, changed and removed, then addresses left out. */
    readonly expected: string;
  }
  test.each<[string, Case]>([
    ["no subsets", { subsets: [], expected: "+0 ~0 -0 (0 0 0, 0)" }],
    ["no addresses", { subsets: [" : http/80"], expected: "+0 ~0 -0 (0 0 0, 0)" }],
    ["one address", { subsets: ["10.0.0.1 : http/80"], expected: "+1 ~0 -0 (1 0 0, 0)" }],
    [
      "no address of a family any more",
      {
        subsets: ["10.0.0.1 : http/80"],
        slices: [
          slice("a", "10.0.0.1 : http/80"),
          slice("b", `${v6("1")} ${v6("2")} : http/80`),
          slice("c", `${v6("3")} : http/80`),
        ],
        expected: "+0 ~0 -2 (0 0 3, 0)",
      },
    ],
    [
      "two subsets",
      { subsets: ["10.0.0.1 : http/80", "10.0.0.2 : https/443"], expected: "+2 ~0 -0 (2 0 0, 0)" },
    ],
    [
      "an address at two ports",
      { subsets: ["10.0.0.1 : http/80", "10.0.0.1 : https/443"], expected: "+1 ~0 -0 (1 0 0, 0)" },
    ],
    [
      "two addresses at a port",
      { subsets: ["10.0.0.1 : http/80", "10.0.0.2 : http/80"], expected: "+1 ~0 -0 (2 0 0, 0)" },
    ],
    [
      "a slice that says the same",
      {
        subsets: ["10.0.0.1 : http/80"],
        slices: [slice("a", "10.0.0.1 : http/80")],
        expected: "+0 ~0 -0 (0 0 0, 0)",
      },
    ],
    [
      "a slice of others of the name",
      {
        subsets: ["10.0.0.1 : http/80"],
        slices: [
          slice("a", "10.0.0.1 : http/80", {
            ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "test-ep", uid: "other" }],
          }),
        ],
        expected: "+0 ~1 -0 (0 0 0, 0)",
      },
    ],
    [
      "a slice with an annotation more",
      {
        subsets: ["10.0.0.1 : http/80"],
        slices: [slice("a", "10.0.0.1 : http/80", { annotations: { foo: "bar" } })],
        expected: "+0 ~1 -0 (0 0 0, 0)",
      },
    ],
    [
      "a label that the slice has not",
      {
        subsets: ["10.0.0.1 : http/80"],
        metadata: { labels: { foo: "bar" } },
        slices: [slice("a", "10.0.0.1 : http/80")],
        expected: "+0 ~1 -0 (0 0 0, 0)",
      },
    ],
    ["two ports and addresses", { subsets: [two], expected: "+1 ~0 -0 (2 0 0, 0)" }],
    [
      "two addresses that are not ready",
      { subsets: ["!10.0.0.1 !10.0.0.2 : http/80 https/443"], expected: "+1 ~0 -0 (2 0 0, 0)" },
    ],
    [
      "two that are ready and two that are not",
      {
        subsets: ["10.1.1.1 10.1.1.2 !10.0.0.1 !10.0.0.2 : http/80 https/443"],
        expected: "+1 ~0 -0 (4 0 0, 0)",
      },
    ],
    ["several of everything", { subsets: [two, three], expected: "+2 ~0 -0 (5 0 0, 0)" }],
    [
      "several of everything, and an empty slice",
      {
        subsets: [two, three],
        slices: [slice("a", " : http/80 https/443")],
        expected: "+1 ~1 -0 (5 0 0, 0)",
      },
    ],
    [
      "several of everything, and a slice that says something else",
      {
        subsets: [two, three],
        slices: [
          {
            ...slice("a", two),
            endpoints: [
              { addresses: ["10.0.0.2"], hostname: "pod-2" },
              { addresses: ["10.0.0.1", "10.0.0.3"], hostname: "pod-1" },
            ],
          },
        ],
        expected: "+1 ~1 -0 (4 1 1, 0)",
      },
    ],
    [
      "several of everything, and a slice that is right",
      { subsets: [two, three], slices: [slice("a", two)], expected: "+1 ~0 -0 (3 0 0, 0)" },
    ],
    [
      "addresses of both families",
      {
        subsets: [
          `${v6("2222")} 10.0.0.2 : http/80 https/443`,
          `10.0.1.1 10.0.1.2 ${v6("3333")} : http/3000 https/3001`,
        ],
        expected: "+4 ~0 -0 (5 0 0, 0)",
      },
    ],
    [
      "addresses of the sixth version",
      {
        subsets: [
          `${v6("1111")} ${v6("2222")} : http/80 https/443`,
          `${v6("3333")} ${v6("4444")} ${v6("5555")} : http/3000 https/3001`,
        ],
        expected: "+2 ~0 -0 (5 0 0, 0)",
      },
    ],
    [
      "some addresses that are none",
      {
        subsets: [
          `${v6("1111")} this-is-none : http/80 https/443`,
          `neither-is-this ${v6("4444")} ${v6("5555")} : http/3000 https/3001`,
        ],
        expected: "+2 ~0 -0 (3 0 0, 2)",
      },
    ],
    [
      "nothing but addresses that are none",
      {
        subsets: ["one two : http/80 https/443", "three four five : http/3000 https/3001"],
        expected: "+0 ~0 -0 (0 0 0, 5)",
      },
    ],
    ["more addresses than may be", { subsets: [two, three], max: 2, expected: "+2 ~0 -0 (4 0 0, 1)" }],
    // Not in upstream's table.
    [
      "a slice for ports that are gone",
      {
        subsets: ["10.0.0.1 : http/81"],
        slices: [slice("a", "10.0.0.1 : http/80")],
        expected: "+0 ~1 -0 (1 0 0, 0)",
      },
    ],
    [
      "a slice too many",
      { subsets: [two], slices: [slice("a", two), slice("b", two)], expected: "+0 ~0 -1 (0 0 0, 0)" },
    ],
  ])("%s", (_, { subsets, slices = [], metadata = {}, max = 1_000, expected }) => {
    const plan = decideMirror(
      deepFreeze({ endpoints: endpoints(subsets, metadata), slices, maxPerSubset: max }),
    );
    expect(outcome(plan)).toBe(expected);
  });

  test.each<[string, Labels, Labels]>([
    ["what was applied", { [LAST_APPLIED]: "{}" }, {}],
    ["what was applied, empty", { [LAST_APPLIED]: "" }, {}],
    ["other annotations", { foo: "bar", [LAST_APPLIED]: "{}" }, { foo: "bar" }],
    ["when it has changed", { foo: "bar", [TRIGGER_TIME]: "now" }, { foo: "bar" }],
  ])("annotations: %s", (_, annotations, expected) => {
    const plan = decideMirror({ endpoints: endpoints([two], { annotations }), slices: [], maxPerSubset: 10 });
    expect(plan.create[0]?.metadata.annotations ?? {}).toEqual(expected);
  });

  test("annotations: what was applied goes from a slice that has it", () => {
    const existing = slice("a", two, { annotations: { [LAST_APPLIED]: "{}" } });
    const [updated] = decideMirror({
      endpoints: endpoints([two]),
      slices: [existing],
      maxPerSubset: 10,
    }).update;
    expect(updated?.metadata).toMatchObject({ name: "a" });
    expect(updated?.metadata.annotations).toBeUndefined();
  });

  test("addresses that are left out are told of", () => {
    const few = decideMirror({
      endpoints: endpoints(["none 10.0.0.1 10.0.0.2 : http/80"]),
      slices: [],
      maxPerSubset: 1,
    });
    expect(few.events).toEqual([
      {
        reason: "TooManyAddressesToMirror",
        message:
          "A max of 1 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped",
      },
    ]);
    const invalid = decideMirror({ endpoints: endpoints(["none : http/80"]), slices: [], maxPerSubset: 1 });
    expect(invalid.events).toEqual([
      {
        reason: "InvalidIPAddress",
        message: "Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
      },
    ]);
  });
});
