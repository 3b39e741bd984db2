import { describe, expect, test } from "vitest";
import type { ApiObject } from "../object.ts";
import { resources } from "../resources.ts";
import type { Container, Pod, PodSpec, PodStatus } from "../types/core-v1.gen.ts";
import type { DeviceRequest } from "../types/resource-v1.gen.ts";
import { formatAmounts } from "./amounts.ts";
import { podLimits, podRequests } from "./pod-requests.ts";
import { podQosClass } from "./qos.ts";
import { quotaCovers } from "./scopes.ts";
import { isAbout, usageOf } from "./usage.ts";

const nowMs = Date.UTC(2026, 0, 1);
const container = (requests?: Record<string, string>, limits?: Record<string, string>): Container => ({
  name: "c",
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
});
const pod = (spec: PodSpec, rest: object = {}): Pod & ApiObject => ({ metadata: {}, spec, ...rest });

describe("what a pod needs", () => {
  test.each<[string, PodSpec, Record<string, string>]>([
    [
      "containers add up",
      { containers: [container({ cpu: "1" }), container({ cpu: "500m" })] },
      { cpu: "1500m" },
    ],
    [
      "an init container counts where it needs more",
      {
        initContainers: [container({ cpu: "2", memory: "1" })],
        containers: [container({ cpu: "1", memory: "2" })],
      },
      { cpu: "2", memory: "2" },
    ],
    [
      "sidecars run beside the containers and the init containers after them",
      {
        initContainers: [{ ...container({ cpu: "1" }), restartPolicy: "Always" }, container({ cpu: "3" })],
        containers: [container({ cpu: "1" })],
      },
      { cpu: "4" },
    ],
    [
      "overhead is added",
      { overhead: { cpu: "250m" }, containers: [container({ cpu: "1" })] },
      { cpu: "1250m" },
    ],
    [
      "resources of the pod replace those of its containers",
      { resources: { requests: { cpu: "5" } }, containers: [container({ cpu: "1", memory: "1" })] },
      { cpu: "5", memory: "1" },
    ],
  ])("%s", (_name, spec, expected) => {
    expect(formatAmounts(podRequests(spec))).toEqual(expected);
  });

  test("overhead makes no limit where there is none", () => {
    const spec = { overhead: { cpu: "1", memory: "1" }, containers: [container({}, { cpu: "1" })] };
    expect(formatAmounts(podLimits(spec))).toEqual({ cpu: "2" });
  });
});

describe("what objects use of a quota", () => {
  const spec = {
    containers: [container({ cpu: "1", "example.com/gpu": "2" }, { memory: "1Gi", "example.com/gpu": "2" })],
  };

  test("a pod uses itself and what it asks for", () => {
    expect(formatAmounts(usageOf(resources.pods, pod(spec), nowMs))).toEqual({
      "count/pods": "1",
      cpu: "1",
      "limits.memory": "1Gi",
      pods: "1",
      "requests.cpu": "1",
      "requests.example.com/gpu": "2",
    });
  });

  test.each([
    ["that has ended", { status: { phase: "Succeeded" } }],
    [
      "that should have ended",
      { metadata: { deletionTimestamp: "2025-12-31T00:00:00Z", deletionGracePeriodSeconds: 30 } },
    ],
  ])("a pod %s only counts as an object", (_name, rest) => {
    expect(formatAmounts(usageOf(resources.pods, pod(spec, rest), nowMs))).toEqual({ "count/pods": "1" });
  });

  test("a claim uses storage, of its class too", () => {
    const claim = {
      metadata: {},
      spec: { storageClassName: "fast", resources: { requests: { storage: "5Gi" } } },
    };
    expect(formatAmounts(usageOf(resources.persistentVolumeClaims, claim, nowMs))).toEqual({
      "count/persistentvolumeclaims": "1",
      "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "fast.storageclass.storage.k8s.io/requests.storage": "5Gi",
      persistentvolumeclaims: "1",
      "requests.storage": "5Gi",
    });
  });

  test("a load balancer uses node ports, unless it has none", () => {
    const ports = [{ port: 1 }, { port: 2 }];
    const service = (rest: object) => ({
      metadata: {},
      spec: { type: "LoadBalancer" as const, ports, ...rest },
    });
    const used = (rest: object) => formatAmounts(usageOf(resources.services, service(rest), nowMs));
    expect(used({})).toMatchObject({ "services.nodeports": "2", "services.loadbalancers": "1" });
    expect(used({ allocateLoadBalancerNodePorts: false })).toMatchObject({ "services.nodeports": "0" });
  });

  test("any other object is counted by its resource", () => {
    expect(formatAmounts(usageOf(resources.jobs, { metadata: {} }, nowMs))).toEqual({
      "count/jobs.batch": "1",
    });
  });
});

