import { statusCodeOf } from "../../../pkg/client/errors.ts";
import type { Cache } from "../../../pkg/controller/cache.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import { applyPlan } from "./apply.ts";
import { planBundles } from "./bundle-plan.ts";
import type { TrustBundleContext } from "./context.ts";

/** Sees to it that the signer has the one bundle that it is to have, and counts how that went. */
export async function syncBundles(sync: Sync, context: TrustBundleContext): Promise<SyncResult> {
  const { bundles } = context;
  // Changes are heard of before the list is complete.
  if (bundles === undefined) return {};
  const { signal } = sync;
  const { clock } = context.env;
  const startMs = clock.monotonicMs();
  let code = "200";
  try {
    await publish(sync, context, bundles);
    return {};
  } catch (error) {
    signal.throwIfAborted();
    code = statusCodeOf(error);
    throw error;
  } finally {
    if (!signal.aborted) {
      context.durations.observe((clock.monotonicMs() - startMs) / 1_000, { code });
      context.syncs.inc({ code });
    }
  }
}

async function publish(
  sync: Sync,
  { env, wanted }: TrustBundleContext,
  { lister, resource }: Cache<V1beta1ClusterTrustBundle>,
): Promise<void> {
  const client = env.client.clientFor(resource);
  const plan = planBundles(lister.list(), wanted);
  if (plan.create !== undefined)
    sync.decided("There is no bundle of these certificates", { name: wanted.name });
  if (plan.update !== undefined)
    sync.decided("The bundle has other contents than its name says", { name: wanted.name });
  for (const { metadata } of plan.remove)
    sync.decided("The bundle is of other certificates", { name: metadata.name });
  await applyPlan(client, plan, sync.signal);
}
