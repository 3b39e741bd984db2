import { parseTime, formatTime } from "../../pkg/api/time.ts";
import { isConflict } from "../../pkg/client/errors.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { has, READY, TERMINATING, type WantedCondition } from "./conditions.ts";
import type { ServiceCidrContext } from "./context.ts";
import type { CachedRange } from "./ranges.ts";

type RangeSync = OwnerSync<CachedRange>;

const CONTROLLER = "service-cidr-controller";
const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
/** API servers that have not heard of the deletion give addresses of the range for so long. */
const GRACE_MS = 10_000;

/** Makes a ServiceCIDR ready, and keeps one that is being deleted for as long as Services need its addresses. */
export async function syncRange(sync: RangeSync, context: ServiceCidrContext): Promise<SyncResult> {
  try {
    if (sync.owner.metadata.deletionTimestamp !== undefined) return await letGo(sync, context);
    await makeReady(sync, context);
    return {};
  } catch (error) {
    // It is gone, or another one has its name: the cache is about to hear of that.
    if (isRefusedAsGone(error)) return { backOff: true };
    throw error;
  }
}

async function letGo(sync: RangeSync, context: ServiceCidrContext): Promise<SyncResult> {
  const { owner } = sync;
  const { clock, ranges } = context;
  const address = ranges.addressOfOnly(owner);
  if (address !== undefined) {
    sync.decided("It is being deleted, and stays because an address is in no other", { address });
    await writeCondition(sync, TERMINATING, context);
    return {};
  }
  const { deletionTimestamp, finalizers = [] } = owner.metadata;
  const requeueAfterMs = (parseTime(deletionTimestamp) ?? 0) + GRACE_MS - clock.nowMs();
  if (requeueAfterMs > 0) return { requeueAfterMs };
  if (!finalizers.includes(FINALIZER)) return {};
  sync.decided("It is being deleted, and no address needs it");
  await patchMetadata(sync, { "$deleteFromPrimitiveList/finalizers": [FINALIZER] }, context);
  return {};
}

async function makeReady(sync: RangeSync, context: ServiceCidrContext): Promise<void> {
  const { owner } = sync;
  if (!owner.metadata.finalizers?.includes(FINALIZER)) {
    sync.decided("It is not protected");
    await patchMetadata(sync, { finalizers: [FINALIZER] }, context);
  }
  try {
    await writeCondition(sync, READY, context);
  } catch (error) {
    if (!isRefusedAsGone(error))
      context.events.event(
        owner,
        "Warning",
        "KubernetesServiceCIDRError",
        "The ServiceCIDR Status can not be set to Ready=True",
      );
    throw error;
  }
}

/** A patch that names the uid, and an apply that finds nothing to be applied to. */
function isRefusedAsGone(error: unknown): boolean {
  return isGoneOrReplaced(error) || isConflict(error);
}

async function patchMetadata(
  sync: RangeSync,
  changes: Readonly<Record<string, readonly string[]>>,
  { writes }: ServiceCidrContext,
): Promise<void> {
  const { owner } = sync;
  const body = { metadata: { uid: owner.metadata.uid, ...changes } };
  await writes.patchUnread(sync, owner, { type: "strategic", body });
}

async function writeCondition(
  sync: RangeSync,
  wanted: WantedCondition,
  { clock, writes }: ServiceCidrContext,
): Promise<void> {
  const { owner } = sync;
  if (has(owner, wanted)) return;
  sync.decided("It has another condition", { status: wanted.status });
  const { name, uid } = owner.metadata;
  const lastTransitionTime = formatTime(clock.nowMs());
  await writes.apply(
    sync,
    { metadata: { name, uid }, status: { conditions: [{ ...wanted, lastTransitionTime }] } },
    { fieldManager: CONTROLLER, force: true, subresource: "status" },
  );
}