describe("which objects a quota is about", () => {
  const hard = ["pods"];
  const bestEffort = pod({ containers: [container()] });
  const burstable = pod({
    containers: [container({ cpu: "1" })],
    priorityClassName: "high",
    activeDeadlineSeconds: 5,
  });

  test.each([
    ["BestEffort", true, false],
    ["NotBestEffort", false, true],
    ["Terminating", false, true],
    ["NotTerminating", true, false],
    ["PriorityClass", false, true],
    ["CrossNamespacePodAffinity", false, false],
  ] as const)("%s", (scope, first, second) => {
    const covers = (one: Pod & ApiObject): boolean =>
      quotaCovers({ scopes: [scope] }, hard, resources.pods, one);
    expect([covers(bestEffort), covers(burstable)]).toEqual([first, second]);
  });

  test.each<[string, object, boolean]>([
    ["namespaces", { namespaces: ["other"] }, true],
    ["a selector of namespaces", { namespaceSelector: {} }, true],
    ["neither", { namespaces: [] }, false],
  ])("affinity to pods with %s is about other namespaces or not", (_name, where, expected) => {
    const term = { topologyKey: "zone", ...where };
    const preferred = {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
    };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const scopes = ["CrossNamespacePodAffinity" as const];
    for (const affinity of [preferred, required]) {
      for (const kind of ["podAffinity", "podAntiAffinity"]) {
        const near = pod({ containers: [container()], affinity: { [kind]: affinity } });
        expect(quotaCovers({ scopes }, hard, resources.pods, near)).toBe(expected);
      }
    }
  });

  test("a quota of priority classes names them", () => {
    const selector = (operator: "In" | "NotIn", values: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass" as const, operator, values }] },
    });
    expect(quotaCovers(selector("In", ["high"]), hard, resources.pods, burstable)).toBe(true);
    expect(quotaCovers(selector("NotIn", ["high"]), hard, resources.pods, burstable)).toBe(false);
  });

  test("one without a limit for the kind is not about it", () => {
    expect(quotaCovers({}, [], resources.pods, burstable)).toBe(false);
  });
});

test.each<[string, PodSpec]>([
  ["BestEffort", { containers: [container()] }],
  ["BestEffort", { containers: [container({ "example.com/gpu": "1" })] }],
  ["Burstable", { containers: [container({ cpu: "1" })] }],
  ["Burstable", { containers: [container({}, { cpu: "1" })] }],
  ["Guaranteed", { containers: [container({ cpu: "1", memory: "1" }, { cpu: "1000m", memory: "1" })] }],
  [
    "Burstable",
    { containers: [container({ cpu: "1", memory: "1" }, { cpu: "1", memory: "1" }), container()] },
  ],
  [
    "Guaranteed",
    {
      resources: { requests: { cpu: "1", memory: "1" }, limits: { cpu: "1", memory: "1" } },
      containers: [container()],
    },
  ],
])("quality of service: %s for %o", (expected, spec) => {
  expect(podQosClass(spec)).toBe(expected);
});

describe("while a pod is resized", () => {
  const spec = { containers: [container({ cpu: "2" }, { cpu: "2" })] };
  const status = (cpu: string, allocated: string | undefined, reason?: string): PodStatus => ({
    containerStatuses: [
      {
        name: "c",
        resources: { requests: { cpu }, limits: { cpu } },
        ...(allocated && { allocatedResources: { cpu: allocated } }),
        image: "",
        imageID: "",
        ready: true,
        restartCount: 0,
      },
    ],
    ...(reason && { conditions: [{ type: "PodResizePending", status: "True", reason }] }),
  });

  test.each<[string, PodStatus, string, string]>([
    ["what it asks for counts when it is more", status("1", "1"), "2", "2"],
    ["what it has counts when it is more", status("3", "1"), "3", "3"],
    ["what was set aside for it counts when it is more", status("1", "4"), "4", "2"],
    ["what waits for room counts", status("1", "1", "Deferred"), "2", "2"],
    ["what can never be does not count", status("1", "1", "Infeasible"), "1", "1"],
  ])("%s", (_name, pods, requests, limits) => {
    expect(formatAmounts(podRequests(spec, pods))).toEqual({ cpu: requests });
    expect(formatAmounts(podLimits(spec, pods))).toEqual({ cpu: limits });
  });
});

