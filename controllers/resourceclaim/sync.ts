import {
  claimNameOf,
  consumerOf,
  groupNameOf,
  isClaimForPod,
  isClaimOfGroup,
} from "../../pkg/api/device-claims.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { isClaimForGroup, isOnNode, lacksReservation, mayNeedClaims } from "./claim-use.ts";
import { type GroupContext, groupOf, type ResourceClaimContext } from "./context.ts";
import type { CachedGroup, CachedPod } from "./fields.ts";
import { makeClaims, type User } from "./sync-made-claims.ts";

type PodSync = OwnerSync<CachedPod>;

const FIELD_MANAGER = "ResourceClaimController";
const APPLY_STATUS = { fieldManager: FIELD_MANAGER, force: true, subresource: "status" } as const;

/** Sees to it that the pod has the claims of its templates and knows them, and that it may use them on its node. */
export async function syncPod(sync: PodSync, context: ResourceClaimContext): Promise<SyncResult> {
  const { owner: pod } = sync;
  if (!mayNeedClaims(pod)) return {};
  const group = groupOf(context, pod);
  if (group === "missing")
    throw new Error(`get PodGroup for Pod ${keyOf(pod)}: podgroup "${groupNameOf(pod) ?? ""}" not found`);
  const statuses = await makeClaims(sync, context, userOfPod(context, pod, group));
  if (statuses !== undefined) {
    const { namespace, name, uid } = pod.metadata;
    const named = { metadata: { namespace, name, uid }, status: { resourceClaimStatuses: statuses } };
    await context.podWrites.apply(sync, named, APPLY_STATUS);
  }
  const told = { ...pod, status: { ...pod.status, ...(statuses && { resourceClaimStatuses: statuses }) } };
  if (isOnNode(pod)) await reserveClaims(sync, context, { pod: told, group });
  return {};
}

function userOfPod(
  context: ResourceClaimContext,
  pod: Stored<CachedPod>,
  group: Stored<CachedGroup> | undefined,
): User {
  return {
    claimKind: "PodResourceClaim",
    resource: resources.pods,
    writes: context.claimWrites,
    owns: (claim) => isClaimForPod(pod, claim, context.ofGroups !== undefined),
    groupOf: (wanted) => (group !== undefined && isClaimOfGroup(wanted, group) ? group : undefined),
  };
}

interface Members {
  /** With the names of the claims that it has just got. */
  readonly pod: Stored<CachedPod>;
  readonly group: Stored<CachedGroup> | undefined;
}

async function reserveClaims(
  sync: PodSync,
  context: ResourceClaimContext,
  { pod, group }: Members,
): Promise<void> {
  const withGroups = context.ofGroups !== undefined;
  for (const wanted of pod.spec?.resourceClaims ?? []) {
    const named = claimNameOf(pod, wanted);
    if (named.kind !== "named") continue;
    const claim = context.claims.lister.get(pod.metadata.namespace, named.name);
    // The pod is woken when it comes.
    if (claim === undefined) return;
    if (named.isMade && !isClaimForPod(pod, claim, withGroups))
      throw new Error(
        `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`,
      );
    if (!lacksReservation(pod, claim, withGroups)) continue;
    sync.decided("A claim is reserved for a pod on its node", { claim: named.name });
    const ofGroup = group !== undefined && isClaimOfGroup(wanted, group);
    const consumer = ofGroup ? consumerOf(group, "podgroups") : consumerOf(pod, "pods");
    await context.claimWrites.updateStatusUnread(sync, reservedFor(claim, consumer));
  }
}

function reservedFor(
  claim: Stored<ResourceClaim>,
  consumer: ReturnType<typeof consumerOf>,
): Stored<ResourceClaim> {
  const { reservedFor: others = [] } = claim.status ?? {};
  return { ...claim, status: { ...claim.status, reservedFor: [...others, consumer] } };
}

/** The same for a group of pods: it has claims, and its pods use them. */
export async function syncGroup(
  sync: OwnerSync<CachedGroup>,
  context: ResourceClaimContext,
  { claimWrites, writes }: GroupContext,
): Promise<SyncResult> {
  const { owner: group } = sync;
  if (group.metadata.deletionTimestamp !== undefined) return {};
  const statuses = await makeClaims(sync, context, {
    claimKind: "PodGroupResourceClaim",
    resource: resources.podGroups,
    writes: claimWrites,
    owns: (claim) => isClaimForGroup(group, claim),
    groupOf: () => undefined,
  });
  if (statuses !== undefined) {
    const { namespace, name, uid } = group.metadata;
    const named = { metadata: { namespace, name, uid }, status: { resourceClaimStatuses: statuses } };
    await writes.apply(sync, named, APPLY_STATUS);
  }
  return {};
}
