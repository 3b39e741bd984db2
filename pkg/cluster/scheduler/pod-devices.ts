import { claimNameOf, consumerOf, isClaimForPod } from "../../api/device-claims.ts";
import { compileNodeSelector } from "../../api/node-selector.ts";
import type { Stored } from "../../api/object.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import type {
  DeviceClass,
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceSlice,
} from "../../api/types/resource-v1.gen.ts";
import { EvaluationError } from "../../cel/values.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { type DeviceFilter, deviceFilter, fits } from "./device-filter.ts";

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
  readonly unallocated: readonly ClaimRequests[];
}

interface ClaimRequests {
  readonly claim: Stored<ResourceClaim>;
  readonly requests: readonly AskedDevices[];
}

interface AskedDevices extends DeviceFilter {
  readonly name: string;
  readonly count: number;
}

/** What is to be written before the pod can go to the node. */
export interface ClaimWrite {
  readonly claim: Stored<ResourceClaim>;
  readonly status: ResourceClaimStatus;
}

export function deviceKey({
  driver,
  pool,
  device,
}: Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device">): string {
  return `${driver}/${pool}/${device}`;
}

export function devicesOfClaim({ status }: Pick<ResourceClaim, "status">): readonly string[] {
  return (status?.allocation?.devices?.results ?? []).map(deviceKey);
}

/** The claims of the pod, or why it has to wait wherever there is room. */
export function podDevices(pod: Stored<Pod>, listers: DeviceListers): PodDevices | string {
  const allocated: Stored<ResourceClaim>[] = [];
  const unallocated: ClaimRequests[] = [];
  for (const each of pod.spec?.resourceClaims ?? []) {
    const named = claimNameOf(pod, each);
    if (named.kind === "not-needed") continue;
    if (named.kind !== "named") return `resource claim "${each.name}" was not made yet`;
    const claim = listers.deviceClaims.get(pod.metadata.namespace, named.name);
    if (claim === undefined || (named.isMade && !isClaimForPod(pod, claim, false)))
      return `resourceclaim "${named.name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `resourceclaim "${named.name}" is being deleted`;
    if (claim.status?.allocation !== undefined) allocated.push(claim);
    else {
      const requests = requestsOf(claim, listers);
      if (typeof requests === "string") return requests;
      unallocated.push({ claim, requests });
    }
  }
  return { allocated, unallocated };
}

const isSimple = (exactly: ExactDeviceRequest | undefined): exactly is ExactDeviceRequest =>
  exactly !== undefined &&
  (exactly.allocationMode ?? "ExactCount") === "ExactCount" &&
  exactly.adminAccess !== true &&
  exactly.capacity === undefined;

function requestsOf(
  { metadata: { name }, spec }: Stored<ResourceClaim>,
  { deviceClasses }: Pick<DeviceListers, "deviceClasses">,
): readonly AskedDevices[] | string {
  const { constraints = [], requests = [] } = spec.devices ?? {};
  const asked: AskedDevices[] = [];
  for (const request of requests) {
    const { exactly } = request;
    if (constraints.length > 0 || !isSimple(exactly))
      return `resourceclaim "${name}" asks for devices in a way that this scheduler does not know`;
    const found = deviceClasses.get("", exactly.deviceClassName);
    if (found === undefined) return `could not find device class "${exactly.deviceClassName}"`;
    const filter = deviceFilter(
      [...(found.spec.selectors ?? []), ...(exactly.selectors ?? [])],
      exactly.tolerations,
    );
    if (typeof filter === "string") return filter;
    asked.push({ name: request.name, count: Number(exactly.count ?? 1), ...filter });
  }
  return asked;
}

/** Devices that others are about to get, beside those that the cache knows of. */
export type IsTaken = (device: string) => boolean;

/** What there is of devices on a node. */
export interface NodeDevices {
  readonly node: Node;
  readonly offered: readonly ResourceSlice[];
  readonly isTaken: IsTaken;
}

/** What the claims of the pod become on the node; a text says why it cannot go there. */
export function devicesOnNode(
  pod: Stored<Pod>,
  { allocated, unallocated }: PodDevices,
  { node, offered, isTaken }: NodeDevices,
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
  for (const { claim, requests } of unallocated) {
    const results = requests.flatMap((asked) =>
      pick(asked, offered, (key) => picked.has(key) || isTaken(key), picked),
    );
    const wanted = requests.reduce((sum, { count }) => sum + count, 0);
    if (results.length < wanted) return "cannot allocate all claims";
    const isLocal = offered.some(
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

/** The first devices that fit. */
function pick(
  { name, count, ...filter }: AskedDevices,
  offered: readonly ResourceSlice[],
  isTaken: IsTaken,
  picked: Set<string>,
): readonly DeviceRequestAllocationResult[] {
  const results: DeviceRequestAllocationResult[] = [];
  for (const { spec } of offered)
    for (const device of spec.devices ?? []) {
      if (results.length === count) return results;
      const ref = { driver: spec.driver, pool: spec.pool.name, device: device.name };
      const key = deviceKey(ref);
      if (isTaken(key) || !fits(spec.driver, device, filter)) continue;
      picked.add(key);
      const { tolerations } = filter;
      results.push({ request: name, ...ref, ...(tolerations.length > 0 && { tolerations }) });
    }
  return results;
}

/** The slices of complete pools that the node can use. Of a pool only its newest generation counts. */
export function slicesForNode(slices: readonly ResourceSlice[], node: Node): readonly ResourceSlice[] {
  const pools = Map.groupBy(slices, ({ spec }) => `${spec.driver}/${spec.pool.name}`);
  return [...pools.values()].flatMap((ofPool) => {
    const newest = ofPool.reduce(
      (most, { spec }) => (spec.pool.generation > most ? spec.pool.generation : most),
      ofPool[0]?.spec.pool.generation ?? 0,
    );
    const current = ofPool.filter(({ spec }) => spec.pool.generation >= newest);
    const isComplete = current.every(({ spec }) => current.length >= spec.pool.resourceSliceCount);
    return isComplete ? current.filter((slice) => isForNode(slice, node)) : [];
  });
}

function isForNode({ spec }: ResourceSlice, node: Node): boolean {
  if (spec.nodeName !== undefined) return spec.nodeName === node.metadata.name;
  if (spec.nodeSelector !== undefined) return compileNodeSelector(spec.nodeSelector).matches(node);
  return spec.allNodes === true;
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