// upstream: pkg/quota/v1/evaluator/core/resource_claims_test.go#TestResourceClaimEvaluatorUsage
describe("a claim for devices uses", () => {
  const devices = (deviceClassName: string, count: number) => ({
    deviceClassName,
    allocationMode: "ExactCount",
    count,
  });
  const all = (deviceClassName: string) => ({ deviceClassName, allocationMode: "All" });
  const gpu = "gpu.deviceclass.resource.k8s.io/devices";
  const tpu = "tpu.deviceclass.resource.k8s.io/devices";

  const implicit = (name: string): string => `requests.deviceclass.resource.kubernetes.io/${name}`;

  test.each<[string, readonly Omit<DeviceRequest, "name">[], Record<string, string>]>([
    ["as many as it asks for", [{ exactly: devices("gpu", 5) }], { [gpu]: "5", [implicit("gpu")]: "5" }],
    [
      "those of all its requests",
      [{ exactly: devices("gpu", 1) }, { exactly: devices("gpu", 2) }],
      { [gpu]: "3", [implicit("gpu")]: "3" },
    ],
    [
      "the most there can be where it asks for all",
      [{ exactly: all("gpu") }],
      { [gpu]: "32", [implicit("gpu")]: "32" },
    ],
    [
      "none for a mode of later versions",
      [{ exactly: { deviceClassName: "gpu", allocationMode: "Other" } }],
      { [gpu]: "0" },
    ],
    [
      "the most of its alternatives, class by class",
      [
        {
          firstAvailable: [devices("gpu", 2), devices("gpu", 1), devices("tpu", 3)].map((each) => ({
            ...each,
            name: "",
          })),
        },
      ],
      { [gpu]: "2", [tpu]: "3", [implicit("gpu")]: "2", [implicit("tpu")]: "3" },
    ],
    ["nothing for requests of later versions", [{}], {}],
  ])("%s", (_name, requests, expected) => {
    const claim = {
      metadata: {},
      spec: { devices: { requests: requests.map((each) => ({ ...each, name: "r" })) } },
    };
    expect(formatAmounts(usageOf(resources.resourceClaims, claim, nowMs))).toEqual({
      "count/resourceclaims.resource.k8s.io": "1",
      ...expected,
    });
  });
});

test("storage is counted in whole bytes", () => {
  const claim = { metadata: {}, spec: { resources: { requests: { storage: "1500m" } } } };
  expect(formatAmounts(usageOf(resources.persistentVolumeClaims, claim, nowMs))).toMatchObject({
    "requests.storage": "2",
  });
});

test("a volume that changes its class of attributes is of both classes", () => {
  const claim = {
    metadata: {},
    spec: { volumeAttributesClassName: "silver" },
    status: {
      currentVolumeAttributesClassName: "gold",
      modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "iron" },
    },
  };
  const covers = (values: readonly string[]): boolean =>
    quotaCovers(
      {
        scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values }] },
      },
      ["persistentvolumeclaims"],
      resources.persistentVolumeClaims,
      claim,
    );
  expect([["silver"], ["gold"], ["iron"], ["bronze"]].map(covers)).toEqual([true, true, true, false]);
});

test.each([
  ["requests.example.com/gpu", true],
  ["requests.deviceclass.resource.kubernetes.io/gpu", true],
  ["requests.kubernetes.io/gpu", false],
  ["example.com/gpu", false],
  ["gold.storageclass.storage.k8s.io/requests.storage", false],
])("a limit for %s is about pods: %s", (name, expected) => {
  expect(isAbout(resources.pods, name)).toBe(expected);
});
