import { expect, test } from "vitest";
import type { OwnerReference } from "../object.ts";
import { resources } from "../resources.ts";
import type { Pod } from "../types/core-v1.gen.ts";
import type { ResourceClaim } from "../types/resource-v1.gen.ts";
import { formatAmounts } from "./amounts.ts";
import { devicesOf } from "./devices.ts";
import { isAbout, usageOf } from "./usage.ts";

const nowMs = 0;
const byClass = "gpu.deviceclass.resource.k8s.io/devices";
const implicit = "requests.deviceclass.resource.kubernetes.io/gpu";
const named = "requests.example.com/gpu";
const counts = { "count/resourceclaims.resource.k8s.io": "1", [byClass]: "3" };

const owner: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "pod", uid: "u", controller: true };

interface ClaimSketch {
  readonly name?: string;
  readonly born?: string;
  readonly owner?: OwnerReference;
  readonly annotation?: string;
}

function claim({ name = "claim", born = "2026-01-02T00:00:00Z", ...rest }: ClaimSketch = {}): ResourceClaim {
  const annotations = { "resource.kubernetes.io/extended-resource-claim": rest.annotation ?? "true" };
  return {
    metadata: {
      name,
      annotations,
      creationTimestamp: born,
      ownerReferences: [rest.owner ?? owner],
    },
    spec: {
      devices: {
        requests: [
          { name: "r", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 } },
        ],
      },
    },
  };
}

/** It asks for some of the devices by either name. */
function pod(requests: Readonly<Record<string, string>>, status: Pod["status"] = {}): Pod {
  return {
    metadata: { name: "pod", uid: "u" },
    spec: { containers: [{ name: "c", resources: { requests } }] },
    status,
  };
}

const two = { "example.com/gpu": "2" };
const statusOf = (resourceClaimName: string): Pod["status"] => ({
  extendedResourceClaimStatus: { requestMappings: [], resourceClaimName },
});
const all = { [implicit]: "3", [named]: "3" };
const rest = { [implicit]: "3", [named]: "1" };

// upstream: pkg/quota/v1/evaluator/core/resource_claims_test.go#TestResourceClaimEvaluatorUsage
test.for<[string, ResourceClaim, Pod | undefined, readonly ResourceClaim[], Record<string, string>]>([
  ["that nobody made for a pod: all of it", claim({ annotation: "" }), pod(two), [], all],
  ["for a pod that is not there: all of it", claim(), undefined, [], all],
  ["for another pod of the name: all of it", claim({ owner: { ...owner, uid: "v" } }), pod(two), [], all],
  ["for something that is no pod: all of it", claim({ owner: { ...owner, kind: "Job" } }), pod(two), [], all],
  [
    "for a pod that does not control it: all of it",
    claim({ owner: { ...owner, controller: false } }),
    pod(two),
    [],
    all,
  ],
  ["for a pod: what the pod does not ask for", claim(), pod(two), [claim()], rest],
  [
    "for a pod that asks for more: nothing more",
    claim(),
    pod({ "example.com/gpu": "4", "deviceclass.resource.kubernetes.io/gpu": "3" }),
    [claim()],
    {},
  ],
  ["for a pod that has ended: all of it", claim(), pod(two, { phase: "Failed" }), [claim()], all],
  ["that the pod names: what is left", claim(), pod(two, statusOf("claim")), [], rest],
  ["that the pod does not name: all of it", claim(), pod(two, statusOf("other")), [], all],
  [
    "made after another for the pod: all of it",
    claim(),
    pod(two),
    [claim(), claim({ name: "other", born: "2026-01-01T00:00:00Z" })],
    all,
  ],
  [
    "made with another for the pod: the first by name is the pod's",
    claim(),
    pod(two),
    [claim({ name: "a" })],
    all,
  ],
  [
    "made before another for the pod: what is left",
    claim(),
    pod(two),
    [claim({ name: "a", born: "2026-01-03T00:00:00Z" })],
    rest,
  ],
  [
    "made after another, which is of another pod: what is left",
    claim(),
    pod(two),
    [claim({ name: "a", owner: { ...owner, uid: "v" } })],
    rest,
  ],
])("of extended resources, a claim uses, %s", ([, object, found, claims, expected]) => {
  const devices = devicesOf({
    classes: [{ metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } }],
    podNamed: () => found,
    claimsIn: () => claims,
  });
  const usage = formatAmounts(usageOf(resources.resourceClaims, object, nowMs, devices));
  expect(usage).toEqual({ ...counts, ...expected });
});

test("a class without a name of its own is an extended resource all the same", () => {
  const devices = devicesOf({
    classes: [{ metadata: { name: "gpu" }, spec: {} }],
    podNamed: () => undefined,
    claimsIn: () => [],
  });
  const usage = formatAmounts(usageOf(resources.resourceClaims, claim(), nowMs, devices));
  expect(usage).toEqual({ ...counts, [implicit]: "3" });
  const isAboutClaims = (name: string): boolean => isAbout(resources.resourceClaims, name, devices);
  expect(isAboutClaims(implicit)).toBe(true);
  expect(isAboutClaims(named)).toBe(false);
  expect(isAboutClaims("requests.deviceclass.resource.kubernetes.io/tpu")).toBe(false);
  expect(isAboutClaims("deviceclass.resource.kubernetes.io/gpu")).toBe(false);
  expect(isAbout(resources.pods, implicit, devices)).toBe(true);
});
