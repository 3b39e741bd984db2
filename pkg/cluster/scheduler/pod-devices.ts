import { claimNameOf, consumerOf, isClaimForPod } from "../../api/device-claims.ts";
import { compileNodeSelector } from "../../api/node-selector.ts";
import type { Stored } from "../../api/object.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import type {
  DeviceClass,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceSlice,
} from "../../api/types/resource-v1.gen.ts";
import { EvaluationError } from "../../cel/values.ts";
import type { Lister } from "../../cache/store/lister.ts";
import {
  allocateDevices,
  type AskedDevices,
  type ClaimRequests,
  type DeviceRequest,
  type SameAttribute,
} from "./allocate-devices.ts";
import { deviceFilter } from "./device-filter.ts";
import { deviceKey, type NodeDevices } from "./node-devices.ts";

/** Index of claims by the devices that they have. */
export const CLAIMS_OF_DEVICE = "devicesToSchedule";
const MOST_CONSUMERS = 256;

export interface DeviceListers {
  /** With the index CLAIMS_OF_DEVICE. */
  readonly deviceClaims: Pick<Lister<ResourceClaim>, "get" | "byIndex">;
  readonly slices: Pick<Lister<ResourceSlice>, "list">;
  readonly deviceClasses: Pick<Lister<DeviceClass>, "get">;
}

/** What a pod asks of devices, once all of its claims are there. */
export interface PodDevices {
  /** Each is to be reserved for the pod, if it is not yet. */
  readonly allocated: readonly Stored<ResourceClaim>[];
  readonly unallocated: readonly ClaimToAllocate[];
}

interface ClaimToAllocate extends ClaimRequests {
  readonly claim: Stored<ResourceClaim>;
}

type NamedRequest = ExactDeviceRequest & { readonly name: string };

/** What is to be written before the pod can go to the node. */
export interface ClaimWrite {
  readonly claim: Stored<ResourceClaim>;
  readonly status: ResourceClaimStatus;
}

export function devicesOfClaim({ status }: Pick<ResourceClaim, "status">): readonly string[] {
  return (status?.allocation?.devices?.results ?? []).map(deviceKey);
}

