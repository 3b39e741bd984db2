import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import type { StorageClass } from "../../api/types/storage-v1.gen.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOf,
  isAnnotated,
  isFor,
  namesClass,
  SELECTED_NODE,
} from "./claim-facts.ts";
import { findVolume, mismatch } from "./find-volume.ts";

export interface ClaimEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What becomes of a claim. */
export type ClaimPlan =
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  /** It stays pending. */
  | { readonly do: "wait"; readonly event?: ClaimEvent }
  | { readonly do: "take class"; readonly className: string }
  | { readonly do: "ask"; readonly provisioner: string; readonly event: ClaimEvent }
  | { readonly do: "fail"; readonly event: ClaimEvent }
  | { readonly do: "lose"; readonly event: ClaimEvent };

/** What is known beside the claim. */
export interface ClaimView {
  /** The volume that the claim names. */
  readonly named: PersistentVolume | undefined;
  /** Volumes that nobody has, and those that are kept for the claim. */
  readonly candidates: readonly PersistentVolume[];
  /** The class that the claim names. */
  readonly storageClass: StorageClass | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** Names of pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[];
}

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncClaim */
export function decideClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  if (isAnnotated(claim, BIND_COMPLETED)) return decideBoundClaim(claim, view);
  return (claim.spec?.volumeName ?? "") === ""
    ? decideFreeClaim(claim, view)
    : decideNamedVolume(claim, view);
}

function decideBoundClaim(claim: PersistentVolumeClaim, { named }: ClaimView): ClaimPlan {
  const lost = (reason: string, message: string): ClaimPlan => ({
    do: "lose",
    event: { type: "Warning", reason, message },
  });
  if ((claim.spec?.volumeName ?? "") === "")
    return lost(
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  if (named === undefined)
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const { claimRef } = named.spec ?? {};
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { do: "bind", volume: named };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

/** The user does not mind which volume it is. */
function decideFreeClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const { storageClass, defaultClass, candidates } = view;
  const delayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = findVolume({ claim, delayed }, candidates);
  if (volume !== undefined) return { do: "bind", volume };
  if (!namesClass(claim) && defaultClass?.metadata.name !== undefined)
    return { do: "take class", className: defaultClass.metadata.name };
  if (delayed && !isAnnotated(claim, SELECTED_NODE)) return { do: "wait", event: waiting(view.waitingPods) };
  const className = classOf(claim);
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { do: "wait", event: { type: "Normal", reason: "FailedBinding", message } };
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`;
    return { do: "wait", event: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  return provisioning(storageClass.provisioner);
}

function provisioning(provisioner: string): ClaimPlan {
  if (provisioner.startsWith("kubernetes.io/")) {
    const message = "no volume plugin matched";
    return { do: "wait", event: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  return { do: "ask", provisioner, event: { type: "Normal", reason: "ExternalProvisioning", message } };
}

function waiting(pods: readonly string[]): ClaimEvent {
  if (pods.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const noun = pods.length === 1 ? "pod" : "pods";
  const message = `waiting for ${noun} ${pods.join(",")} to be scheduled`;
  return { type: "Normal", reason: "WaitForPodScheduled", message };
}

/** The user asks for one volume. */
function decideNamedVolume(claim: PersistentVolumeClaim, { named }: ClaimView): ClaimPlan {
  if (named === undefined) return { do: "wait" };
  const name = JSON.stringify(named.metadata.name);
  if (named.spec?.claimRef === undefined) {
    const problem = mismatch(named, claim);
    if (problem === undefined) return { do: "bind", volume: named };
    const message = `Cannot bind to requested volume ${name}: ${problem}`;
    return { do: "wait", event: { type: "Warning", reason: "VolumeMismatch", message } };
  }
  if (isFor(named, claim)) return { do: "bind", volume: named };
  const message = `volume ${name} already bound to a different claim.`;
  const event = { type: "Warning", reason: "FailedBinding", message } as const;
  // Somebody has taken the mark of its completion off the claim.
  return isAnnotated(claim, BOUND_BY_CONTROLLER) ? { do: "fail", event } : { do: "wait", event };
}
