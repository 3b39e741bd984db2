import { messageOf } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { wantsMore } from "../../pkg/api/volumes/claim-resize.ts";
import { isConflict } from "../../pkg/client/errors.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { annotate, type ClaimSync, expand, handOver, leaveToNodes } from "./apply.ts";
import type { ExpandContext } from "./context.ts";
import { type CachedVolume, decideExpansion, type ExpansionPlan, isBoundTo } from "./expansion.ts";

/** Sees to it that somebody makes the volume of a claim larger that asks for more than it has. */
export async function syncClaim(sync: ClaimSync, context: ExpandContext): Promise<SyncResult> {
  const { owner: claim, signal } = sync;
  const { volumes, events } = context;
  const volume = volumes.lister.get(undefined, claim.spec?.volumeName ?? "");
  if (volume === undefined || !isBoundTo(volume, claim)) {
    if (!wantsMore(claim)) return {};
    sync.decided("The volume is not bound to the claim, as far as it is known");
    return { backOff: true };
  }
  const plan = decideExpansion(claim, volume);
  if (plan.kind !== "nothing") sync.decided(`What is to be done for the volume: ${plan.kind}`);
  try {
    await carryOut(sync, context, volume, plan);
    return {};
  } catch (error) {
    if (isConflict(error) || isGoneOrReplaced(error)) return { backOff: true };
    // The other failure has told of itself.
    if (!signal.aborted && plan.kind !== "hand over")
      events.event(claim, "Warning", "VolumeResizeFailed", messageOf(error));
    throw error;
  }
}

async function carryOut(
  sync: ClaimSync,
  context: ExpandContext,
  volume: Stored<CachedVolume>,
  plan: ExpansionPlan,
): Promise<void> {
  const { owner: claim } = sync;
  switch (plan.kind) {
    case "nothing":
      return;
    case "leave": {
      const waiting = "waiting for an external controller to expand this PVC";
      context.events.event(claim, "Normal", "ExternalExpanding", waiting);
      return;
    }
    case "hand over":
      return handOver(sync, context, plan);
    case "clean up":
      return annotate(sync, context, volume, null);
    case "retry on nodes":
      return leaveToNodes(sync, context, claim, volume);
    case "expand":
      return expand(sync, context, volume, plan);
  }
}
