import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOf,
  isAnnotated,
  isDelayed,
  isFor,
  namesClass,
  SELECTED_NODE,
} from "../../pkg/api/volumes/claim-facts.ts";
import { mismatch } from "../../pkg/api/volumes/fit.ts";
import { type Doer, provisionerOf } from "./plugins.ts";

export interface ObjectEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

type Maker = Exclude<Doer, { by: "nobody" }>;

/** What becomes of a claim. */
export type ClaimPlan<V extends PersistentVolume = PersistentVolume> =
  | { readonly do: "bind"; readonly volume: V }
  /** It stays pending. */
  | { readonly do: "wait"; readonly event?: ObjectEvent }
  | { readonly do: "take class"; readonly className: string }
  | { readonly do: "provision"; readonly maker: Maker; readonly storageClass: StorageClass }
  /** Only the event is told. */
  | { readonly do: "tell"; readonly event: ObjectEvent }
  | { readonly do: "nothing" }
  | { readonly do: "fail"; readonly event: ObjectEvent; readonly problem: string }
  | { readonly do: "lose"; readonly event: ObjectEvent };

/** What is known beside the claim. */
export interface ClaimView<V extends PersistentVolume = PersistentVolume> {
  /** The volume that the claim names. */
  readonly named: V | undefined;
  /** The volume that the claim gets when it names none. */
  readonly found: V | undefined;
  /** The class that the claim names. */
  readonly storageClass: StorageClass | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** Names of pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[];
  /** Whether claims are handed to provisioners. */
  readonly provisions: boolean;
}

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncClaim */
export function decideClaim<V extends PersistentVolume>(
  claim: PersistentVolumeClaim,
  view: ClaimView<V>,
): ClaimPlan<V> {
  if (isAnnotated(claim, BIND_COMPLETED)) return decideBoundClaim(claim, view);
  return (claim.spec?.volumeName ?? "") === ""
    ? decideFreeClaim(claim, view)
    : decideNamedVolume(claim, view);
}

function decideBoundClaim<V extends PersistentVolume>(
  claim: PersistentVolumeClaim,
  { named }: ClaimView<V>,
): ClaimPlan<V> {
  const lost = (reason: string, message: string): ClaimPlan<V> => ({
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
function decideFreeClaim<V extends PersistentVolume>(
  claim: PersistentVolumeClaim,
  view: ClaimView<V>,
): ClaimPlan<V> {
  const { storageClass, found } = view;
  if (found !== undefined) return { do: "bind", volume: found };
  const className = view.defaultClass?.metadata.name;
  if (!namesClass(claim) && className !== undefined) return { do: "take class", className };
  if (isDelayed(storageClass) && !isAnnotated(claim, SELECTED_NODE))
    return { do: "wait", event: waiting(view.waitingPods) };
  if (classOf(claim) !== "") return provisioning(claim, view);
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { do: "wait", event: { type: "Normal", reason: "FailedBinding", message } };
}

/** upstream: pv_controller.go#provisionClaim */
function provisioning<V extends PersistentVolume>(
  claim: PersistentVolumeClaim,
  { storageClass, provisions }: ClaimView<V>,
): ClaimPlan<V> {
  if (!provisions) return { do: "nothing" };
  const failed = (message: string): ClaimPlan<V> => ({
    do: "tell",
    event: { type: "Warning", reason: "ProvisioningFailed", message },
  });
  if (storageClass === undefined)
    return failed(`storageclass.storage.k8s.io ${quotedAsInGo(classOf(claim))} not found`);
  const maker = provisionerOf(storageClass);
  return maker.by === "nobody" ? failed(maker.problem) : { do: "provision", maker, storageClass };
}

function waiting(pods: readonly string[]): ObjectEvent {
  if (pods.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const noun = pods.length === 1 ? "pod" : "pods";
  const message = `waiting for ${noun} ${pods.join(",")} to be scheduled`;
  return { type: "Normal", reason: "WaitForPodScheduled", message };
}

/** The user asks for one volume. */
function decideNamedVolume<V extends PersistentVolume>(
  claim: PersistentVolumeClaim,
  { named }: ClaimView<V>,
): ClaimPlan<V> {
  if (named === undefined) return { do: "wait" };
  const name = quotedAsInGo(named.metadata.name ?? "");
  const { claimRef } = named.spec ?? {};
  if (claimRef === undefined) {
    const problem = mismatch(named, claim);
    if (problem === undefined) return { do: "bind", volume: named };
    const message = `Cannot bind to requested volume ${name}: ${problem}`;
    return { do: "wait", event: { type: "Warning", reason: "VolumeMismatch", message } };
  }
  if (isFor(named, claim)) return { do: "bind", volume: named };
  const message = `volume ${name} already bound to a different claim.`;
  const event = { type: "Warning", reason: "FailedBinding", message } as const;
  if (!isAnnotated(claim, BOUND_BY_CONTROLLER)) return { do: "wait", event };
  // Somebody has taken the mark of its completion off the claim.
  const { namespace = "", name: claimName = "" } = claim.metadata;
  const other = quotedAsInGo(`${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`);
  const problem = `invalid binding of claim ${quotedAsInGo(`${namespace}/${claimName}`)} to volume ${name}: volume already claimed by ${other}`;
  return { do: "fail", event, problem };
}
