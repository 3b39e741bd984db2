import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ContainerStatus, Pod, ResourceQuotaStatus } from "../../pkg/api/types/core-v1.gen.ts";
import { isQuotable } from "./quotable.ts";
import { changesUsage } from "./replenishment.ts";
import { isUrgent } from "./status.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

// upstream: pkg/controller/resourcequota/resource_quota_controller_test.go#TestAddQuota
describe("a quota is urgent", () => {
  const cpu = { cpu: "4" };
  const extended = { "requests.example/foobars.example.com": "4" };
  const unknown = { "foobars.example.com": "4" };
  test.each<[string, Record<string, string>, ResourceQuotaStatus | undefined, boolean]>([
    ["without a status", cpu, undefined, true],
    ["without usage", cpu, { hard: cpu }, true],
    ["without usage of an extended resource", extended, { hard: extended }, true],
    ["with other limits in its status", cpu, { hard: { cpu: "6" }, used: { cpu: "0" } }, true],
    ["not without usage that nobody can count", unknown, { hard: unknown }, false],
    ["not when all is there", cpu, { hard: cpu, used: { cpu: "0" } }, false],
    [
      "not when the same limits are written otherwise",
      cpu,
      { hard: { cpu: "4000m" }, used: { cpu: "0" } },
      false,
    ],
  ])("%s", (_, hard, status, expected) => {
    const quota = { metadata: {}, spec: { hard }, ...(status && { status }) };
    expect(isUrgent(quota, [resources.pods], undefined)).toBe(expected);
  });
});

// upstream: pkg/quota/v1/install/update_filter_test.go#TestHasResourcesChanged
describe("a change of an object changes what it uses", () => {
  const pod = (change: Partial<Pod> = {}): Pod => ({ metadata: {}, spec: { containers: [foo] }, ...change });
  const foo = { name: "foo", resources: { requests: { cpu: "2" } } };
  const resized = (cpu: string): Pod => {
    const status = { name: "foo", resources: { requests: { cpu } } };
    return pod({ status: { phase: "Running", containerStatuses: [status as unknown as ContainerStatus] } });
  };
  const service = (spec: object): ApiObject & { spec: object } => ({ metadata: {}, spec });
  const claim = (storage: string, status: object = {}): ApiObject => {
    const whole = { metadata: {}, spec: { resources: { requests: { storage } } }, status };
    return whole;
  };

  test.for<[string, { readonly group: string; readonly plural: string }, ApiObject, ApiObject, boolean]>([
    ["not when a pod has the same", resources.pods, resized("2"), resized("2"), false],
    ["when a pod has more", resources.pods, resized("2"), resized("3"), true],
    ["when a pod ends", resources.pods, pod(), pod({ status: { phase: "Failed" } }), true],
    [
      "not when a pod starts",
      resources.pods,
      pod({ status: { phase: "Pending" } }),
      pod({ status: { phase: "Running" } }),
      false,
    ],
    [
      "when a pod gets a deadline, which changes its scope",
      resources.pods,
      pod(),
      pod({ spec: { containers: [foo], activeDeadlineSeconds: 5 } }),
      true,
    ],
    [
      "when a Service gets another type",
      resources.services,
      service({ type: "NodePort", ports: [{ port: 1 }] }),
      service({ type: "ClusterIP" }),
      true,
    ],
    [
      "not when a Service gets another selector",
      resources.services,
      service({}),
      service({ selector: { a: "b" } }),
      false,
    ],
    [
      "when a claim holds more than it asks for",
      resources.persistentVolumeClaims,
      claim("1"),
      claim("1", { allocatedResources: { storage: "2" } }),
      true,
    ],
    [
      "when a claim changes its class of attributes",
      resources.persistentVolumeClaims,
      claim("1"),
      claim("1", { currentVolumeAttributesClassName: "gold" }),
      true,
    ],
    [
      "not when a claim is bound",
      resources.persistentVolumeClaims,
      claim("1"),
      claim("1", { phase: "Bound" }),
      false,
    ],
    ["not for others", resources.configMaps, claim("1"), claim("2"), false],
  ])("%s", ([, resource, before, after, expected]) => {
    expect(changesUsage({ ...resources.pods, ...resource }, before, after, NOW_MS)).toBe(expected);
  });
});

// upstream: pkg/controller/resourcequota/resource_quota_controller_test.go#TestDiscoverySync
describe("what is watched", () => {
  const verbs = ["create", "delete", "list", "watch", "get"];
  const pods = { ...resources.pods, verbs };

  test.each<[string, Parameters<typeof isQuotable>[0], boolean]>([
    ["what can be created and deleted", pods, true],
    ["nothing of the cluster's own", { ...pods, namespaced: false }, false],
    ["nothing that cannot be watched", { ...pods, verbs: ["create", "delete", "list"] }, false],
    ["no events", { ...resources.events, verbs }, false],
    ["no events of the newer kind", { ...resources.eventsEvents, verbs }, false],
  ])("is %s", (_, resource, expected) => expect(isQuotable(resource)).toBe(expected));
});
