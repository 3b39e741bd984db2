import { CLAIM_FINALIZER, isGroupConsumer, isPodConsumer } from "../../pkg/api/device-claims.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../pkg/api/types/resource-v1.gen.ts";
import { readLive } from "../../pkg/controller/read-live.ts";
import { againWhenOutrun } from "../../pkg/controller/protection.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { isDone } from "./claim-use.ts";
import type { ResourceClaimContext } from "./context.ts";

type ClaimSync = OwnerSync<ResourceClaim>;
type Consumer = ResourceClaimConsumerReference;

/**
 * Takes the reservations of those from a claim who are gone or done. One that nobody uses any more loses its devices, and
 * with them what keeps it from going; one that was made for a pod which is done goes before the pod does.
 */
export async function syncClaim(sync: ClaimSync, context: ResourceClaimContext): Promise<SyncResult> {
  return againWhenOutrun(async () => {
    const { owner: claim } = sync;
    // The cache may show the write before that, as what goes with it has no version of its own.
    if (context.letGo.has(claim.metadata.uid)) return {};
    const { reservedFor = [] } = claim.status ?? {};
    const remaining: Consumer[] = [];
    for (const consumer of reservedFor) if (await mayUse(sync, context, consumer)) remaining.push(consumer);
    if (remaining.length < reservedFor.length) await release(sync, context, remaining);
    else if (remaining.length === 0 && isLeaving(claim) && isHeld(claim))
      await letGo(sync, context, await deallocated(sync, context));
    if (remaining.length === 0 && !isLeaving(claim)) await removeUnneeded(sync, context);
    return {};
  });
}

const isLeaving = ({ metadata }: ResourceClaim): boolean => metadata.deletionTimestamp !== undefined;
const isHeld = ({ metadata }: ResourceClaim): boolean =>
  metadata.finalizers?.includes(CLAIM_FINALIZER) === true;

/** Of others than pods and groups nothing is known: they keep what they have. */
async function mayUse(sync: ClaimSync, context: ResourceClaimContext, consumer: Consumer): Promise<boolean> {
  if (isPodConsumer(consumer)) return podMayUse(sync, context, consumer);
  const { ofGroups, gone } = context;
  if (ofGroups === undefined || !isGroupConsumer(consumer)) return true;
  if (gone.has(consumer.uid)) return false;
  const { namespace } = sync.owner.metadata;
  const group = ofGroups.groups.lister.get(namespace, consumer.name);
  if (group?.metadata.uid === consumer.uid) return true;
  return (await readLive(ofGroups.client, { ...consumer, namespace }, sync.signal)) !== undefined;
}

/**
 * What the cache has under the name of the pod tells of this very pod, or of nothing: it may be behind, and whoever is
 * being scheduled must not lose devices.
 */
async function podMayUse(sync: ClaimSync, context: ResourceClaimContext, pod: Consumer): Promise<boolean> {
  if (context.gone.has(pod.uid)) return false;
  const { namespace } = sync.owner.metadata;
  const known = context.pods.lister.get(namespace, pod.name);
  if (known?.metadata.uid === pod.uid) return !isDone(known);
  return (await readLive(context.podClient, { ...pod, namespace }, sync.signal)) !== undefined;
}

async function release(
  sync: ClaimSync,
  context: ResourceClaimContext,
  remaining: readonly Consumer[],
): Promise<void> {
  const { owner: claim } = sync;
  const isUnused = remaining.length === 0 && isHeld(claim);
  sync.decided("Some that the claim was reserved for are gone or done", {
    remaining: remaining.length,
    deallocated: isUnused,
  });
  const { allocation, ...status } = claim.status ?? {};
  const kept = isUnused || allocation === undefined ? {} : { allocation };
  const released = await context.ofClaims.writes.updateStatus(sync, {
    ...claim,
    status: { ...status, ...kept, reservedFor: remaining },
  });
  if (released.status?.allocation === undefined && isHeld(released)) await letGo(sync, context, released);
}

/** It can be allocated while nobody uses it, and deleted then. */
async function deallocated(sync: ClaimSync, context: ResourceClaimContext): Promise<Stored<ResourceClaim>> {
  const { owner: claim } = sync;
  const { allocation, ...status } = claim.status ?? {};
  sync.decided("It is being deleted, and not used", { deallocated: allocation !== undefined });
  if (allocation === undefined) return claim;
  return context.ofClaims.writes.updateStatus(sync, { ...claim, status });
}

async function letGo(
  sync: ClaimSync,
  { letGo: done, ofClaims }: ResourceClaimContext,
  claim: Stored<ResourceClaim>,
): Promise<void> {
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== CLAIM_FINALIZER);
  await ofClaims.writes.update(sync, { ...claim, metadata: { ...claim.metadata, finalizers } });
  if (isLeaving(claim)) done.add(claim.metadata.uid);
}

/** A claim goes with its pod by itself; but pods that are done may stay for long. */
async function removeUnneeded(sync: ClaimSync, context: ResourceClaimContext): Promise<void> {
  const { owner: claim } = sync;
  const owner = controllerOf(claim);
  if (owner === undefined || owner.apiVersion !== "v1" || owner.kind !== "Pod") return;
  const { namespace } = claim.metadata;
  const pod = context.pods.lister.get(namespace, owner.name);
  // A pod that is not there may have yet to come, and if it is gone the garbage collector sees to the claim.
  if (pod === undefined) return;
  const isNeeded =
    pod.metadata.uid === owner.uid
      ? !isDone(pod)
      : !context.gone.has(owner.uid) &&
        (await readLive(context.podClient, { ...owner, namespace }, sync.signal)) !== undefined;
  if (isNeeded) return;
  sync.decided("The pod that it was made for is done, or gone");
  await context.ofClaims.writes.remove(sync, claim);
}
