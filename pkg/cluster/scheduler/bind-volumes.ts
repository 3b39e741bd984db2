import { keyOf } from "../../api/object.ts";
import { podClaims } from "../../api/pod-claims.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { Env } from "../../controller/env.ts";
import { boundVolume } from "../../api/volumes/bound-volume.ts";
import { isBound, SELECTED_NODE, withAnnotations } from "../../api/volumes/claim-facts.ts";
import type { VolumeListers, VolumesOnNode } from "./pod-volumes.ts";

/** Asks for what the pod's claims need on the node; the controllers of volumes do the rest. */
export async function askForVolumes(
  { client }: Env,
  { keep, provision }: VolumesOnNode,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  const volumes = client.clientFor<PersistentVolume>(resources.persistentVolumes);
  const claims = client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  for (const { volume, claim } of keep) await volumes.update(boundVolume(volume, claim), {}, signal);
  for (const claim of provision) {
    const isAsked = claim.metadata.annotations?.[SELECTED_NODE] === node;
    if (!isAsked) await claims.update(withAnnotations(claim, { [SELECTED_NODE]: node }), {}, signal);
  }
}

/** A node that is kept for a pod until its claims have their volumes. */
export interface Reservation {
  readonly node: string;
  readonly plan: VolumesOnNode;
  readonly untilMs: number;
}

/** "lost": what was asked for will not come, and the pod has to be looked at anew. */
export function stateOfVolumes(
  pod: Pod,
  { plan, untilMs, node }: Reservation,
  { claims, volumes }: VolumeListers,
  nowMs: number,
): "bound" | "waiting" | "lost" {
  const now = podClaims(pod).map(({ name }) => claims.get(pod.metadata.namespace, name));
  const isGone = now.some((claim) => claim === undefined || claim.metadata.deletionTimestamp !== undefined);
  if (isGone || nowMs >= untilMs) return "lost";
  if (now.every((claim) => claim !== undefined && isBound(claim))) return "bound";
  const isKept = plan.keep.every(({ volume }) => {
    const known = volumes.get(undefined, volume.metadata.name ?? "");
    return known !== undefined && known.metadata.deletionTimestamp === undefined;
  });
  // Who cannot make the volume for this node takes the mark off.
  const isAsked = plan.provision.every((asked) => {
    const claim = now.find((one) => one !== undefined && keyOf(one) === keyOf(asked));
    if (claim === undefined || isBound(claim)) return true;
    const isNews = claim.metadata.resourceVersion !== asked.metadata.resourceVersion;
    return !isNews || claim.metadata.annotations?.[SELECTED_NODE] === node;
  });
  return isKept && isAsked ? "waiting" : "lost";
}
