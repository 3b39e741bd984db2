import type { PartialObject } from "../object.ts";
import { parseQuantity } from "../quantity-parse.ts";
import { Quantity } from "../quantity.ts";
import type { Resource } from "../resource.ts";
import { groupResource } from "../resource.ts";
import { addAmounts, type Amounts, excess } from "./amounts.ts";
import { deviceUsage, isDeviceLimit } from "./device-usage.ts";
import { type Devices, extendedUsage, IMPLICIT_NAME, noDevices } from "./devices.ts";
import {
  type CountedClaim,
  type CountedDeviceClaim,
  type CountedPod,
  type CountedService,
  isClaim,
  isClaimForDevices,
  isDeviceClaim,
  isPod,
  isService,
} from "./fields.ts";
import { podLimits, podRequests } from "./pod-requests.ts";

const one = new Quantity(1n);

/** Kinds that quotas could count before every kind could be counted as count/<resource>. */
const plainNames = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);

/** What one object uses of a namespace's quotas. */
export function usageOf(
  resource: Resource,
  object: PartialObject,
  nowMs: number,
  devices = noDevices,
): Amounts {
  const usage = new Map<string, Quantity>([[countName(resource), one]]);
  if (isDeviceClaim(resource, object)) return addAmounts(usage, claimUsage(object, nowMs, devices));
  if (isPod(resource, object)) addPodUsage(usage, object, nowMs);
  else if (isClaim(resource, object)) addClaimUsage(usage, object);
  else if (isService(resource, object)) addServiceUsage(usage, object);
  else if (plainNames.has(groupResource(resource))) usage.set(resource.plural, one);
  return usage;
}

export function countName(resource: Resource): string {
  return `count/${groupResource(resource)}`;
}

/** Whether a limit of this name is about objects of this resource. */
export function isAbout(resource: Resource, name: string, devices = noDevices): boolean {
  if (name === countName(resource)) return true;
  if (isClaimForDevices(resource)) return isDeviceLimit(name) || isOffered(name, devices);
  if (resource.group !== "") return false;
  switch (resource.plural) {
    case "pods":
      return isPodResource(name);
    case "persistentvolumeclaims":
      return isClaimResource(name);
    case "services":
      return name === "services" || name.startsWith("services.");
    default:
      return plainNames.has(resource.plural) && name === resource.plural;
  }
}

const podResources = new Set([
  "pods",
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);

function isPodResource(name: string): boolean {
  if (podResources.has(name) || name.startsWith("hugepages-")) return true;
  return requestedIn(name).startsWith("hugepages-") || isExtendedRequest(name);
}

function requestedIn(name: string): string {
  return name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : "";
}

/** Whether the limit is about what pods ask for by name, and what claims may be for as well. */
export function isExtendedRequest(name: string): boolean {
  return isExtendedResource(requestedIn(name));
}

/** Whether claims for devices of some class use what pods ask for under this name. */
export function isOffered(name: string, devices: Devices): boolean {
  return isExtendedRequest(name) && devices.isOffered(requestedIn(name));
}

/** One that some device plugin or device class offers; names of Kubernetes' own domain are reserved. */
function isExtendedResource(name: string): boolean {
  return name.includes("/") && (!name.includes("kubernetes.io/") || name.startsWith(IMPLICIT_NAME));
}

const REQUESTS = "requests.";

/** A claim that was made for a pod's extended resources is counted with the pod, as far as that goes. */
function claimUsage(claim: CountedDeviceClaim, nowMs: number, devices: Devices): Amounts {
  const usage = deviceUsage(claim);
  const pod = devices.podOf(claim);
  const counted = new Map<string, Quantity>();
  if (pod !== undefined) addPodUsage(counted, pod, nowMs);
  return addAmounts(usage, excess(extendedUsage(usage, devices), counted));
}

function isClaimResource(name: string): boolean {
  const ofClass = name.split(".storageclass.storage.k8s.io/")[1];
  return ["persistentvolumeclaims", "requests.storage"].includes(ofClass ?? name);
}

/** A pod that has ended, or should have by now, holds no resources. */
export function countsForCompute(pod: CountedPod, nowMs: number): boolean {
  const phase = pod.status?.phase;
  if (phase === "Failed" || phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function addPodUsage(usage: Map<string, Quantity>, pod: CountedPod, nowMs: number): void {
  if (!countsForCompute(pod, nowMs) || pod.spec === undefined) return;
  usage.set("pods", one);
  for (const [name, quantity] of podRequests(pod.spec, pod.status)) {
    const isCompute = podResources.has(name) || name.startsWith("hugepages-");
    if (isCompute) usage.set(name, quantity);
    if (isCompute || isExtendedResource(name)) usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of podLimits(pod.spec, pod.status)) {
    if (podResources.has(`limits.${name}`)) usage.set(`limits.${name}`, quantity);
  }
}

function addClaimUsage(usage: Map<string, Quantity>, claim: CountedClaim): void {
  const annotated = claim.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  const className = annotated ?? claim.spec?.storageClassName ?? "";
  const prefix = `${className}.storageclass.storage.k8s.io`;
  usage.set("persistentvolumeclaims", one);
  if (className !== "") usage.set(`${prefix}/persistentvolumeclaims`, one);
  const asked = claim.spec?.resources?.requests?.["storage"];
  if (asked === undefined) return;
  const allocated = claim.status?.allocatedResources?.["storage"];
  let storage = parseQuantity(asked);
  // While a volume is being made smaller again, what it has counts.
  if (allocated !== undefined && parseQuantity(allocated).compare(storage) > 0)
    storage = parseQuantity(allocated);
  // Quotas count whole bytes.
  storage = storage.roundUp(0);
  usage.set("requests.storage", storage);
  if (className !== "") usage.set(`${prefix}/requests.storage`, storage);
}

function addServiceUsage(usage: Map<string, Quantity>, service: CountedService): void {
  const { type, ports = [], allocateLoadBalancerNodePorts } = service.spec ?? {};
  usage.set("services", one);
  const allPorts = new Quantity(BigInt(ports.length));
  const zero = new Quantity(0n);
  usage.set("services.nodeports", zero);
  usage.set("services.loadbalancers", zero);
  if (type === "NodePort") usage.set("services.nodeports", allPorts);
  if (type !== "LoadBalancer") return;
  usage.set("services.loadbalancers", one);
  const explicit = ports.filter((port) => (port.nodePort ?? 0) !== 0).length;
  usage.set(
    "services.nodeports",
    allocateLoadBalancerNodePorts === false ? new Quantity(BigInt(explicit)) : allPorts,
  );
}
