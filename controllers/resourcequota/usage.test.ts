import { describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type {
  Pod,
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../../pkg/api/types/core-v1.gen.ts";
import { formatAmounts } from "../../pkg/api/quota/amounts.ts";
import { type Devices, devicesOf, noDevices } from "../../pkg/api/quota/devices.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import { settle, VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { decideStatus } from "./status.ts";
import { type Counted, countUsage, type Usage } from "./usage.ts";

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const hard = { cpu: "3", memory: "100Gi", pods: "5" };
const nothing = { cpu: "0", memory: "0", pods: "0" };

interface PodSketch {
  readonly cpu?: string;
  readonly memory?: string;
  readonly priorityClassName?: string;
  readonly phase?: string;
}
const small: PodSketch = { cpu: "100m", memory: "1Gi" };
const failed: PodSketch = { ...small, phase: "Failed" };
const plain = [small, small, failed].map(pod);
const bestEffort = [{}, {}, failed].map(pod);
const ranked = [
  { cpu: "500m", memory: "50Gi", priorityClassName: "high" },
  { ...small, priorityClassName: "low" },
  failed,
].map(pod);

// upstream: pkg/controller/resourcequota/resource_quota_controller_test.go#TestSyncResourceQuota
describe("a quota counts", () => {
  test.each<[string, Partial<ResourceQuotaSpec>, readonly Pod[], Record<string, string>]>([
    ["no pods of another scope", { scopes: ["BestEffort"] }, plain, nothing],
    ["pods of its scope", { scopes: ["BestEffort"] }, bestEffort, { ...nothing, pods: "2" }],
    ["no pods without a priority class", priorities("Exists"), plain, nothing],
    ["pods of any priority class", priorities("Exists"), ranked, { cpu: "600m", memory: "51Gi", pods: "2" }],
    [
      "pods of several classes",
      priorities("In", "high", "low"),
      ranked,
      { cpu: "600m", memory: "51Gi", pods: "2" },
    ],
    ["pods of one class", priorities("In", "high"), ranked, { cpu: "500m", memory: "50Gi", pods: "1" }],
    ["pods of another class", priorities("In", "low"), ranked, { cpu: "100m", memory: "1Gi", pods: "1" }],
    ["pods not of a class", priorities("NotIn", "high"), ranked, { cpu: "100m", memory: "1Gi", pods: "1" }],
    ["no pods of a class that nobody has", priorities("In", "random"), ranked, nothing],
    [
      "pods of no class as not of a class",
      priorities("NotIn", "random"),
      plain,
      { cpu: "200m", memory: "2Gi", pods: "2" },
    ],
    ["pods of no class", priorities("DoesNotExist"), plain, { cpu: "200m", memory: "2Gi", pods: "2" }],
    ["pods that have not ended", {}, plain, { cpu: "200m", memory: "2Gi", pods: "2" }],
  ])("%s", async (_, spec, pods, used) => {
    expect(await statusOf({ spec: { ...spec, hard } }, [of(resources.pods, pods)])).toEqual({ hard, used });
  });

  test.each<[string, Partial<ResourceQuota>, Record<string, string>]>([
    ["when its limit has changed", { status: { hard: { cpu: "3" }, used: { cpu: "0" } } }, { cpu: "0" }],
    ["when its usage is missing", { status: { hard: { cpu: "0" } } }, { cpu: "0" }],
  ])("%s", async (_, quota, used) => {
    const limits = { cpu: "4" };
    const changed = { ...quota, spec: { hard: limits } };
    expect(await statusOf(changed, [of(resources.pods, [])])).toEqual({ hard: limits, used });
  });

  test("only what can be listed, and says what cannot", async () => {
    const limits = { pods: "1", configmaps: "1" };
    const counted = [of(resources.pods, undefined), of(resources.configMaps, [])];
    expect(await statusOf({ spec: { hard: limits } }, counted)).toEqual({
      hard: limits,
      used: { configmaps: "0" },
    });
    expect((await usageIn({ spec: { hard: limits } }, counted)).unknown).toEqual(["pods"]);
    expect(await statusOf({ spec: { hard: { pods: "1" } } }, counted)).toEqual({
      hard: { pods: "1" },
      used: {},
    });
  });

  test("what cannot be listed as before", async () => {
    const status = { hard: { pods: "5", configmaps: "5" }, used: { pods: "3", configmaps: "1" } };
    const counted = [of(resources.pods, undefined), of(resources.configMaps, [])];
    expect((await statusOf({ spec: { hard: status.hard }, status }, counted))?.used).toEqual({
      pods: "3",
      configmaps: "0",
    });
  });

  test("any resource by its name, and no limit that nobody knows", async () => {
    const limits = { "count/widgets.example.com": "5", "foobars.example.com": "5" };
    const widgets = { ...resources.configMaps, group: "example.com", plural: "widgets" };
    const objects = [{ metadata: { name: "a" } }, { metadata: { name: "b" } }];
    expect((await statusOf({ spec: { hard: limits } }, [of(widgets, objects)]))?.used).toEqual({
      "count/widgets.example.com": "2",
    });
  });

  test("thousands of objects in many turns of the event loop", async () => {
    const pods = Array.from({ length: 2_000 }, () => pod(small));
    let isDone = false;
    const counting = statusOf({ spec: { hard } }, [of(resources.pods, pods)]).finally(() => (isDone = true));
    await settle();
    expect([isDone, clock.pendingTimers]).toEqual([false, 1]);
    await clock.advanceBy(0);
    expect((await counting)?.used).toEqual({ cpu: "200", memory: "2000Gi", pods: "2k" });
  });

  test("nothing anew when it is as it was", async () => {
    const status = { hard, used: { cpu: "0.2", memory: "2048Mi", pods: "2" } };
    expect(await statusOf({ spec: { hard }, status }, [of(resources.pods, plain)])).toBeUndefined();
  });

  test("no limit any more that it has no more", async () => {
    const status = { hard, used: { cpu: "200m", memory: "2Gi", pods: "2" } };
    expect(await statusOf({ spec: { hard: { pods: "5" } }, status }, [of(resources.pods, plain)])).toEqual({
      hard: { pods: "5" },
      used: { pods: "2" },
    });
  });
});

describe("devices that pods ask for by name and claims by class", () => {
  const gpus = "requests.example.com/gpu";
  const implicit = "requests.deviceclass.resource.kubernetes.io/gpu";
  const perClass = "gpu.deviceclass.resource.k8s.io/devices";
  const limits = {
    [gpus]: "9",
    [implicit]: "9",
    [perClass]: "9",
    "count/resourceclaims.resource.k8s.io": "9",
  };
  const devices = devicesOf({
    classes: [{ metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } }],
    podNamed: () => undefined,
    claimsIn: () => [],
  });
  const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 };
  const claim: ResourceClaim = { metadata: {}, spec: { devices: { requests: [{ name: "r", exactly }] } } };
  const asking: readonly Pod[] = [
    {
      metadata: {},
      spec: { containers: [{ name: "c", resources: { requests: { "example.com/gpu": "3" } } }] },
    },
  ];
  const pods = of(resources.pods, asking);
  const claims = of(resources.resourceClaims, [claim]);
  const foreign = { ...claims, isForeign: true };

  test.each<[string, readonly Counted[], Devices | undefined, Record<string, string>]>([
    [
      "are counted together",
      [pods, claims],
      devices,
      { [gpus]: "5", [implicit]: "2", [perClass]: "2", "count/resourceclaims.resource.k8s.io": "1" },
    ],
    [
      "are those of pods alone where there is no such class, but for the name that says which",
      [pods, claims],
      noDevices,
      { [gpus]: "3", [implicit]: "2", [perClass]: "2", "count/resourceclaims.resource.k8s.io": "1" },
    ],
    [
      "are not counted while classes are not known",
      [pods, claims],
      undefined,
      { [perClass]: "2", "count/resourceclaims.resource.k8s.io": "1" },
    ],
    [
      "are those of pods alone where claims are not served",
      [pods],
      undefined,
      { [gpus]: "3", [implicit]: "0" },
    ],
    ["are not counted while claims are not watched, though there are classes", [pods], devices, {}],
    [
      "are not counted where claims are not understood",
      [pods, foreign],
      devices,
      { "count/resourceclaims.resource.k8s.io": "1" },
    ],
  ])("%s", async (_, counted, known, expected) => {
    const { amounts, unknown } = await runInTurns(
      clock,
      countUsage({ spec: { hard: limits } }, { resources: counted, devices: known }, clock.nowMs()),
    );
    expect(formatAmounts(amounts)).toEqual(expected);
    // The count is tried again as soon as that can help.
    const isWaitedFor = known === undefined && counted.includes(claims);
    expect(unknown).toEqual(isWaitedFor ? ["deviceclasses.resource.k8s.io"] : []);
  });
});

