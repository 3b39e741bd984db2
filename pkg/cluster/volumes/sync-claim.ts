import { keyOf, type Stored } from "../../api/object.ts";
import { isPodTerminal } from "../../api/pod.ts";
import { resources } from "../../api/resources.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../api/types/core-v1.gen.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { type BinderContext, volumeWritten } from "./binder-context.ts";
import { boundClaim, boundVolume, claimStatus } from "./bindings.ts";
import {
  BETA_STORAGE_PROVISIONER,
  classOf,
  CLAIMS_OF_PODS,
  defaultClass,
  STORAGE_PROVISIONER,
  VOLUMES_OF_CLAIM,
  withAnnotations,
} from "./claim-facts.ts";
import { type ClaimPlan, type ClaimView, decideClaim } from "./decide-claim.ts";

type ClaimSync = OwnerSync<PersistentVolumeClaim>;

export async function syncClaim(sync: ClaimSync, context: BinderContext): Promise<SyncResult> {
  const { owner: claim } = sync;
  const plan = decideClaim(claim, claimView(claim, context));
  try {
    return await carryOut(sync, context, plan);
  } catch (error) {
    // It is gone, or somebody was quicker, which the caches are about to hear of.
    if (isNotFound(error) || isConflict(error)) return { backOff: true };
    throw error;
  }
}

function claimView(claim: PersistentVolumeClaim, context: BinderContext): ClaimView {
  const { volumes, classes, pods } = context;
  const key = keyOf(claim);
  const named = claim.spec?.volumeName ?? "";
  const candidates = [
    ...volumes.lister.byIndex(VOLUMES_OF_CLAIM, key),
    ...volumes.lister.byIndex(VOLUMES_OF_CLAIM, ""),
  ];
  const waitingPods = pods.lister
    .byIndex(CLAIMS_OF_PODS, key)
    .filter((pod) => !isPodTerminal(pod) && (pod.spec?.nodeName ?? "") === "")
    .map(({ metadata }) => metadata.name ?? "");
  return {
    named: named === "" ? undefined : volumes.lister.get(undefined, named),
    candidates,
    storageClass: classes.lister.get(undefined, classOf(claim)),
    defaultClass: defaultClass(classes.lister.list()),
    waitingPods,
  };
}

async function carryOut(sync: ClaimSync, context: BinderContext, plan: ClaimPlan): Promise<SyncResult> {
  const { owner: claim, signal } = sync;
  const isKnown = plan.do === "lose" && claim.status?.phase === "Lost";
  switch (plan.do) {
    case "bind":
      await bind(sync, context, plan.volume);
      break;
    case "take class": {
      sync.decided("It takes the default class", { class: plan.className });
      const spec = { ...claim.spec, storageClassName: plan.className };
      await writeClaim({ ...claim, spec }, context, signal);
      break;
    }
    case "ask":
      await askFor(sync, context, plan.provisioner);
      break;
    case "lose":
      if (!isKnown) await writeStatus(claim, claimStatus(claim, "Lost"), context, signal);
      break;
    case "wait":
      await writeStatus(claim, claimStatus(claim, "Pending"), context, signal);
      break;
    case "fail":
  }
  if ("event" in plan && plan.event !== undefined && !isKnown)
    context.events.event(claim, plan.event.type, plan.event.reason, plan.event.message);
  return plan.do === "fail" ? { backOff: true } : {};
}

async function askFor(sync: ClaimSync, context: BinderContext, provisioner: string): Promise<void> {
  const { owner: claim, signal } = sync;
  if (claim.metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return;
  sync.decided("A volume is to be made", { provisioner });
  const asked = { [BETA_STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER]: provisioner };
  await writeClaim(withAnnotations(claim, asked), context, signal);
}

/** The volume first, so that no other claim gets it; each step is repeated by the next sync if it fails. */
async function bind(sync: ClaimSync, context: BinderContext, found: PersistentVolume): Promise<void> {
  const { owner, signal } = sync;
  const { volumeClient, ofClaims } = context;
  const written = (answer: Stored<PersistentVolume>): PersistentVolume => {
    volumeWritten(context, answer, { ofClaims, claim: owner });
    return answer;
  };
  let volume = boundVolume(found, owner);
  if (volume !== found) {
    sync.decided("It gets the volume", { volume: volume.metadata.name });
    volume = written(await volumeClient.update(volume, {}, signal));
  }
  if (volume.status?.phase !== "Bound") {
    const { message: _, ...status } = volume.status ?? {};
    volume = written(
      await volumeClient.updateStatus({ ...volume, status: { ...status, phase: "Bound" } }, {}, signal),
    );
  }
  let claim = boundClaim(owner, volume);
  if (claim !== owner) claim = await writeClaim(claim, context, signal);
  await writeStatus(claim, claimStatus(claim, "Bound", volume), context, signal);
}

async function writeClaim(
  claim: PersistentVolumeClaim,
  { claimClient, ofClaims }: BinderContext,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const answer = await claimClient.update(claim, {}, signal);
  ofClaims.wroteFor(answer, resources.persistentVolumeClaims, answer);
  return answer;
}

async function writeStatus(
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaimStatus,
  { claimClient, ofClaims }: BinderContext,
  signal: AbortSignal,
): Promise<void> {
  if (status === claim.status) return;
  const answer = await claimClient.updateStatus({ ...claim, status }, {}, signal);
  ofClaims.wroteFor(answer, resources.persistentVolumeClaims, answer);
}
