import type { PodResourceClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import type { DeviceTaint, DeviceToleration } from "../../../pkg/api/types/resource-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create, pod } from "./objects.ts";

const API = "resource.k8s.io/v1";
export const DRIVER = "driver.example.com";
const FINALIZER = "resource.kubernetes.io/delete-protection";
const TAINT: DeviceTaint = { key: "example.com/broken", effect: "NoExecute" };
/** Times are either so short that they end in the scenario, or so long that they do not. */
const SHORT = 2;
export const LONG = 600;

const gpu: PodResourceClaim = { name: "gpu", resourceClaimTemplateName: "gpus" };
const nic: PodResourceClaim = { name: "nic", resourceClaimTemplateName: "nics" };
export const shared: PodResourceClaim = { name: "gpu", resourceClaimName: "shared" };

const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "class" } }] } };

function template(name: string, metadata: object = {}): Step {
  const object = {
    apiVersion: API,
    kind: "ResourceClaimTemplate",
    metadata: { name },
    spec: { metadata, spec },
  };
  return create(object);
}

/** On a node of its own that nobody looks after: it gets no node from the scheduler, and ends at once when it is deleted. */
function user(name: string, ...resourceClaims: readonly PodResourceClaim[]): Step {
  return create(pod(name, { nodeName: "nowhere", terminationGracePeriodSeconds: 0, resourceClaims }));
}

/** As `user`; it stays to be seen when it is evicted. */
export function slowUser(name: string, ...resourceClaims: readonly PodResourceClaim[]): Step {
  return create(pod(name, { nodeName: "nowhere", resourceClaims }));
}

export const claim: Step = create({
  apiVersion: API,
  kind: "ResourceClaim",
  metadata: { name: "shared", finalizers: [FINALIZER] },
  spec,
} as Parameters<typeof create>[0]);

/** Pools are everybody's: each scenario has its own. */
export function allocate(pool: string, tolerations: readonly DeviceToleration[] = []): Step {
  const result = { request: "one", driver: DRIVER, pool, device: "device", tolerations };
  const body = { status: { allocation: { devices: { results: [result] } } } };
  return { do: "patch", target: "resourceClaims/shared", subresource: "status", body };
}

function devicesOf(taints: readonly DeviceTaint[]): object {
  return { devices: [{ name: "device", taints }] };
}

export function slice(pool: string, ...taints: readonly DeviceTaint[]): Step {
  return create({
    apiVersion: API,
    kind: "ResourceSlice",
    metadata: { name: ".slice" },
    spec: {
      driver: DRIVER,
      nodeName: "nowhere",
      pool: { name: pool, generation: 1, resourceSliceCount: 1 },
      ...devicesOf(taints),
    },
  } as Parameters<typeof create>[0]);
}

function taint(...taints: readonly DeviceTaint[]): Step {
  return { do: "patch", target: "resourceSlices/.slice", body: { spec: devicesOf(taints) } };
}

const told = (name: string): Step => ({
  do: "until present",
  target: `pods/${name}`,
  path: "status.resourceClaimStatuses",
});
export const reserved: Step = {
  do: "until present",
  target: "resourceClaims/shared",
  path: "status.reservedFor",
};
const freed: Step = {
  do: "until",
  target: "resourceClaims/shared",
  holds: { "status.allocation": undefined, "status.reservedFor": undefined },
};
const remove = (target: "pods/web" | "resourceClaims/shared"): Step => ({
  do: "delete",
  target,
});
const gone = (target: "pods/web" | "resourceClaims/shared"): Step => ({
  do: "until gone",
  target,
});
export const evicted = (name: string): Step => ({
  do: "until present",
  target: `pods/${name}`,
  path: "metadata.deletionTimestamp",
});
export const tolerates = (tolerationSeconds?: number): DeviceToleration => ({
  key: TAINT.key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

export const devices: readonly Scenario[] = inArea("devices", [
  {
    name: "claim-of-a-template",
    steps: [
      template("gpus", { labels: { of: "gpus" }, annotations: { note: "yes" } }),
      user("web", gpu),
      told("web"),
    ],
  },
  {
    name: "claims-of-two-templates",
    steps: [template("gpus"), template("nics"), user("web", gpu, nic), told("web")],
  },
  { name: "claim-waits-for-its-template", steps: [user("web", gpu), template("gpus"), told("web")] },
  {
    name: "claim-of-a-pod-with-a-long-name",
    steps: [template("gpus"), user(`web-${"a".repeat(60)}`, gpu), told(`web-${"a".repeat(60)}`)],
  },
  {
    name: "claim-reserved-for-a-pod-on-its-node",
    steps: [user("web", shared), claim, allocate("a"), reserved],
  },
  {
    name: "claim-freed-when-its-pod-is-gone",
    steps: [user("web", shared), claim, allocate("c"), reserved, remove("pods/web"), gone("pods/web"), freed],
  },
  {
    name: "claim-deleted-while-it-is-used",
    steps: [
      user("web", shared),
      claim,
      allocate("d"),
      reserved,
      remove("resourceClaims/shared"),
      remove("pods/web"),
      gone("resourceClaims/shared"),
    ],
  },
  {
    name: "claim-deleted-that-was-never-used",
    steps: [claim, allocate("e"), remove("resourceClaims/shared"), gone("resourceClaims/shared")],
  },
  {
    name: "evicted-for-the-taint-of-a-device",
    steps: [
      slice("f"),
      slowUser("web", shared),
      claim,
      allocate("f"),
      reserved,
      taint(TAINT),
      evicted("web"),
    ],
  },
  {
    name: "evicted-when-a-claim-of-a-tainted-device-comes",
    steps: [slice("g", TAINT), slowUser("web", shared), claim, allocate("g"), evicted("web")],
  },
  {
    name: "evicted-later-for-the-taint-of-a-device",
    steps: [
      slice("h"),
      slowUser("web", shared),
      claim,
      allocate("h", [tolerates(SHORT)]),
      reserved,
      taint(TAINT),
      evicted("web"),
    ],
  },
  {
    name: "not-evicted-who-tolerates-the-taint-of-a-device",
    steps: [
      slice("i"),
      slowUser("web", shared),
      claim,
      allocate("i", [tolerates()]),
      reserved,
      taint(TAINT, { key: "example.com/other", effect: "NoSchedule" }),
    ],
  },
  {
    name: "eviction-for-the-taint-of-a-device-called-off",
    steps: [
      slice("j"),
      slowUser("web", shared),
      claim,
      allocate("j", [tolerates(LONG)]),
      reserved,
      taint(TAINT),
      taint(),
    ],
  },
]);
