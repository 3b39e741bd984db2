import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { againWhenOutrun, protect } from "../../pkg/controller/protection.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { holdsClaim, needsClaim, type Usage } from "./claim-use.ts";
import type { ClaimProtectionContext } from "./context.ts";
import { conditionsOfUse } from "./unused-condition.ts";

export const FINALIZER = "kubernetes.io/pvc-protection";
/** When a claim is looked at again whose pod the cache has yet to show, and may never: it may come and go unseen. */
const UNSEEN_POD_MS = 30_000;

type ClaimSync = OwnerSync<PersistentVolumeClaim>;

/** Lets a claim go that is being deleted and held by no pod, and tells since when a claim is of no use. */
export async function syncClaim(sync: ClaimSync, context: ClaimProtectionContext): Promise<SyncResult> {
  const { writes } = context;
  const stays = async (run: ClaimSync): Promise<SyncResult | undefined> => {
    const user = await userOf(run, context, holdsClaim);
    if (user === undefined) return undefined;
    return user === "cached" ? {} : { requeueAfterMs: UNSEEN_POD_MS };
  };
  return againWhenOutrun(async () => {
    const owner = await toldUse(sync, context);
    return protect(Object.assign(sync, { owner }), { finalizer: FINALIZER, writes, stays });
  });
}

/** The claim, with what it is to say of its use. */
async function toldUse(
  sync: ClaimSync,
  context: ClaimProtectionContext,
): Promise<Stored<PersistentVolumeClaim>> {
  const { owner } = sync;
  if (!context.tellsUnused || owner.metadata.deletionTimestamp !== undefined) return owner;
  const isUsed = (await userOf(sync, context, needsClaim)) !== undefined;
  const conditions = conditionsOfUse(owner, isUsed, context.clock.nowMs());
  if (conditions === undefined) return owner;
  sync.decided(isUsed ? "A pod uses it" : "No pod uses it");
  return context.writes.updateStatus(sync, { ...owner, status: { ...owner.status, conditions } });
}

/**
 * Who knows of a pod that uses the claim. Where the cache knows of none the server is asked: a pod that has just come
 * to its node must not lose its claim.
 */
async function userOf(
  { owner, signal }: ClaimSync,
  { pods, livePods }: ClaimProtectionContext,
  uses: Usage,
): Promise<"cached" | "live" | undefined> {
  const { namespace, name } = owner.metadata;
  const known = pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(owner));
  if (known.some((pod) => uses(pod, owner))) return "cached";
  const live = (await livePods.now(namespace, signal)).get(name) ?? [];
  return live.some((pod) => uses(pod, owner)) ? "live" : undefined;
}
