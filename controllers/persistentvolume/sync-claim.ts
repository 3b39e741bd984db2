import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import {
  BIND_COMPLETED,
  classOf,
  defaultClass,
  isAnnotated,
  isDelayed,
  isFor,
  namesClass,
  VOLUMES_OF_CLAIM,
} from "../../pkg/api/volumes/claim-facts.ts";
import { canHold } from "../../pkg/api/volumes/fit.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { bind, type ClaimSync, setClaimStatus, tell } from "./apply.ts";
import { volumelessStatus } from "./bindings.ts";
import { offerIfFree, type PersistentVolumeContext, volumeNamed } from "./context.ts";
import { type ClaimPlan, type ClaimView, decideClaim, type ObjectEvent } from "./decide-claim.ts";
import { isOver } from "./fields.ts";
import { withMigrationOfClaim } from "./migration.ts";
import { liveVolumeNamed } from "./sync-live.ts";
import { provision } from "./sync-provision.ts";

type Claim = Stored<PersistentVolumeClaim>;
type Volume = Stored<PersistentVolume>;
type Plan = ClaimPlan<Volume>;

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncClaim */
export async function syncClaim(sync: ClaimSync, context: PersistentVolumeContext): Promise<SyncResult> {
  const { owner, key } = sync;
  context.waiting.remove(key);
  try {
    const migrated = withMigrationOfClaim(owner);
    const claim = migrated === owner ? owner : await context.claimWrites.update(sync, migrated);
    const plan = await planFor(sync, claim, context);
    return await carryOut(sync, claim, plan, context);
  } catch (error) {
    // It is gone, or somebody was quicker, which the caches are about to hear of.
    if (isNotFound(error) || isConflict(error)) return { backOff: true };
    throw error;
  } finally {
    offerAgain(key, context);
  }
}

/** What the claim was offered and has not taken is for others. */
export function offerAgain(key: string, context: PersistentVolumeContext): void {
  for (const name of context.waiting.takeOffers(key)) offerIfFree(context, name, context.wake.claim);
}

/** Nothing is awaited between a look at the volumes and a binding, so that nobody gets in between. */
async function planFor(sync: ClaimSync, claim: Claim, context: PersistentVolumeContext): Promise<Plan> {
  const view = viewOf(claim, context);
  const plan = decideClaim(claim, view);
  const name = claim.spec?.volumeName ?? "";
  if (plan.do !== "lose" || name === "" || claim.status?.phase === "Lost") return plan;
  // Caches may be behind one another: that a claim has lost its volume is believed of the server only.
  const named = await liveVolumeNamed(context, name, sync.signal);
  return decideClaim(claim, { ...view, named });
}

function viewOf(claim: Claim, context: PersistentVolumeContext): ClaimView<Volume> {
  const { classes, pods, settings } = context;
  const name = claim.spec?.volumeName ?? "";
  const storageClass = classes.lister.get(undefined, classOf(claim));
  const common = { storageClass, provisions: settings.provisions };
  const nothing = { named: undefined, found: undefined, defaultClass: undefined, waitingPods: [] };
  if (name !== "") return { ...common, ...nothing, named: volumeNamed(context, name) };
  if (isAnnotated(claim, BIND_COMPLETED)) return { ...common, ...nothing };
  const delayed = isDelayed(storageClass);
  const found = keptFor(claim, context) ?? (delayed ? undefined : context.free.find(claim));
  const using = delayed && found === undefined ? pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(claim)) : [];
  return {
    ...common,
    named: undefined,
    found,
    defaultClass: namesClass(claim) ? undefined : defaultClass(classes.lister.list()),
    waitingPods: using
      .filter((pod) => !isOver(pod) && (pod.spec?.nodeName ?? "") === "")
      .map(({ metadata }) => metadata.name),
  };
}

/** The volume that somebody keeps for the claim, whatever else there is; of several the one with fewest access modes. */
function keptFor(claim: Claim, context: PersistentVolumeContext): Volume | undefined {
  const modes = ({ spec }: Volume): number => spec?.accessModes?.length ?? 0;
  return context.volumes.lister
    .byIndex(VOLUMES_OF_CLAIM, keyOf(claim))
    .flatMap(({ metadata }) => volumeNamed(context, metadata.name) ?? [])
    .filter((volume) => isFor(volume, claim) && canHold(volume, claim))
    .toSorted((one, other) => modes(one) - modes(other) || (one.metadata.name < other.metadata.name ? -1 : 1))
    .at(0);
}

async function carryOut(
  sync: ClaimSync,
  claim: Claim,
  plan: Plan,
  context: PersistentVolumeContext,
): Promise<SyncResult> {
  if (plan.do === "bind") return bind(sync, claim, plan.volume, context);
  if (plan.do === "provision" || plan.do === "tell" || plan.do === "nothing" || plan.do === "wait")
    awaitVolume(claim, context);
  if (plan.do === "provision") return provision(sync, claim, plan, context);
  if (plan.do === "take class") await takeClass(sync, claim, plan.className, context);
  if (plan.do === "lose") await lose(sync, claim, plan.event, context);
  if ((plan.do === "tell" || plan.do === "fail" || plan.do === "wait") && plan.event !== undefined)
    tell(context, claim, plan.event);
  if (plan.do === "fail") throw new Error(plan.problem);
  if (plan.do === "wait") await setClaimStatus(sync, claim, volumelessStatus(claim, "Pending"), context);
  return {};
}

/** That it is lost is told once. */
async function lose(
  sync: ClaimSync,
  claim: Claim,
  event: ObjectEvent,
  context: PersistentVolumeContext,
): Promise<void> {
  if (claim.status?.phase === "Lost") return;
  await setClaimStatus(sync, claim, volumelessStatus(claim, "Lost"), context);
  tell(context, claim, event);
}

/** The next volume that becomes free and is for the claim wakes it, unless it names one or binds with its pod only. */
function awaitVolume(claim: Claim, { waiting, classes }: PersistentVolumeContext): void {
  if ((claim.spec?.volumeName ?? "") !== "") return;
  if (!isDelayed(classes.lister.get(undefined, classOf(claim)))) waiting.add(claim);
}

/** upstream: pv_controller.go#assignDefaultStorageClass */
async function takeClass(
  sync: ClaimSync,
  claim: Claim,
  className: string,
  { claimWrites, retroactive }: PersistentVolumeContext,
): Promise<void> {
  sync.decided("It takes the default class", { class: className });
  retroactive.all.inc();
  try {
    await claimWrites.update(sync, { ...claim, spec: { ...claim.spec, storageClassName: className } });
  } catch (error) {
    retroactive.errors.inc();
    throw error;
  }
}