/** The claims of the pod, or why it has to wait wherever there is room. */
export function podDevices(pod: Stored<Pod>, listers: DeviceListers): PodDevices | string {
  const allocated: Stored<ResourceClaim>[] = [];
  const unallocated: ClaimToAllocate[] = [];
  for (const each of pod.spec?.resourceClaims ?? []) {
    const named = claimNameOf(pod, each);
    if (named.kind === "not-needed") continue;
    if (named.kind !== "named") return `resource claim "${each.name}" was not made yet`;
    const claim = listers.deviceClaims.get(pod.metadata.namespace, named.name);
    if (claim === undefined || (named.isMade && !isClaimForPod(pod, claim, false)))
      return `resourceclaim "${named.name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `resourceclaim "${named.name}" is being deleted`;
    // A pod may use one claim under several names.
    const isKnown = [...allocated, ...unallocated.map((other) => other.claim)].includes(claim);
    if (isKnown) continue;
    if (claim.status?.allocation !== undefined) allocated.push(claim);
    else {
      const requests = requestsOf(claim, listers);
      if (typeof requests === "string") return requests;
      unallocated.push({ claim, ...requests });
    }
  }
  return { allocated, unallocated };
}

function requestsOf(
  { metadata: { name }, spec }: Stored<ResourceClaim>,
  classes: Pick<DeviceListers, "deviceClasses">,
): ClaimRequests | string {
  const { constraints = [], requests = [] } = spec.devices ?? {};
  const unknown = `resourceclaim "${name}" asks for devices in a way that this scheduler does not know`;
  const same: SameAttribute[] = [];
  for (const { matchAttribute, requests: named = [] } of constraints) {
    if (matchAttribute === undefined) return unknown;
    same.push({ attribute: matchAttribute, requests: named });
  }
  const wanted: DeviceRequest[] = [];
  for (const { exactly, firstAvailable = [], name: request } of requests) {
    const alternatives: AskedDevices[] = [];
    const named =
      exactly === undefined
        ? firstAvailable.map((each) => ({ ...each, name: `${request}/${each.name}` }))
        : [{ ...exactly, name: request }];
    for (const each of named) {
      if (!isKnownWay(each)) return unknown;
      const asked = askedDevices(each, classes);
      if (typeof asked === "string") return asked;
      alternatives.push(asked);
    }
    wanted.push({ name: request, alternatives });
  }
  return { requests: wanted, constraints: same };
}

const isKnownWay = ({ adminAccess, allocationMode = "ExactCount", capacity }: ExactDeviceRequest): boolean =>
  (allocationMode === "ExactCount" || allocationMode === "All") &&
  adminAccess !== true &&
  capacity === undefined;

function askedDevices(
  { allocationMode, count = 1, deviceClassName, name, selectors = [], tolerations }: NamedRequest,
  { deviceClasses }: Pick<DeviceListers, "deviceClasses">,
): AskedDevices | string {
  const found = deviceClasses.get("", deviceClassName);
  if (found === undefined) return `could not find device class "${deviceClassName}"`;
  const filter = deviceFilter([...(found.spec.selectors ?? []), ...selectors], tolerations);
  if (typeof filter === "string") return filter;
  return { name, count: allocationMode === "All" ? "all" : Number(count), ...filter };
}

/** Devices that others are about to get, beside those that the cache knows of. */
export type IsTaken = (device: string) => boolean;

/** A node, and what it has to offer. */
export interface DeviceOffer {
  readonly node: Node;
  readonly offered: NodeDevices;
  readonly isTaken: IsTaken;
}

/** What the claims of the pod become on the node; a text says why it cannot go there. */
export function devicesOnNode(
  pod: Stored<Pod>,
  { allocated, unallocated }: PodDevices,
  { node, offered, isTaken }: DeviceOffer,
): readonly ClaimWrite[] | string {
  const consumer = consumerOf(pod, "pods");
  const writes: ClaimWrite[] = [];
  for (const claim of allocated) {
    const { allocation, reservedFor = [] } = claim.status ?? {};
    const selector = allocation?.nodeSelector;
    if (selector !== undefined && !compileNodeSelector(selector).matches(node))
      return "resourceclaim not available on the node";
    if (reservedFor.some(({ uid }) => uid === consumer.uid)) continue;
    if (reservedFor.length >= MOST_CONSUMERS) return "resourceclaim in use";
    writes.push({ claim, status: { ...claim.status, reservedFor: [...reservedFor, consumer] } });
  }
  const picked = new Set<string>();
  for (const { claim, ...asked } of unallocated) {
    const results = allocateDevices(asked, offered, (key) => picked.has(key) || isTaken(key));
    if (results === undefined) return "cannot allocate all claims";
    for (const result of results) picked.add(deviceKey(result));
    const isLocal = offered.slices.some(
      ({ spec }) =>
        spec.allNodes !== true &&
        results.some(({ pool, driver }) => spec.pool.name === pool && spec.driver === driver),
    );
    const nodeSelector = {
      nodeSelectorTerms: [
        { matchFields: [{ key: "metadata.name", operator: "In", values: [node.metadata.name ?? ""] }] },
      ],
    };
    const allocation = { devices: { results }, ...(isLocal && { nodeSelector }) };
    writes.push({ claim, status: { ...claim.status, allocation, reservedFor: [consumer] } });
  }
  return writes;
}

/** What went wrong with a selector is said of the pod, not thrown at the scheduler. */
export function orProblem<T>(decide: () => T): T | string {
  try {
    return decide();
  } catch (error) {
    if (error instanceof EvaluationError) return `a selector of devices failed: ${error.message}`;
    throw error;
  }
}