async function statusOf(
  quota: Partial<ResourceQuota>,
  counted: readonly Counted[],
): Promise<ResourceQuota["status"]> {
  const whole = { ...quota, metadata: {} };
  return decideStatus(whole, (await usageIn(whole, counted)).amounts);
}

async function usageIn(quota: Partial<ResourceQuota>, counted: readonly Counted[]): Promise<Usage> {
  return runInTurns(clock, countUsage(quota, { resources: counted, devices: noDevices }, clock.nowMs()));
}

function of(resource: Counted["resource"], objects: ReturnType<Counted["objects"]>): Counted {
  return { resource, isForeign: false, objects: () => objects };
}

function pod({ cpu, memory, priorityClassName, phase = "Running" }: PodSketch): Pod {
  const requests = { ...(cpu && { cpu }), ...(memory && { memory }) };
  return {
    metadata: {},
    spec: {
      containers: [{ name: "c", resources: { requests } }],
      ...(priorityClassName && { priorityClassName }),
    },
    status: { phase },
  };
}

function priorities(
  operator: ScopedResourceSelectorRequirement["operator"],
  ...values: string[]
): Partial<ResourceQuotaSpec> {
  const match = { scopeName: "PriorityClass" as const, operator, ...(values.length > 0 && { values }) };
  return { scopeSelector: { matchExpressions: [match] } };
}
